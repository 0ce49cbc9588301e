"""What an engine works on: balls, the world, its state."""
