"""The arguments of queries, checked: rays, shapes at places, groups and distances."""

import math
from collections.abc import Iterable
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.collision_world.parts import Given, is_obstacle, model_of
from spheresim.collision_world.ray_kernels import Rays
from spheresim.collision_world.shape_queries import QueryShapes
from spheresim.convex.geometry.rotation import rotation_matrices, rotation_rows
from spheresim.convex.query_arguments import each_of, holds_nothing
from spheresim.convex.shapes import sphere
from spheresim.numerics.arguments import number, whole_number
from spheresim.numerics.ray import ordinary_directions

EVERY = 2**63 - 1
"""All groups."""

POINT = sphere(0.0)
"""The shape of a query for a point."""

STARTS, DIRECTIONS = "starts of rays", "directions of rays"
"""What arguments are called in messages."""


def one_row(given: Any) -> list[Any] | None:
    """What is given for one question, as for a batch of one; None stays."""
    return None if given is None else [given]


def one_query_shape(to: Any) -> QueryShapes:
    """A point, or a shape where it was given."""
    return query_shapes(POINT, to, None, 1) if is_point(to) else query_shapes(to, None, None, 1)


def is_point(to: Any) -> bool:
    """Whether something is meant as a point: it holds numbers, and is no shape."""
    return (
        isinstance(to, Iterable) and any(isinstance(x, Number) for x in to) and not is_obstacle(to)
    )


def row_count(*given: Any, turns: Any = None) -> int:
    """How many questions arrays of vectors and rotations make: one if none of them has rows."""
    many = {_length(rows) for rows in given}
    many |= set() if turns is None else {len(rotation_rows(turns))}
    return 0 if 0 in many else max(many, default=1)


def _length(rows: Any) -> int:
    """How many vectors there are; one, if there is only one or none is given."""
    if holds_nothing(rows):
        return 0
    try:
        return len(rows) if np.ndim(rows) > 1 else 1
    except ValueError:  # they are not equally long, which is said later
        return len(rows)


def rays_of(origins: npt.ArrayLike, directions: npt.ArrayLike) -> Rays:
    """Starts and directions, (n, 3) each; ValueError for a direction of length 0."""
    count = row_count(origins, directions)
    along = each_of(directions, count, 3, DIRECTIONS, math.inf)
    return Rays(each_of(origins, count, 3, STARTS), ordinary_directions(along))


def query_shapes(
    shape: Given, positions: npt.ArrayLike | None, rotations: npt.ArrayLike | None, count: int
) -> QueryShapes:
    """A shape in as many places; without positions and rotations where it was given."""
    model = model_of(shape)
    places = np.tile(model.position, (count, 1)).astype(np.float64)
    if positions is not None:
        places = each_of(positions, count, 3, "positions")
    turns = rotation_matrices(model.rotation if rotations is None else rotations, count)
    return QueryShapes(shape, model, places, turns)


def group_bits(value: int, what: str = "a mask") -> int:
    """The bits of groups, checked; ValueError or TypeError names `what`."""
    if type(value) is int and 0 <= value <= EVERY:
        return value
    bits = whole_number(value, what, low=0)
    if bits > EVERY:
        raise ValueError(f"{what} has at most 63 bits, not {value!r}")
    return bits


def reach_of(distance: object) -> float:
    """A distance ≥ 0, which may be inf; ValueError or TypeError for anything else."""
    is_unbounded = isinstance(distance, float) and distance == math.inf
    return math.inf if is_unbounded else number(distance, "a distance", low=0.0)
