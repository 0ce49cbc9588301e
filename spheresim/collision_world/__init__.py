"""A world of shapes that answers what touches what, and rays, sweeps and points asked of it."""
