"""k-DOPs: bodies bounded by k planes in fixed directions (the slides' bounding volumes).

k counts planes, two for each of the k/2 directions: in space 6 is the axis-aligned box, 14
adds its corners' directions, 18 its edges', 26 both; in the plane any even k will do. Two
that share their directions overlap unless one of these separates them (J. Klosowski et
al., Efficient collision detection using bounding volume hierarchies of k-DOPs, 1998). Bodies
whose k-DOPs do not overlap do not either; the reverse does not hold.
"""

from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import kernel
from spheresim.convex.body import Body
from spheresim.convex.geometry.posed_body import posed_body
from spheresim.convex.geometry.support import project
from spheresim.convex.query_arguments import ManyBodies, several
from spheresim.numerics.arguments import shown, whole_number
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.rows import vector_at


class Kdop(NamedTuple):
    """A k-DOP: a body between pairs of planes in k/2 fixed directions.

    directions: (k/2, 3), unit; low, high: its interval on each, (k/2,), or (n, k/2) for n bodies
    [length].
    """

    directions: np.ndarray
    low: np.ndarray
    high: np.ndarray


def kdop_directions(k: int, dimension: int) -> np.ndarray:
    """The unit directions of a k-DOP, shape (k/2, 3).

    k: in space (dimension 3) 6, 14, 18 or 26; in the plane (2) any even number from 4 on.
    ValueError for another k.

    >>> kdop_directions(8, 2).round(3)[:, :2].tolist()
    [[1.0, 0.0], [0.707, 0.707], [0.0, 1.0], [-0.707, 0.707]]
    """
    if dimension == 2:
        if whole_number(k, "k", 4) % 2:
            raise ValueError(f"a k-DOP in the plane needs an even k, not {k}")
        angles = np.arange(k // 2) * (2.0 * np.pi / k)
        return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(k // 2)])
    grid = np.stack(np.meshgrid([1, 0, -1], [1, 0, -1], [1, 0, -1], indexing="ij"), -1)
    half = grid.reshape(-1, 3)[:13]  # the other half are their opposites
    kinds = {6: (1,), 14: (1, 3), 18: (1, 2), 26: (1, 2, 3)}
    if k not in kinds:
        raise ValueError(f"a k-DOP in space has a k of 6, 14, 18 or 26, not {k}")
    length_sqr = np.sum(half**2, axis=1)
    chosen = np.vstack([half[length_sqr == kind] for kind in kinds[k]])
    return np.asarray(chosen / np.linalg.norm(chosen, axis=1)[:, np.newaxis])


@kernel
def _bound(geometry: Floats, poses: Floats, directions: Floats, low: Floats, high: Floats) -> None:
    for k in range(len(poses)):
        body = posed_body(geometry, poses, k)
        for i in range(len(directions)):
            direction = vector_at(directions, i)
            own_low, own_high = project(body, direction)
            centre = direction.dot(body.position)
            low[k, i] = own_low + centre - body.radius
            high[k, i] = own_high + centre + body.radius


def kdop(body: ManyBodies, k: int) -> Kdop:
    """The smallest k-DOP around a body, or around each of n bodies.

    k: the number of planes: in space 6, 14, 18 or 26; in the plane any even number from 4 on.
    ValueError for another k.
    """
    those = several(body)
    directions = kdop_directions(k, those.dimension)
    low = np.empty((len(those.poses), len(directions)))
    high = np.empty_like(low)
    _bound(those.geometry, those.poses, directions, low, high)
    if isinstance(body, Body):
        return Kdop(directions, low[0], high[0])
    return Kdop(directions, low, high)


def kdops_overlap(a: Kdop, b: Kdop) -> np.bool | Booleans:
    """Whether two k-DOPs overlap or touch, for one pair (bool) or many (n,).

    ValueError if their directions differ, TypeError for what is no k-DOP.

    >>> from spheresim.convex import box
    >>> bool(kdops_overlap(kdop(box((1, 1)), 4), kdop(box((1, 1), position=(1.5, 1)), 4)))
    True
    """
    for each in (a, b):
        if not isinstance(each, Kdop):
            raise TypeError(f"expected a k-DOP, as kdop() makes one of a body, not {shown(each)}")
    if a.directions.shape != b.directions.shape or (a.directions != b.directions).any():
        raise ValueError("two k-DOPs need the same directions to be compared")
    return ((a.low <= b.high) & (b.low <= a.high)).all(axis=-1)
