"""A cycle, phase by phase: which shapes may touch, which of their parts may, and which do.

broad     pairs of shapes that a broad phase proposes (`spheresim.broadphase`)
boxes     the proposed pairs whose boxes meet; its time is counted with the broad phase
filter    the pairs left whose groups and masks let them meet
mid       pairs of parts, and of triangles, whose boxes meet
narrow    pairs of parts that touch, and where
events    contacts that have begun, stay and have ended
"""

import time
from typing import NamedTuple

import numpy as np

from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.collision_world.contacts import Contacts
from spheresim.collision_world.pairs import dispatch
from spheresim.collision_world.pairs.side import Points, Side, no_points, points_of, sorted_by_pair
from spheresim.collision_world.pieces import PiecePairs, piece_pairs
from spheresim.collision_world.shapes import Shapes
from spheresim.numerics.arrays import Booleans, Floats, Integers

ANSWERS = ("touch", "point", "manifold")
"""How much a cycle finds: whether two shapes touch; the deepest point of each pair of parts; all
points of contact."""


class Phase(NamedTuple):
    """One step of a cycle: its name, how many pairs it left, and the seconds that it took."""

    name: str
    pairs: int
    seconds: float


class Cycle(NamedTuple):
    """The outcome of a cycle.

    phases: in order; contacts: all that exist now; begun, stayed: their indices; ended: pairs of
    handles, (n, 2).
    """

    phases: tuple[Phase, ...]
    contacts: Contacts
    begun: Integers
    stayed: Integers
    ended: Integers

    def __repr__(self) -> str:
        lines = [f"{'phase':<8}{'pairs':>10}{'ms':>10}"]
        lines += [f"{p.name:<8}{p.pairs:>10}{p.seconds * 1e3:>10.3f}" for p in self.phases]
        return "\n".join(lines)


class Stopwatch:
    """Times phases one after the other."""

    def __init__(self) -> None:
        self.phases: list[Phase] = []
        self._last = time.perf_counter()

    def lap(self, name: str, pairs: int) -> None:
        """End a phase: note its name, how many pairs it left, and its time."""
        now = time.perf_counter()
        self.phases.append(Phase(name, pairs, now - self._last))
        self._last = now


def broad(shapes: Shapes, phase: BroadPhase) -> tuple[Integers, Integers]:
    """Pairs of slots whose boxes meet, (m,) each, the lower slot first."""
    slots = shapes.used_slots
    low, high = shapes.boxes(slots)
    phase.update_rows(np.concatenate([low, high], axis=1))
    pairs = phase.pairs()
    return slots[pairs[:, 0]], slots[pairs[:, 1]]


def let_meet(shapes: Shapes, a: Integers, b: Integers) -> Booleans:
    """Which pairs of slots may meet by their groups and masks, (m,) bool."""
    one = shapes.group[a] & shapes.mask[b]
    return (one != 0) & ((shapes.group[b] & shapes.mask[a]) != 0)


class Touching(NamedTuple):
    """Pairs of parts that touch: their indices among all pairs, times of first touch, points."""

    which: Integers
    time: Floats
    points: Points


def narrow(shapes: Shapes, pairs: PiecePairs, answer: str, dt: float, tolerance: float) -> Touching:
    """The pairs of parts that touch, at any time in the step."""
    a, b = pairs.sides(shapes, shapes)
    if dt == 0.0:
        which = np.flatnonzero(dispatch.touch(a, b))
        points = _points(a.taken(which), b.taken(which), answer)
        return Touching(which, np.zeros(len(which)), points)
    found = dispatch.sweep(a, b, dt, tolerance)
    which = np.flatnonzero(found.toi <= dt)
    at_start = found.toi[which] == 0.0
    old, new = np.flatnonzero(at_start), np.flatnonzero(~at_start)
    points = _points(a.taken(which[old]), b.taken(which[old]), answer)
    points = points._replace(pair=old[points.pair])
    if answer != "touch":
        met = which[new]
        later = Points(new, found.point[met], found.normal[met], np.zeros(len(new)))
        points = sorted_by_pair([points, later])
    return Touching(which, found.toi[which], points)


def _points(a: Side, b: Side, answer: str) -> Points:
    """The points of contact of pairs that touch."""
    if answer == "manifold":
        return dispatch.manifold(a, b)
    if answer == "point":
        return points_of(dispatch.nearest(a, b))
    return no_points()


def contacts_of(
    shapes: Shapes, a: Integers, b: Integers, pairs: PiecePairs, found: Touching
) -> Contacts:
    """Contacts of shapes, sorted by handles, from touching parts of the pairs of slots (a, b)."""
    of_pair = pairs.pair[found.which]
    distinct, index = np.unique(of_pair, return_inverse=True)
    first = np.full(len(distinct), np.inf)
    np.minimum.at(first, index, found.time)
    one, two = shapes.slots.handle_of(a[distinct]), shapes.slots.handle_of(b[distinct])
    swapped = one > two
    lower, upper = np.where(swapped, two, one), np.where(swapped, one, two)
    order = np.lexsort((upper, lower))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    # Of a contact's points those of the parts that touch first; the normal from b towards a.
    early = found.time[found.points.pair] <= first[index[found.points.pair]]
    points = found.points.taken(early)
    contact = index[points.pair]
    # Which triangles of meshes they are of, a's first.
    which = found.which[points.pair]
    triangle = np.column_stack([pairs.piece_a[which], pairs.piece_b[which]])
    triangle[swapped[contact]] = triangle[swapped[contact]][:, ::-1]
    normal = np.where(swapped[contact, None], 0.0 - points.normal, points.normal)
    contact = place[contact]
    rows = np.argsort(contact, kind="stable")
    ordered = Points(contact[rows], points.point[rows], normal[rows], points.depth[rows])
    return Contacts(lower[order], upper[order], first[order], ordered, triangle[rows])


def run_phases(
    shapes: Shapes, phase: BroadPhase, answer: str, dt: float, tolerance: float
) -> tuple[Contacts, Stopwatch]:
    """Run all phases except the events."""
    watch = Stopwatch()
    shapes.bound(dt)
    a, b = broad(shapes, phase)
    watch.lap("broad", phase.counts.proposed)
    watch.lap("boxes", len(a))
    kept = np.flatnonzero(let_meet(shapes, a, b))
    a, b = a[kept], b[kept]
    watch.lap("filter", len(a))
    pairs = piece_pairs(shapes, a, shapes, b, dt)
    watch.lap("mid", len(pairs.pair))
    found = narrow(shapes, pairs, answer, dt, tolerance)
    contacts = contacts_of(shapes, a, b, pairs, found)
    watch.lap("narrow", len(found.which))
    return contacts, watch
