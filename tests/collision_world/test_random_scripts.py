"""Random scripts, in and between callbacks, against a world that asks about every pair."""

from typing import Any

import numpy as np
import pytest
from slow_world import SlowWorld, Thing

from spheresim import CollisionWorld, Plane
from spheresim.collision_world import StaleHandle
from spheresim.convex import box, capsule, hull, rotation_about, sphere

SHAPES = [
    [sphere(0.7)],
    [box((0.6, 0.3, 0.5))],
    [capsule((-0.5, 0, 0), (0.5, 0, 0), 0.3)],
    [hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], radius=0.1)],
    [hull([(-0.6, 0, 0), (0.5, -0.4, 0), (0.5, 0.7, 0)])],
    [hull([(-0.5, 0.1, 0)], radius=0.4), hull([(0.6, 0, 0), (0.2, 0.4, 0.3)], radius=0.3)],
    Plane((0, 0, 0), (0, 0.6, 0.8)),
]
MOST = 12


class Script:
    """The same operations on both worlds; what one tells is compared with what the other does."""

    def __init__(self, seed: int, broad: str) -> None:
        self.random = np.random.default_rng(seed)
        self.world, self.slow = CollisionWorld(broad=broad), SlowWorld()
        self.gone: list[int] = []
        self.operations = 0
        self.expected: Any = iter(())
        for kind in ("begin", "stay", "end"):
            setattr(self.world, f"on_{kind}", lambda contact, kind=kind: self.hear(kind, contact))

    def hear(self, kind: str, contact: Any) -> None:
        assert next(self.expected) == (kind, contact.a, contact.b)
        if self.random.random() < 0.15:
            self.change()

    def change(self) -> None:
        self.operations += 1
        chance, things = self.random.random(), self.slow.things
        if len(things) < 3 or (chance < 0.2 and len(things) < MOST):
            self.add()
        elif chance < 0.4:
            handle = self.pick()
            self.world.remove(handle)
            del things[handle]
            self.gone.append(handle)
        elif chance < 0.8:
            handle, where = self.pick(), self.random.uniform(-1.5, 1.5, 3)
            self.world.move(handle, where)
            things[handle] = things[handle]._replace(position=where)
        elif chance < 0.98:
            handle, turn = self.pick(), self.rotation()
            self.world.turn(handle, turn)
            things[handle] = things[handle]._replace(rotation=turn)
        elif self.gone:
            with pytest.raises(StaleHandle):
                self.world.move(int(self.random.choice(self.gone)), (0, 0, 0))

    def add(self) -> None:
        shape = SHAPES[self.random.integers(len(SHAPES))]
        where, turn = self.random.uniform(-1.5, 1.5, 3), self.rotation()
        group, mask = (int(bits) for bits in self.random.choice([1, 2, 3], 2))
        mask |= int(self.random.choice([0, 3]))
        handle = self.world.add(shape, where, turn, group, mask)
        assert handle not in self.slow.things
        assert handle not in self.gone
        self.slow.things[handle] = Thing(shape, where, turn, group, mask)

    def rotation(self) -> Any:
        return rotation_about(self.random.normal(size=3), self.random.uniform(0, 6))

    def pick(self) -> int:
        return int(self.random.choice(sorted(self.slow.things)))

    def cycle(self) -> None:
        self.operations += 1
        touching, self.expected = self.slow.touching(), self.slow.events()
        found = self.world.cycle(answer="touch")
        assert next(self.expected, None) is None
        assert [tuple(pair) for pair in found.contacts.pairs.tolist()] == touching


def run(seed: int, operations: int, broad: str) -> None:
    script = Script(seed, broad)
    while script.operations < operations:
        for _ in range(script.random.integers(4)):
            script.change()
        script.cycle()
    assert len(script.gone) > operations // 20
    assert sorted(script.world.handles.tolist()) == sorted(script.slow.things)


@pytest.mark.cases(1)
@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("broad", "operations"),
    [
        ("auto", 1000),
        ("sweep_and_prune", 1000),
        ("bvh", 1000),
        pytest.param("auto", 1_000_000, marks=pytest.mark.study),
    ],
)
def test_a_script_of_operations_finds_no_difference(broad: str, operations: int) -> None:
    run(7, operations, broad)
