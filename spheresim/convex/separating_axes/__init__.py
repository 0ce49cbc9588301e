"""The separating axis theorem: which axes there are, at rest and swept along a motion."""
