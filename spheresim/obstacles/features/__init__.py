"""What a ball touches of an obstacle: faces, lines, points, circles and lids, and their index."""
