"""The model that an engine moves: balls, the world, its state."""
