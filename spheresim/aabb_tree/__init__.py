"""Trees of axis-aligned boxes: which meet a box, which is nearest to one, which a ray meets."""
