"""EPA: the expanding polytope, which finds the depth of an overlap of bodies with many faces."""
