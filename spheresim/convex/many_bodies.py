"""Many bodies straight from arrays: `Bodies.spheres`, `Bodies.boxes` and `Bodies.copies`.

They are the same arrays, to the bit, as those of bodies that are made one by one and gathered by
`Bodies.of`. A geometry is laid out once for each kind; what its sizes change in it is filled in.
"""

from typing import Any

import numpy as np

from spheresim.convex.body import LARGEST, Bodies, Body, coordinates
from spheresim.convex.geometry.layout import POSE_SIZE, box_balls
from spheresim.convex.geometry.rotation import rotation_matrices
from spheresim.convex.shapes import box, sphere
from spheresim.numerics.arguments import shown
from spheresim.numerics.batch import number_rows, question_count, refuse_bad_row, vector_rows


def spheres(positions: Any, radii: Any) -> Bodies:
    """See `Bodies.spheres`."""
    places, sizes = vector_rows(positions, "positions"), number_rows(radii, "radii")
    n = question_count(positions=places, radii=sizes)
    refuse_bad_row(radii=sizes)
    geometry = np.repeat(sphere(0.0).geometry[None], len(sizes), axis=0)
    geometry[:, 1, 0] = sizes
    return _placed(geometry, n, places, None)


def boxes(half: Any, positions: Any, rotations: Any) -> Bodies:
    """See `Bodies.boxes`."""
    extents, places = vector_rows(half, "half"), vector_rows(positions, "positions")
    n = question_count(half=extents, positions=places)
    fine = (extents > 0.0) & (extents <= LARGEST)
    if not fine.all():
        k = int(np.flatnonzero(~fine.all(axis=1))[0])
        raise ValueError(f"half: row {k} must be greater than 0, not {extents[k].tolist()}")

    # All but the balls' radii is proportional to one of the three half extents, or constant.
    unit = box((1.0, 1.0, 1.0)).geometry
    geometry = np.repeat(unit[None], len(extents), axis=0)
    for axis, doubled in enumerate(np.eye(3) + 1.0):
        of_axis = box(doubled.tolist()).geometry != unit
        of_axis[4] = False
        geometry[:, of_axis] = unit[of_axis] * extents[:, axis, None]
    geometry[:, 4] = [box_balls(row, 3) for row in extents.tolist()]
    return _placed(geometry, n, places, rotations)


def copies(body: Body, positions: Any, rotations: Any) -> Bodies:
    """See `Bodies.copies`."""
    if not isinstance(body, Body) or body.dimension != 3:
        raise TypeError(f"copies are made of one body in space, not of {shown(body)}")
    places = vector_rows(positions, "positions")
    turned = body.rotation if rotations is None else rotations
    return _placed(body.geometry[None], len(places), places, turned)


def _placed(geometry: np.ndarray, n: int, positions: Any, rotations: Any) -> Bodies:
    """Bodies of geometries (n, rows, 3), or one for all, in their places."""
    kinds, rows, _ = geometry.shape
    poses = np.empty((n, POSE_SIZE))
    poses[:, 0] = np.arange(n) * rows if kinds == n else 0.0
    poses[:, 1:4] = coordinates(positions, 3, "positions")
    turns = np.eye(3)[None] if rotations is None else rotation_matrices(rotations, n)
    poses[:, 4:] = turns.reshape(-1, 9)
    return Bodies(geometry.reshape(-1, 3).copy(), poses)
