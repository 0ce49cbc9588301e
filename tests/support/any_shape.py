"""One obstacle of each kind, for what all of them must answer alike."""

import numpy as np

import spheresim as s
from spheresim.convex import box, capsule, hull, sphere

_CORNERS = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)]
_SIDES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]

SHAPES = {
    "plane": s.Plane((0, -1, 0), (0.2, 1, 0.1)),
    "cylinder": s.Cylinder((1, 0, 0), (0, 0.2, 1), 3),
    "sphere": s.Sphere((0, 1, 0), 2),
    "capsule": s.Capsule((-2, 0, 0), (2, 1, 0), 1),
    "cuboid": s.Cuboid((0, 0, 1), (2, 4, 6), ((0, 1, 1), 30)),
    "rounded cuboid": s.Cuboid((0, 0, 1), (2, 4, 6), rounding=0.5),
    "hull": s.Hull(_CORNERS),
    "polygon": s.Polygon([(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)]),
    "capped cylinder": s.CappedCylinder((-1, 0, 0), (2, 0, 0), 1.5),
    "disc": s.Disc((0, 0, 0), (0, 0, 1), 3),
    "ring": s.Ring((0, 0, 0), (0, 1, 1), 3, 0.5),
    "mesh": s.Mesh(np.array(_CORNERS, float), _SIDES),
    "compound": s.Compound([s.Sphere((0, 0, 0), 1), s.Mesh(np.array(_CORNERS, float), _SIDES)]),
}
BODIES = {
    "ball": sphere(1.5, (0, 1, 0)),
    "rod": capsule((-1, 0, 0), (2, 0, 0), 0.5),
    "box": box((1, 2, 3), (0, 0, 1)),
    "polyhedron": hull(_CORNERS),
}
