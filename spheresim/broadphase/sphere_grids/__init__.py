"""Grids of spheres, and neighbour lists from them: the broad phases inside the engines."""
