"""What a ball touches of an obstacle: faces, lines, points, circles, ring plugs; their index."""
