"""Which pairs of shapes answer which questions, and the one place where a question is passed on.

The table in docs/collision_world.md is made of `ANSWERS` by `spheresim.collision_world.pair_table`.
"""

from types import ModuleType
from typing import Any

import numpy as np

from spheresim.collision_world.pairs import bodies, cylinders, planes, rims, rings, rounds, surfaces
from spheresim.collision_world.pairs.side import Impact, Nearest, Points, Side, impacts
from spheresim.collision_world.parts import (
    CONVEX,
    CYLINDER,
    KIND_NAMES,
    MESH,
    PLANE,
    RING,
    ROUND,
    SPHERE,
)

ANSWERS: dict[tuple[int, int], ModuleType] = {
    (SPHERE, SPHERE): bodies,
    (SPHERE, CONVEX): bodies,
    (CONVEX, CONVEX): bodies,
    (SPHERE, MESH): bodies,
    (CONVEX, MESH): bodies,
    (MESH, MESH): bodies,
    (SPHERE, PLANE): planes,
    (CONVEX, PLANE): planes,
    (MESH, PLANE): planes,
    (SPHERE, CYLINDER): cylinders,
    (CONVEX, CYLINDER): cylinders,
    (MESH, CYLINDER): cylinders,
    (SPHERE, ROUND): surfaces,
    (CONVEX, ROUND): rounds,
    (MESH, ROUND): rounds,
    (PLANE, ROUND): rims,
    (SPHERE, RING): surfaces,
    (CONVEX, RING): rings,
    (MESH, RING): rings,
    (PLANE, RING): rims,
}
"""Who answers the questions about a pair of kinds, the lower kind first."""

QUESTIONS = {
    "touch": "do they touch?",
    "nearest": "how far apart, how deep, where?",
    "manifold": "all points of contact",
    "sweep": "when do they meet, moving?",
    "turning": "and turning?",
}
"""What can be asked of a pair."""

TURNING = (bodies, cylinders, planes)
"""Who knows of motions that turn."""


class Unsupported(NotImplementedError):  # noqa: N818 - as in the field's libraries
    """A question about a pair of shapes that has no answer here; docs/collision_world.md has the
    table of those that have."""


def has_answer(kind: int, other: int, question: str) -> bool:
    """Whether a question about a pair of kinds is answered."""
    who = ANSWERS.get((min(kind, other), max(kind, other)))
    return who is not None and (question != "turning" or who in TURNING)


def is_never_asked(kind: Any, other: Any) -> Any:
    """Which pairs (of arrays of kinds) are both endless: these are not asked about at all."""
    first = (kind == PLANE) | (kind == CYLINDER)
    return first & ((other == PLANE) | (other == CYLINDER))


def unsupported(kind: int, other: int, question: str) -> Unsupported:
    """What is raised where there is no answer."""
    one, two = KIND_NAMES[min(kind, other)], KIND_NAMES[max(kind, other)]
    return Unsupported(
        f"no answer to {QUESTIONS[question]!r} for {one} and {two}: keep the two apart by groups "
        "and masks, or put convex bodies or a mesh in the place of one"
    )


def touch(a: Side, b: Side) -> Any:
    """Which pairs have a point in common, (m,) bool."""
    answer = np.zeros(len(a.row), dtype=bool)
    for rows, who, one, other, _ in _sorted_by_kind(a, b, "touch"):
        answer[rows] = who.touch(one, other)
    return answer


def nearest(a: Side, b: Side) -> Nearest:
    """How far apart all pairs are, or how deep in each other."""
    m = len(a.row)
    answer = Nearest(np.empty(m), *np.empty((3, m, 3)))
    for rows, who, one, other, is_swapped in _sorted_by_kind(a, b, "nearest"):
        found = who.nearest(one, other)
        for column, values in zip(answer, found.swapped() if is_swapped else found, strict=True):
            column[rows] = values
    return answer


def manifold(a: Side, b: Side) -> Points:
    """All points of contact of all pairs, sorted by pair."""
    parts = []
    for rows, who, one, other, is_swapped in _sorted_by_kind(a, b, "manifold"):
        found = who.manifold(one, other)
        found = found.swapped() if is_swapped else found
        parts.append(found._replace(pair=rows[found.pair]))
    if not parts:
        return Points(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    joined = Points(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    order = np.argsort(joined.pair, kind="stable")
    return Points(*(column[order] for column in joined))


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When all pairs first touch in a step."""
    answer = impacts(len(a.row))
    for rows, who, one, other, is_swapped in _sorted_by_kind(a, b, "sweep"):
        if who not in TURNING and (one.turning.any() or other.turning.any()):
            raise unsupported(int(one.kind[0]), int(other.kind[0]), "turning")
        found = who.sweep(one, other, dt, tolerance)
        for column, values in zip(answer, found.swapped() if is_swapped else found, strict=True):
            column[rows] = values
    return answer


Sorted = list[tuple[Any, Any, Side, Side, bool]]


def _sorted_by_kind(a: Side, b: Side, question: str) -> Sorted:
    """The pairs, those of the same two kinds together: which they are, who answers, both sides
    with the lower kind first, and whether they were swapped for that.

    Unsupported if nobody answers.
    """
    if len(a.row) == 0:
        return []
    found: Sorted = []
    code = a.kind * len(KIND_NAMES) + b.kind
    for each in _distinct(code):
        kind, other = divmod(each, len(KIND_NAMES))
        if not has_answer(kind, other, question):
            raise unsupported(kind, other, question)
        rows = np.flatnonzero(code == each)
        whole = len(rows) == len(code)
        one, two = (a, b) if whole else (a.taken(rows), b.taken(rows))
        is_swapped = kind > other
        who = ANSWERS[(min(kind, other), max(kind, other))]
        found.append(
            (rows, who, two if is_swapped else one, one if is_swapped else two, is_swapped)
        )
    return found


def _distinct(code: Any) -> list[int]:
    return [int(k) for k in np.flatnonzero(np.bincount(code))]
