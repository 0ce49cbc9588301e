"""The construction of convex hulls: corners, faces and edges from any points."""
