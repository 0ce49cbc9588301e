"""Which pairs of kinds of parts answer which questions: the table in docs/collision_world.md.

`python -m spheresim.collision_world.pairs.catalogue` prints the table.
"""

from typing import Any

from spheresim.collision_world.pairs.bodies import BODY_ANSWERS
from spheresim.collision_world.pairs.cylinders import CYLINDER_ANSWERS
from spheresim.collision_world.pairs.planes import PLANE_ANSWERS
from spheresim.collision_world.pairs.rims import RIM_ANSWERS
from spheresim.collision_world.pairs.rings import RING_ANSWERS
from spheresim.collision_world.pairs.rounds import ROUND_ANSWERS
from spheresim.collision_world.pairs.side import PairAnswers
from spheresim.collision_world.pairs.surfaces import SURFACE_ANSWERS
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
from spheresim.numerics.arrays import Integers

ANSWERS: dict[tuple[int, int], PairAnswers] = {
    (SPHERE, SPHERE): BODY_ANSWERS,
    (SPHERE, CONVEX): BODY_ANSWERS,
    (CONVEX, CONVEX): BODY_ANSWERS,
    (SPHERE, MESH): BODY_ANSWERS,
    (CONVEX, MESH): BODY_ANSWERS,
    (MESH, MESH): BODY_ANSWERS,
    (SPHERE, PLANE): PLANE_ANSWERS,
    (CONVEX, PLANE): PLANE_ANSWERS,
    (MESH, PLANE): PLANE_ANSWERS,
    (SPHERE, CYLINDER): CYLINDER_ANSWERS,
    (CONVEX, CYLINDER): CYLINDER_ANSWERS,
    (MESH, CYLINDER): CYLINDER_ANSWERS,
    (SPHERE, ROUND): SURFACE_ANSWERS,
    (CONVEX, ROUND): ROUND_ANSWERS,
    (MESH, ROUND): ROUND_ANSWERS,
    (PLANE, ROUND): RIM_ANSWERS,
    (SPHERE, RING): SURFACE_ANSWERS,
    (CONVEX, RING): RING_ANSWERS,
    (MESH, RING): RING_ANSWERS,
    (PLANE, RING): RIM_ANSWERS,
}
"""By pair of kinds, the lower kind first; pairs that are missing have no answer."""

QUESTIONS = {
    "touch": "do they touch?",
    "nearest": "how far apart, how deep, where?",
    "manifold": "all points of contact",
    "sweep": "when do they meet, moving?",
    "turning": "and turning?",
}
"""What can be asked of a pair."""


class Unsupported(NotImplementedError):  # noqa: N818 - as in the field's libraries
    """Raised for a query about a pair of shapes that is not supported.

    docs/collision_world.md has the table of supported pairs.
    """


def has_answer(kind: int, other: int, question: str) -> bool:
    """Whether a question about a pair of kinds is answered."""
    answers = ANSWERS.get((min(kind, other), max(kind, other)))
    return answers is not None and (question != "turning" or answers.turning)


def is_never_asked(kind: int | Integers, other: int | Integers) -> Any:
    """Which pairs, of arrays of kinds, are both unbounded: these are never tested."""
    first = (kind == PLANE) | (kind == CYLINDER)
    return first & ((other == PLANE) | (other == CYLINDER))


def unsupported(kind: int, other: int, question: str) -> Unsupported:
    """The exception for a question without an answer."""
    one, two = KIND_NAMES[min(kind, other)], KIND_NAMES[max(kind, other)]
    return Unsupported(
        f"no answer to {QUESTIONS[question]!r} for {one} and {two}: keep the two apart by groups "
        "and masks, or put convex bodies or a mesh in the place of one"
    )


ANSWERED, UNSUPPORTED, NOT_ASKED = "yes", "–", "not asked"


def cell(kind: int, other: int, question: str) -> str:
    """The entry of the table for a question about two kinds."""
    if is_never_asked(kind, other):
        return NOT_ASKED
    return ANSWERED if has_answer(kind, other, question) else UNSUPPORTED


def pair_table() -> str:
    """The table in Markdown."""
    head = ["pair", *(f"{name}: {words}" for name, words in QUESTIONS.items())]
    lines = [head, ["---"] * len(head)]
    for kind, name in enumerate(KIND_NAMES):
        for other in range(kind, len(KIND_NAMES)):
            row = [cell(kind, other, question) for question in QUESTIONS]
            lines.append([f"{name} × {KIND_NAMES[other]}", *row])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(pair_table())
