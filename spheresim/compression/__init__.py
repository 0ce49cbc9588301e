"""Dense packings of balls, by growth of their radii."""
