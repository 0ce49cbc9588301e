"""The face or edge along which two bodies lie against each other, for contact manifolds."""
