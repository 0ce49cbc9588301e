"""Obstacles that move, are pushed, or are warm: here called walls."""
