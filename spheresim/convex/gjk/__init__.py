"""GJK: the search for the point of a Minkowski difference that is nearest to the origin."""
