"""Obstacles, one file each, which all answer the same questions (`shape`), and their table."""
