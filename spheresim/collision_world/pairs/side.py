"""One side of many pairs of parts, the questions about them, and the answers.

Signs, as everywhere: a normal is a unit vector from b towards a; a gap is negative where the two
overlap, and its opposite is the depth.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.collision_world.parts import SPHERE
from spheresim.convex.body import Bodies
from spheresim.convex.geometry.layout import HEADER
from spheresim.convex.geometry.posed_body import PosedBodies
from spheresim.convex.query_result import SweepResult
from spheresim.convex.time_of_impact import TimeOfImpact
from spheresim.numerics.arrays import Booleans, Floats, Integers


class Side(NamedTuple):
    """One side of m pairs.

    geometry: of all bodies; poses: (m, 13), see `convex.geometry.layout`; motions: velocity and
    spin, (m, 2, 3); kind: (m,), a triangle of a mesh counts as a convex body; solids: (m,), the
    shapes, in their own frames, of parts that are no bodies; row: of the parts, (m,); piece: the
    triangle of a mesh, −1 for other parts, (m,).
    """

    geometry: Floats
    poses: Floats
    motions: Floats
    kind: Integers
    solids: npt.NDArray[np.object_]
    row: Integers
    piece: Integers

    def taken(self, which: Integers) -> "Side":
        """The side of the pairs with some indices."""
        geometry, *columns = self
        return Side._make([geometry, *(column[which] for column in columns)])

    @property
    def bodies(self) -> Bodies:
        """The bodies of this side."""
        return Bodies(*self.posed)

    @property
    def posed(self) -> PosedBodies:
        """The bodies of this side, as kernels take them."""
        return PosedBodies(self.geometry, np.ascontiguousarray(self.poses))

    @property
    def positions(self) -> Floats:
        """Where the parts' origins lie, (m, 3)."""
        return self.poses[:, 1:4]

    @property
    def rotations(self) -> Floats:
        """How they are turned, (m, 3, 3)."""
        return self.poses[:, 4:].reshape(-1, 3, 3)

    @property
    def velocities(self) -> Floats:
        """Of the parts' origins, (m, 3)."""
        return self.motions[:, 0]

    @property
    def turning(self) -> Floats:
        """The spins, (m, 3); 0 for spheres about their own centres, which a spin does not move."""
        first_points = self.geometry[self.poses[:, 0].astype(np.int64) + HEADER]
        centred = (self.kind == SPHERE) & ~first_points.any(axis=1)
        return np.where(centred[:, None], 0.0, self.motions[:, 1])

    @property
    def radii(self) -> Floats:
        """The radii by which the bodies' cores are rounded, (m,)."""
        return self.geometry[self.poses[:, 0].astype(np.int64) + 1, 0]

    @property
    def reaches(self) -> Floats:
        """An upper bound on the distance of any point of a body from its origin, (m,)."""
        starts = self.poses[:, 0].astype(np.int64)
        middles = np.linalg.norm(self.geometry[starts + 3], axis=1)
        return middles + self.geometry[starts + 4, 0] + self.radii

    def to_world(self, vectors: Floats) -> Floats:
        """Directions of the parts' own frames, (m, 3) or one for all, in the world."""
        return np.einsum("kij,kj->ki", self.rotations, np.broadcast_to(vectors, (len(self.row), 3)))

    def to_own(self, vectors: Floats) -> Floats:
        """Directions of the world, (m, 3), in the parts' own frames."""
        return np.einsum("kji,kj->ki", self.rotations, vectors)


def seen_from(a: Side, b: Side, middles: Floats) -> Floats:
    """The poses of a's bodies, (m, 13), in frames with the axes of b's parts.

    middles: origins of these frames in the world, (m, 3).
    """
    poses = a.poses.copy()
    poses[:, 1:4] = b.to_own(a.positions - middles)
    poses[:, 4:] = np.einsum("kji,kjl->kil", b.rotations, a.rotations).reshape(-1, 9)
    return poses


def corners_of(geometry: Floats, pose: Floats) -> Floats:
    """The corners of a body, (n, 3)."""
    start = int(pose[0])
    points = geometry[start + HEADER : start + HEADER + int(geometry[start, 0])]
    return points @ pose[4:].reshape(3, 3).T + pose[1:4]


class Nearest(NamedTuple):
    """Gap (m,); normal, and the nearest or deepest points of both, (m, 3) each."""

    gap: Floats
    normal: Floats
    point_a: Floats
    point_b: Floats

    def swapped(self) -> "Nearest":
        """The same answer with the sides exchanged."""
        return Nearest(self.gap, 0.0 - self.normal, self.point_b, self.point_a)

    def taken(self, which: Integers) -> "Nearest":
        """The answers for some of the pairs."""
        return Nearest(*(column[which] for column in self))


