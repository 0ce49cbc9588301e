"""A collision world that is plainly right: dictionaries, every pair, one question at a time."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from spheresim import Plane
from spheresim.convex import Body, bodies_overlap


class Thing(NamedTuple):
    """A plane, or bodies in their own frame; where it is, and whom it meets."""

    shape: Any
    position: Any
    rotation: Any
    group: int
    mask: int

    @property
    def bodies(self) -> list[Body]:
        """The bodies where they are."""
        return [body.at(self.position, self.rotation) for body in self.shape]


def touch(a: Thing, b: Thing) -> bool:
    """Whether two things have a point in common; planes have none with each other."""
    if isinstance(a.shape, Plane):
        a, b = b, a
    if isinstance(a.shape, Plane):
        return False
    if not isinstance(b.shape, Plane):
        return any(bodies_overlap(one, two) for one in a.bodies for two in b.bodies)
    normal = b.rotation @ b.shape.normal
    return any(
        ((body.world_points - b.position) @ normal).min() <= body.radius for body in a.bodies
    )


class SlowWorld:
    """Things by their handles, and the pairs that have begun to touch."""

    def __init__(self) -> None:
        self.things: dict[int, Thing] = {}
        self.open: set[tuple[int, int]] = set()

    def touching(self) -> list[tuple[int, int]]:
        """All pairs that touch, sorted."""
        handles = sorted(self.things)
        return [
            (a, b)
            for i, a in enumerate(handles)
            for b in handles[i + 1 :]
            if self._meet(self.things[a], self.things[b])
        ]

    def _meet(self, a: Thing, b: Thing) -> bool:
        return bool(a.group & b.mask and b.group & a.mask) and touch(a, b)

    def events(self) -> Iterator[tuple[str, int, int]]:
        """What a cycle tells, one after the other; things may be changed in between."""
        now = self.touching()
        for pair in sorted(self.open - set(now)):
            self.open.remove(pair)
            yield ("end", *pair)
        for pair in now:
            if pair[0] in self.things and pair[1] in self.things:
                kind = "stay" if pair in self.open else "begin"
                self.open.add(pair)
                yield (kind, *pair)
