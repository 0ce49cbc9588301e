"""Contact detection on whole arrays, for the equilibrium test: pairs, normals and gaps.

The engines detect contacts one by one in their kernels.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from spheresim.contact.contact_table import LastingContacts
from spheresim.numerics.arrays import Booleans, Floats, Integers, Records
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.driven_walls.moving_walls import NO_STOPPED_ROWS, StoppedRows
from spheresim.obstacles.features.ring_plug import SNUG
from spheresim.obstacles.features.surface import FeatureSurface
from spheresim.obstacles.many_points import rows_near, surface_at
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.table import Obstacles

_SIZE_CLASS = 2.0
"""Ratio of radii within which balls are in one tree of the neighbour search."""

_Kind = TypeVar("_Kind", bound=np.generic)


class Contacts(NamedTuple):
    """Contacts of balls, sorted by first, then second.

    first: (m,) index of the ball; second: (m,) index of the other ball, or −1 − k of obstacle k;
    normal: (m, 3) unit vectors towards `first`; gap: (m,) from surface to surface, negative where
    they overlap; shift: (m, 3) from the second body to its image that is touched, in a periodic
    box, or to where an obstacle has moved; snug: (m,) whether the normal is one of three across a
    tube in which the ball has no play.
    """

    first: Integers
    second: Integers
    normal: Floats
    gap: Floats
    shift: Floats
    snug: Booleans

    def of(self: tuple[np.ndarray, ...], chosen: Booleans | Integers) -> "Contacts":
        """The contacts chosen by a mask or by indices."""
        return Contacts(*(column[chosen] for column in self))

    def with_forces(self, force: Floats) -> LastingContacts:
        """The contacts with these forces, (m,)."""
        return LastingContacts(self.first, self.second, self.normal, force)


class Boundaries(NamedTuple):
    """What balls may touch.

    box: (3,), the periods of the axes, inf where space is open, or None if it is open all round;
    stopped: the obstacles with a motion that stand still; the others with a motion touch nothing.
    """

    obstacles: Obstacles
    box: Floats | None = None
    stopped: StoppedRows = NO_STOPPED_ROWS


def touching_contacts(
    position: Floats, radius: Floats, boundaries: Boundaries, balls: npt.ArrayLike, reach: float
) -> Contacts:
    """All contacts between `balls` (indices) and of them with obstacles, with gaps below a bound.

    The bound is `reach` times the radius, or the sum of two radii: so bodies are listed that may
    touch after each ball has moved by `reach` of its radius. A ball behind a plane does not touch
    it. A face or line is listed also where a ball may come over it, see `measured`.
    """
    obstacles, box, stopped = boundaries
    balls = np.sort(np.asarray(balls, dtype=np.int64))
    x, r = position[balls], radius[balls]
    first, second = _neighbours(x, r, reach, box)
    parts = [_ball_contacts(position, balls[first], balls[second], box)]
    for k in rows_near(obstacles, x, r * (1.0 + reach)):
        for shift in _image_shifts(obstacles, k, x, box):
            parts.append(_obstacle_contacts(x, r, obstacles, k, balls, reach, shift))
    for k, offset in zip(*stopped, strict=True):
        shift = np.tile(offset, (len(x), 1))
        parts.append(_obstacle_contacts(x, r, obstacles, int(k), balls, reach, shift))
    near = Contacts(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    near = measured(near.of(np.lexsort((near.second, near.first))), position, radius, obstacles)
    size = radius[near.first] + of_second(near, radius, 0.0)
    return near.of((near.second < 0) | (near.gap < reach * size))


def of_second(
    contacts: Contacts | LastingContacts | Records,
    of_balls: npt.NDArray[_Kind],
    of_obstacles: float,
) -> npt.NDArray[_Kind]:
    """A property of the second body of each contact, (m,): of a ball, or the value for
    obstacles."""
    return np.where(contacts.second >= 0, of_balls[np.maximum(contacts.second, 0)], of_obstacles)


def mask_of(indices: npt.ArrayLike, size: int) -> Booleans:
    """A mask that is True at these indices, (size,)."""
    mask = np.zeros(size, dtype=bool)
    mask[np.asarray(indices, dtype=np.int64)] = True
    return mask


def ends_of(contacts: Contacts | LastingContacts, size: int) -> Booleans:
    """A mask of the balls that take part in the contacts, (size,)."""
    return mask_of(np.concatenate([contacts.first, contacts.second[contacts.second >= 0]]), size)


def measured(
    contacts: Contacts, position: Floats, radius: Floats, obstacles: Obstacles
) -> Contacts:
    """The same contacts, with the normals and gaps of these positions.

    Beyond the end of a face or line a ball touches what is at the end instead: there the gap is the
    distance of the ball's centre, so that the contact carries nothing.
    """
    normal, gap = contacts.normal.copy(), contacts.gap.copy()
    # Ball on ball.
    pair = contacts.second >= 0
    i, j = contacts.first[pair], contacts.second[pair]
    away = position[i] - position[j] - contacts.shift[pair]
    distance = np.sqrt(np.einsum("ij,ij->i", away, away))
    normal[pair] = away / np.maximum(distance, 1e-300)[:, None]
    gap[pair] = distance - (radius[i] + radius[j])
    # Ball on obstacle.
    for k in np.unique(-1 - contacts.second[~pair]):
        shape = _shape(obstacles, k)
        at = np.flatnonzero(contacts.second == -1 - k)
        i = contacts.first[at]
        x, snug = position[i] - contacts.shift[at], contacts.snug[at]
        covers = shape.covers(x) if isinstance(shape, FeatureSurface) else True
        gap[at] = np.abs(shape.gaps(x)) - np.where(covers, radius[i], 0.0)
        normal[at] = np.where(snug[:, None], normal[at], shape.normals(x))
        # In a snug tube each normal is that of a plane that touches the ball.
        if np.any(snug):
            off = np.einsum("ij,ij->i", x - np.array(shape.point), normal[at])
            gap[at] = np.where(snug, off + (shape.radius - radius[i]), gap[at])
    return contacts._replace(normal=normal, gap=gap)


def normals_at(obstacles: Obstacles, k: Integers, x: Floats, box: Floats | None = None) -> Floats:
    """The normals (m, 3) of the obstacles k (m,) towards points x (m, 3), of nearest images."""
    normal = np.zeros_like(x)
    for kind in np.unique(k):
        at, shape = np.flatnonzero(k == kind), _shape(obstacles, int(kind))
        shift = 0.0 if box is None else _whole_periods(x[at] - np.array(shape.point), box)
        normal[at] = shape.normals(x[at] - shift)
    return normal


def _shape(obstacles: Obstacles, k: int) -> Any:
    return surface_at(obstacles, int(k))


def _ball_contacts(
    position: Floats, first: Integers, second: Integers, box: Floats | None
) -> Contacts:
    """These pairs, not measured, with the image of the second ball that is nearest to the first."""
    zero = np.zeros((len(first), 3))
    shift = zero if box is None else _whole_periods(position[first] - position[second], box)
    return Contacts(first, second, zero, zero[:, 0], shift, np.zeros(len(first), dtype=bool))


def _whole_periods(displacement: Floats, box: Floats) -> Floats:
    """The nearest whole periods to each displacement, shape (n, 3); 0 along axes that are open."""
    periodic = np.isfinite(box)
    side = np.where(periodic, box, 1.0)
    return np.where(periodic, np.round(displacement / side) * side, 0.0)


def _image_shifts(obstacles: Obstacles, k: int, x: Floats, box: Floats | None) -> Iterator[Floats]:
    """From obstacle k to its images that balls at x may touch, a shift (n, 3) for each ball."""
    shape = _shape(obstacles, k)
    if box is None or not isinstance(shape, Cylinder):
        yield np.zeros_like(x)
        return
    # Along its own axis a cylinder has no images besides itself; across, the nearest and the
    # ones beside it: pillars that touch their images may hold a ball between them.
    across = np.where(np.abs(shape.axis) < 0.5, box, np.inf)
    nearest = _whole_periods(x - np.array(shape.point), across)
    steps = [(-1.0, 0.0, 1.0) if np.isfinite(side) else (0.0,) for side in across]
    side = np.where(np.isfinite(across), across, 0.0)
    for step in np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3):
        yield nearest + step * side


def _obstacle_contacts(
    x: Floats, r: Floats, obstacles: Obstacles, k: int, balls: Integers, reach: float, shift: Floats
) -> Contacts:
    """The contacts with one image of obstacle k, not measured."""
    shape = _shape(obstacles, k)
    gap = shape.gaps(x - shift)
    front = gap > 0.0 if isinstance(shape, Plane) else True
    near = np.flatnonzero(front & (np.abs(gap) - r < reach * r))
    snug = np.zeros(len(near), dtype=bool)
    if isinstance(shape, Cylinder):
        # A ball without play in a tube is held from all around, by three contacts.
        snug = (gap[near] < 0.0) & (np.abs(shape.radius - r[near]) <= SNUG * r[near])
        near, snug = (np.repeat(column, np.where(snug, 3, 1)) for column in (near, snug))
    normal, second = np.zeros((len(near), 3)), np.full(len(near), -1 - k)
    if np.any(snug):
        normal[snug] = np.tile(_three_across(shape.axis), (snug.sum() // 3, 1))
    return Contacts(balls[near], second, normal, np.zeros(len(near)), shift[near], snug)


def _three_across(axis: TVector) -> Any:
    """Three unit vectors at 120° to each other, at right angles to an axis, shape (3, 3)."""
    u = np.array(axis.perpendicular())
    v = np.cross(np.array(axis), u)
    angle = np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
    return np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * v


def _neighbours(
    x: Floats, r: Floats, reach: float, box: Floats | None
) -> tuple[Integers, Integers]:
    """Pairs first < second of balls that may touch, by trees of balls of about the same size."""
    from scipy.spatial import cKDTree

    if len(r) < 2:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    # Balls in classes of size; a tree wants periodic coordinates from 0 to the period.
    size = np.floor(np.log(r / r.min()) / np.log(_SIZE_CLASS)).astype(np.int64)
    members = [np.flatnonzero(size == c) for c in np.unique(size)]
    side = None if box is None else np.where(np.isfinite(box), box, 0.0)
    if side is not None:
        x = np.where(side > 0.0, np.mod(x, np.where(side > 0.0, side, 1.0)), x)
        x = np.where((side > 0.0) & (x >= side), 0.0, x)
    trees = [cKDTree(x[balls], boxsize=side) for balls in members]
    # Pairs within a class, and between two classes.
    pairs = []
    for b, larger in enumerate(members):
        for a, smaller in enumerate(members[: b + 1]):
            within = (r[larger].max() + r[smaller].max()) * (1.0 + reach)
            if a == b:
                i, j = trees[b].query_pairs(within, output_type="ndarray").T
            else:
                found = trees[b].sparse_distance_matrix(trees[a], within, output_type="ndarray")
                i, j = found["i"], found["j"]
            pairs.append(np.stack([larger[i], smaller[j]]))
    i, j = np.concatenate(pairs, axis=1)
    return np.minimum(i, j), np.maximum(i, j)
