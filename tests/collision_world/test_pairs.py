"""Each pair of kinds answers what the table says, and the document has that table."""

from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spheresim import CollisionWorld, Cylinder, Disc, Mesh, Plane, Ring
from spheresim.collision_world import Unsupported
from spheresim.collision_world.pairs.catalogue import ANSWERED, NOT_ASKED, cell, pair_table
from spheresim.collision_world.parts import KIND_NAMES, model_of
from spheresim.convex import box, sphere

DOCUMENT = Path(__file__).parents[2] / "docs" / "collision_world.md"

# All of them reach into the unit cube about (0.9, 0, 0), and have a surface in it.
SHAPES: list[Any] = [
    sphere(1.0),
    box((1.0, 1.0, 1.0)),
    Mesh([(1, -1, -1), (1, 1, -1), (1, 0, 1)], [(0, 1, 2)]),
    Plane((1, 0, 0), (1, 0, 0)),
    Cylinder((0, 0, 0), (0, 0, 1), 1.0),
    Disc((0, 0, 0), (0.2, 0, 1), 1.2),
    Ring((0, 0, 0), (0, 0, 1), 0.8, 0.2),
]


def two(kind: int, other: int) -> tuple[CollisionWorld, int, int]:
    world = CollisionWorld()
    one = world.add(SHAPES[kind])
    shift = (0.0, 0.0, 0.01) if kind == other else (0.0, 0.0, 0.0)
    return world, one, world.add(SHAPES[other], np.array(shift) + model_of(SHAPES[other]).position)


def moving(spin: Any) -> Callable[[CollisionWorld, int, int], Any]:
    def ask(world: CollisionWorld, a: int, b: int) -> Any:
        world.set_velocity(a, (0.1, 0, 0), spin)
        world.set_velocity(b, (0, 0, 0), spin)
        return world.cycle(0.5)

    return ask


ASK: dict[str, Callable[[CollisionWorld, int, int], Any]] = {
    "touch": lambda world, *_: world.cycle(answer="touch"),
    "nearest": lambda world, *_: world.cycle(answer="point"),
    "manifold": lambda world, *_: world.cycle(answer="manifold"),
    "sweep": moving((0, 0, 0)),
    "turning": moving((1.0, 0.5, 0.2)),
}


def test_there_is_a_shape_of_each_kind() -> None:
    assert [model_of(shape).parts[0].kind for shape in SHAPES] == list(range(len(KIND_NAMES)))


@pytest.mark.compiled_only
@pytest.mark.parametrize("question", ASK)
def test_each_pair_answers_what_the_table_says(question: str) -> None:
    for kind, other in combinations_with_replacement(range(len(SHAPES)), 2):
        world, a, b = two(kind, other)
        said = cell(kind, other, question)
        if said in {ANSWERED, NOT_ASKED}:
            found = ASK[question](world, a, b).contacts
            assert len(found) == (said == ANSWERED), (kind, other)
            if said == ANSWERED and question != "touch":
                assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)
                assert np.isfinite(found.point).all()
        else:
            with pytest.raises(Unsupported, match="groups and masks"):
                ASK[question](world, a, b)


def test_the_document_has_the_table() -> None:
    assert pair_table() in DOCUMENT.read_text("utf-8"), "python -m …collision_world.pairs.catalogue"


def test_what_is_far_from_each_other_needs_no_answer() -> None:
    world = CollisionWorld()
    world.add(Ring((0, 0, 9), (0, 0, 1), 2, 0.5))
    world.add(Plane((0, 0, 0), (0, 0, 1)))
    world.add(Cylinder((20, 0, 0), (0, 0, 1), 5))
    world.add(box((1, 1, 1), (-4, 0, 2)))
    assert len(world.cycle().contacts) == 0
