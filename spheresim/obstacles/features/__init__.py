"""What a ball touches of an obstacle: faces, lines, points and circles, and their index."""