class Points(NamedTuple):
    """k points of contact: the number of the pair of each, (k,); the point midway between the
    surfaces and the normal, (k, 3); the depth, (k,)."""

    pair: Integers
    point: Floats
    normal: Floats
    depth: Floats

    def swapped(self) -> "Points":
        """The same answer with the sides exchanged."""
        return self._replace(normal=0.0 - self.normal)

    def taken(self, which: np.ndarray | slice) -> "Points":
        """Some of the points, by their indices, by a mask, or by a slice."""
        return Points(self.pair[which], self.point[which], self.normal[which], self.depth[which])


class Impact(NamedTuple):
    """The time of first touch, inf if there is none, (m,); normal and point then, (m, 3), zeros if
    there is none."""

    toi: Floats
    normal: Floats
    point: Floats

    def swapped(self) -> "Impact":
        """The same answer with the sides exchanged."""
        return self._replace(normal=0.0 - self.normal)


def sorted_by_pair(parts: Sequence[Points]) -> Points:
    """The points of several parts together, in the order of the pairs."""
    joined = Points(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return joined.taken(np.argsort(joined.pair, kind="stable"))


def no_points() -> Points:
    """No points of contact."""
    return Points(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))


def points_of(nearest: Nearest) -> Points:
    """One point of contact for each pair: midway between the two nearest."""
    every = np.arange(len(nearest.gap))
    middle = 0.5 * (nearest.point_a + nearest.point_b)
    return Points(every, middle, nearest.normal, 0.0 - nearest.gap)


def written_points(write: Callable[..., int], capacity: int, *given: object) -> Points:
    """The points of contact that a kernel writes.

    write: takes what is given, and `Points` to write into; returns how many there are, of which it
    writes only as many as there is room for. Then it is called again with more room.
    """
    while True:
        normal, point = np.empty((2, capacity, 3))
        found = Points(np.empty(capacity, np.int64), point, normal, np.empty(capacity))
        count = write(*given, found)
        if count <= capacity:
            return found.taken(slice(count))
        capacity = count


def deepest_points(nearest: Nearest) -> Points:
    """One point of contact for each pair that touches."""
    found = points_of(nearest)
    return found.taken(np.flatnonzero(found.depth >= 0.0))


class PairAnswers(NamedTuple):
    """The functions that answer the questions about a pair of kinds, of many such pairs at once.

    touch(a, b): which pairs have a point in common, (m,) bool; nearest(a, b): a `Nearest`;
    manifold(a, b): `Points`; sweep(a, b, dt, tolerance): an `Impact`; turning: whether `sweep`
    takes spins.
    """

    touch: Callable[[Side, Side], Booleans]
    nearest: Callable[[Side, Side], Nearest]
    manifold: Callable[[Side, Side], Points]
    sweep: Callable[[Side, Side, float, float], Impact]
    turning: bool = False


def answers_by_nearest(
    nearest: Callable[[Side, Side], Nearest], sweep: Callable[[Side, Side, float, float], Impact]
) -> PairAnswers:
    """Answers for kinds that touch where the gap is not positive, in their deepest point alone."""
    return PairAnswers(
        lambda a, b: nearest(a, b).gap <= 0.0,
        nearest,
        lambda a, b: deepest_points(nearest(a, b)),
        sweep,
    )


def warn_of_unfinished(count: int) -> None:
    """Say that some searches by conservative advancement ended before their time."""
    if count:
        pairs = "1 pair of parts" if count == 1 else f"{count} pairs of parts"
        warnings.warn(
            f"{pairs} turned too fast near each other to be searched for contacts to the end; none "
            "was found: a shorter time or a larger tolerance of the world helps",
            stacklevel=2,
        )


def impacts_within(found: TimeOfImpact, dt: float) -> Booleans:
    """Which pairs meet within a time: what a search that ended before it found is no impact."""
    warn_of_unfinished(int((~found.finished).sum()))
    return np.asarray(found.finished & (found.toi <= dt))


def write_start(answer: Impact, chosen: Integers, now: Nearest) -> None:
    """Write that some pairs touch at the start; now: where these are nearest."""
    answer.toi[chosen], answer.normal[chosen] = 0.0, now.normal
    answer.point[chosen] = points_of(now).point


def write_hits(
    answer: Impact,
    chosen: Integers,
    hits: Booleans,
    times: Floats,
    found: SweepResult | TimeOfImpact,
) -> None:
    """Write times, normals and points of those of the chosen pairs that meet."""
    rows = chosen[hits]
    answer.toi[rows], answer.normal[rows] = times[hits], found.normal[hits]
    answer.point[rows] = found.contact[hits]


def impacts(count: int) -> Impact:
    """The answer for pairs that never touch, to be filled in."""
    return Impact(np.full(count, np.inf), np.zeros((count, 3)), np.zeros((count, 3)))
