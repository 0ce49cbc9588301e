"""Trees of boxes: which boxes meet a box, which is nearest to one, and which a ray meets."""
