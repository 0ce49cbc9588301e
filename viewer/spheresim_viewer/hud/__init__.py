"""What stands over the picture: numbers, plots, the time line, keys."""
