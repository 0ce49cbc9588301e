"""The one place where a question about pairs of parts is passed on, by their kinds."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.pairs.catalogue import ANSWERS, has_answer, unsupported
from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    PairAnswers,
    Points,
    Side,
    impacts,
    no_points,
    sorted_by_pair,
)
from spheresim.collision_world.parts import KIND_NAMES
from spheresim.numerics.arrays import Booleans, Integers


def touch(a: Side, b: Side) -> Booleans:
    """Which pairs have a point in common, (m,) bool."""
    answer = np.zeros(len(a.row), dtype=bool)
    for rows, answers, one, other, _ in _by_kinds(a, b, "touch"):
        answer[rows] = answers.touch(one, other)
    return answer


def nearest(a: Side, b: Side) -> Nearest:
    """How far apart all pairs are, or how deep in each other."""
    m = len(a.row)
    answer = Nearest(np.empty(m), *np.empty((3, m, 3)))
    for rows, answers, one, other, is_swapped in _by_kinds(a, b, "nearest"):
        found = answers.nearest(one, other)
        for column, values in zip(answer, found.swapped() if is_swapped else found, strict=True):
            column[rows] = values
    return answer


def manifold(a: Side, b: Side) -> Points:
    """All points of contact of all pairs, sorted by pair."""
    parts = []
    for rows, answers, one, other, is_swapped in _by_kinds(a, b, "manifold"):
        found = answers.manifold(one, other)
        found = found.swapped() if is_swapped else found
        parts.append(found._replace(pair=rows[found.pair]))
    return sorted_by_pair(parts) if parts else no_points()


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When all pairs first touch in a step."""
    answer = impacts(len(a.row))
    for rows, answers, one, other, is_swapped in _by_kinds(a, b, "sweep"):
        if not answers.turning and (one.turning.any() or other.turning.any()):
            raise unsupported(int(one.kind[0]), int(other.kind[0]), "turning")
        found = answers.sweep(one, other, dt, tolerance)
        for column, values in zip(answer, found.swapped() if is_swapped else found, strict=True):
            column[rows] = values
    return answer


class _Group(NamedTuple):
    """The pairs of the same two kinds.

    rows: which of all pairs they are; answers: of their kinds; one, other: both sides, the lower
    kind first; is_swapped: whether the sides changed places for that.
    """

    rows: Any
    answers: PairAnswers
    one: Side
    other: Side
    is_swapped: bool


def _by_kinds(a: Side, b: Side, question: str) -> list[_Group]:
    """The pairs in groups of the same two kinds; Unsupported if a group has no answer."""
    if len(a.row) == 0:
        return []
    found: list[_Group] = []
    code = a.kind * len(KIND_NAMES) + b.kind
    for each in _distinct(code):
        kind, other = divmod(each, len(KIND_NAMES))
        if not has_answer(kind, other, question):
            raise unsupported(kind, other, question)
        rows = np.flatnonzero(code == each)
        whole = len(rows) == len(code)
        one, two = (a, b) if whole else (a.taken(rows), b.taken(rows))
        is_swapped = kind > other
        answers = ANSWERS[(min(kind, other), max(kind, other))]
        first, second = (two, one) if is_swapped else (one, two)
        found.append(_Group(rows, answers, first, second, is_swapped))
    return found


def _distinct(code: Integers) -> list[int]:
    return [int(k) for k in np.flatnonzero(np.bincount(code))]
