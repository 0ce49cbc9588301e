"""One convex body among a world's parts, in one call: what it overlaps, is nearest to, or meets.

The answers are those of `queries`, which works on whole arrays and takes some hundred microseconds
for a single body. Here one kernel descends the tree to the parts that are bodies, and looks at
planes one by one. Where a part of another kind comes near enough to matter, the answer is ASK_ALL:
the question then goes to `queries`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.aabb_tree.search import (
    STACK,
    Nodes,
    apart_sqr,
    next_leaf_met,
    next_nearest_leaf,
    next_overlapping_leaf,
    start_at_root,
)
from spheresim.collision_world.bounds import body_box
from spheresim.collision_world.pairs.planes import lowest_point
from spheresim.collision_world.parts import CONVEX, Given, PartArrays, model_of
from spheresim.collision_world.queries import WorldSnapshot
from spheresim.collision_world.shapes import Shapes
from spheresim.compiler.decorators import for_types_of, inlined, kernel, routine
from spheresim.convex.body import Body
from spheresim.convex.coordinates import checked_vector
from spheresim.convex.distance import Contact, contact_of
from spheresim.convex.epa.polytope import empty_polytope
from spheresim.convex.geometry.layout import pose_row
from spheresim.convex.geometry.posed_body import PosedBodies, PosedBody, difference_of, posed_body
from spheresim.convex.geometry.rotation import rotation_matrix
from spheresim.convex.gjk.search import LIMIT, closest
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.convex.overlap import overlap_in
from spheresim.convex.pair_query import Scratch
from spheresim.convex.query_result import SweepResult, without_minus_zero
from spheresim.convex.swept_sat import SweptSatResult, swept_sat_answer
from spheresim.convex.swept_sphere import swept_sphere_answer
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.plane import Plane

NONE, ASK_ALL = -1, -2
"""In place of a part: there is none; the question has to go to `queries`."""

_SLACK = 2.0**-40
"""Margin of boxes relative to their coordinates: boxes nearer than this may touch."""


class Buffers(NamedTuple):
    """Working memory of one question.

    stack: of nodes; scratch: for pairs of bodies; swept, swept_sat: one record each.
    """

    stack: Integers
    scratch: Scratch
    swept: np.ndarray
    swept_sat: np.ndarray


def new_buffers() -> Buffers:
    """Buffers for one question at a time."""
    scratch = Scratch(np.empty((2, CORNERS, COLUMNS)), empty_polytope(0))
    records = np.zeros(1, SweepResult.dtype), np.zeros(1, SweptSatResult.dtype)
    return Buffers(np.empty(STACK, np.int64), scratch, *records)


class World(NamedTuple):
    """The parts of a world: all of them; the nodes of a tree of the bounded ones, none if there are
    no such parts; the rows of those that are planes, (p,)."""

    nodes: Nodes
    parts: PartArrays
    planes: Integers


@routine
def _rounded_box(body: PosedBody) -> Bounds:
    """A body's box, larger by what may be rounded."""
    low, high = body_box(body)
    slack = TVector(
        _SLACK * max(abs(low.x), abs(high.x)),
        _SLACK * max(abs(low.y), abs(high.y)),
        _SLACK * max(abs(low.z), abs(high.z)),
    )
    return Bounds(low - slack, high + slack)


@inlined
def _is_asked(parts: PartArrays, row: int, mask: int) -> bool:
    return bool(parts.group[parts.owner[row]] & mask != 0)


@inlined
def _is_less(parts: PartArrays, value: float, least: float, row: int, other: int) -> bool:
    """Whether a part's value is the least so far; `other`: the part of the least so far, or NONE.

    Of equal values that of the lower slot counts, and within a slot that of the lower part.
    """
    if value != least:
        return value < least
    if other < 0 or parts.owner[row] != parts.owner[other]:
        return other < 0 or bool(parts.owner[row] < parts.owner[other])
    return row < other


@routine
def _plane_of(parts: PartArrays, row: int) -> Plane:
    """A part that is a plane, in the world."""
    there = posed_body(parts.geometry, parts.poses, row)
    x, y, z = there.row_x, there.row_y, there.row_z
    point = TVector(parts.own[row, 0], parts.own[row, 1], parts.own[row, 2])
    normal = TVector(parts.own[row, 3], parts.own[row, 4], parts.own[row, 5])
    turned = TVector(x.dot(normal), y.dot(normal), z.dot(normal))
    return Plane(there.position + TVector(x.dot(point), y.dot(point), z.dot(point)), turned)


@inlined
def _gap_to(body: PosedBody, plane: Plane) -> float:
    """The gap of a body over a plane, negative if a part of the body is behind it."""
    return plane.gap(lowest_point(body, plane)) - body.radius


@inlined
def _contact(body: PosedBody, other: PosedBody, scratch: Scratch) -> Contact:
    """Gap, normal and nearest points of two bodies, as `gjk` finds them."""
    scratch.simplices[0, 0, INDEX_A] = -1.0
    return contact_of(difference_of(body, other), scratch, 0, 1, LIMIT)


@kernel
def overlapping_parts(
    world: World,
    asked: PosedBodies,
    mask: int,
    buffers: Buffers,
    found: Integers,
) -> int:
    """Write the parts that have a point in common with a body; returns their number, or ASK_ALL.

    Only as many are written as `found` has room for.
    """
    nodes, parts, planes = world
    body, count = posed_body(asked.geometry, asked.poses, 0), 0
    box, stack = _rounded_box(body), buffers.stack
    waiting = start_at_root(nodes, stack)
    while True:
        leaf, waiting = next_overlapping_leaf(nodes, box, stack, waiting)
        if leaf < 0:
            break
        row = nodes.link[leaf, 0]
        if not _is_asked(parts, row, mask):
            continue
        if parts.kind[row] > CONVEX:
            return ASK_ALL
        other = posed_body(parts.geometry, parts.poses, row)
        if overlap_in(difference_of(body, other), buffers.scratch.simplices):
            if count < len(found):
                found[count] = row
            count += 1
    for k in range(len(planes)):
        if _is_asked(parts, planes[k], mask):
            plane = _plane_of(parts, planes[k])
            if _gap_to(body, plane) <= 0.0:
                if count < len(found):
                    found[count] = planes[k]
                count += 1
    return count


@kernel
def nearest_part(
    world: World,
    asked: PosedBodies,
    mask: int,
    within: float,
    buffers: Buffers,
    answer: Floats,
) -> int:
    """The part nearest to a body with a gap up to `within`; NONE, or ASK_ALL.

    answer: of the nearest, where its gap, normal and points are written, (4, 3).
    """
    nodes, parts, planes = world
    body, scratch = posed_body(asked.geometry, asked.poses, 0), buffers.scratch
    best, nearest, others = within, NONE, math.inf
    for k in range(len(planes)):
        if _is_asked(parts, planes[k], mask):
            plane = _plane_of(parts, planes[k])
            gap = _gap_to(body, plane)
            if _is_less(parts, gap, best, planes[k], nearest):
                best, nearest = gap, planes[k]
    box, stack = _rounded_box(body), buffers.stack
    waiting = start_at_root(nodes, stack)
    while True:
        bound = max(best, 0.0) * (1.0 + _SLACK)
        leaf, waiting = next_nearest_leaf(nodes, box, bound * bound, stack, waiting)
        if leaf < 0:
            break
        row = nodes.link[leaf, 0]
        if not _is_asked(parts, row, mask):
            continue
        if parts.kind[row] > CONVEX:
            apart = math.sqrt(apart_sqr(nodes.boxes, leaf, box))
            others = min(others, apart)
            continue
        other = posed_body(parts.geometry, parts.poses, row)
        scratch.simplices[0, 0, INDEX_A] = -1.0
        enough = best + body.radius + other.radius
        core = closest(difference_of(body, other), scratch.simplices, 0, LIMIT, enough)
        if not core.overlapping and core.point.mag() > enough * (1.0 + _SLACK):
            continue
        gap = _contact(body, other, scratch).separation
        if _is_less(parts, gap, best, row, nearest):
            best, nearest = gap, row
    if others <= max(best, 0.0) * (1.0 + _SLACK):
        return ASK_ALL
    if nearest >= 0:
        _write_nearest(parts, nearest, body, scratch, answer)
    return nearest


@routine
def _write_nearest(
    parts: PartArrays, row: int, body: PosedBody, scratch: Scratch, answer: Floats
) -> None:
    """Write gap, normal and both points of a body and a part."""
    if parts.kind[row] <= CONVEX:
        found = _contact(body, posed_body(parts.geometry, parts.poses, row), scratch)
        answer[0, 0] = found.separation + 0.0
        set_vector(answer, 1, without_minus_zero(found.normal))
        set_vector(answer, 2, found.point_a + body.position)
        set_vector(answer, 3, found.point_b + body.position)
        return
    plane = _plane_of(parts, row)
    core = lowest_point(body, plane)
    gap = plane.gap(core) - body.radius
    deepest = core - plane.normal * body.radius
    answer[0, 0] = gap
    set_vector(answer, 1, plane.normal)
    set_vector(answer, 2, deepest)
    set_vector(answer, 3, deepest - plane.normal * gap)


@kernel
def first_part_met(
    world: World,
    asked: PosedBodies,
    velocities: Floats,
    until: float,
    mask: int,
    buffers: Buffers,
    answer: Floats,
) -> int:
    """The part that a body first meets as it moves without turning; NONE, or ASK_ALL.

    velocities: of the body, and of all else, zeros, (2, 1, 3); answer: where the time, the normal
    and the point are written, (3, 3).
    """
    nodes, parts, planes = world
    body, velocity = posed_body(asked.geometry, asked.poses, 0), vector_at(velocities[0], 0)
    best, met = math.inf, NONE
    for k in range(len(planes)):
        if _is_asked(parts, planes[k], mask):
            plane = _plane_of(parts, planes[k])
            gap = _gap_to(body, plane)
            closing = -plane.normal.dot(velocity)
            time = 0.0 if gap <= 0.0 else (gap / closing if closing > 0.0 else math.inf)
            if time <= until and _is_less(parts, time, best, planes[k], met):
                best, met = time, planes[k]
                lowest = lowest_point(body, plane) - plane.normal * body.radius
                answer[0, 0] = time
                set_vector(answer, 1, plane.normal)
                set_vector(answer, 2, lowest + velocity * time)
    box, stack = _rounded_box(body), buffers.stack
    waiting = start_at_root(nodes, stack)
    while True:
        bound = min(best, until)
        leaf, waiting = next_leaf_met(nodes, box, velocity, bound, stack, waiting)
        if leaf < 0:
            break
        row = nodes.link[leaf, 0]
        if not _is_asked(parts, row, mask):
            continue
        if parts.kind[row] > CONVEX:
            return ASK_ALL
        other = posed_body(parts.geometry, parts.poses, row)
        time = _meet(body, other, velocities, buffers)
        if time == -1.0:
            return ASK_ALL
        if time <= until and _is_less(parts, time, best, row, met):
            best, met = time, row
            _write_met(body, other, time, buffers, answer)
    return met


@routine
def _meet(body: PosedBody, other: PosedBody, velocities: Floats, buffers: Buffers) -> float:
    """When a moving body meets one that stands still; inf if never.

    −1 where only conservative advancement can tell. See `pairs.bodies.sweep`.
    """
    pair, scratch = difference_of(body, other), buffers.scratch
    if overlap_in(pair, scratch.simplices):
        return 0.0
    enter, leave = math.inf, -math.inf
    if body.normals - body.points == 1 or other.normals - other.points == 1:
        swept_sphere_answer(pair, 0, scratch, (velocities[0], velocities[1]), buffers.swept)
        enter, leave = buffers.swept[0]["enter"], buffers.swept[0]["leave"]
    elif body.radius + other.radius == 0.0 and (body.solid or other.solid):
        swept_sat_answer(pair, 0, scratch, (velocities[0], velocities[1]), buffers.swept_sat)
        enter, leave = buffers.swept_sat[0]["enter"], buffers.swept_sat[0]["leave"]
    else:
        return -1.0
    if enter < 0.0:  # what began before, by rounding, touches at the start
        return 0.0 if leave >= 0.0 else math.inf
    return float(enter)


@routine
def _write_met(
    body: PosedBody, other: PosedBody, time: float, buffers: Buffers, answer: Floats
) -> None:
    """Write the time, normal and point of an impact that `_meet` has just found."""
    answer[0, 0] = time
    if time == 0.0:
        found = _contact(body, other, buffers.scratch)
        set_vector(answer, 1, without_minus_zero(found.normal))
        middle = (found.point_a + body.position + found.point_b + body.position) * 0.5
        set_vector(answer, 2, middle)
    elif body.normals - body.points == 1 or other.normals - other.points == 1:
        for axis in range(3):
            answer[1, axis] = buffers.swept[0]["normal"][axis]
            answer[2, axis] = buffers.swept[0]["contact"][axis]
    else:
        for axis in range(3):
            answer[1, axis] = buffers.swept_sat[0]["normal"][axis]
            answer[2, axis] = buffers.swept_sat[0]["contact"][axis]


def placed_body(
    shape: Given, position: npt.ArrayLike | None, rotation: npt.ArrayLike | None
) -> PosedBodies | None:
    """A shape as a body at a position with a rotation; None if it is not a single convex body.

    Without a position or rotation, the shape's own. TypeError or ValueError for what is no shape,
    position or rotation.
    """
    if type(shape) is Body and shape.dimension == 3:
        geometry, own, turn = shape.geometry, shape.poses[0, 1:4], shape.rotation
    else:
        model = model_of(shape)
        part = model.parts[0]
        if len(model.parts) > 1 or part.kind > CONVEX:
            return None
        geometry, own, turn = part.solid.geometry, model.position, model.rotation
    where = checked_vector(own if position is None else position, 3)
    turn = rotation_matrix(turn if rotation is None else rotation, 3)
    return PosedBodies(geometry, pose_row(where, turn))


class SingleBodyQueries:
    """Questions about one convex body in a world.

    An answer is None where the question has to go to `queries`: if an infinite cylinder is among
    the shapes, or a mesh or other surface is near.
    """

    def __init__(self, shapes: Shapes, snapshot: WorldSnapshot) -> None:
        self._shapes, self._snapshot = shapes, snapshot
        self._buffers, self._rows = new_buffers(), 0
        self._kernels: dict[Callable[..., int], Callable[..., int]] = {}
        self.follow()

    def __getstate__(self) -> dict[str, Any]:
        """All but the compiled kernels, which cannot be pickled: a copy looks them up again."""
        return {**vars(self), "_kernels": {}}

    def follow(self) -> None:
        """Take note that shapes have been added, moved or removed; the tree is up to date."""
        snapshot = self._snapshot
        self._world = World(snapshot.tree.nodes, self._shapes.arrays, snapshot.planes)

    def _ask(self, question: Callable[..., int], body: PosedBodies, *given: object) -> int:
        """The answer of a kernel about a body.

        Only the first call looks at the types of the arguments, which takes longer than an answer.
        """
        asked = self._world, body, *given
        kernel = self._kernels.get(question)
        if kernel is None:
            kernel = self._kernels[question] = for_types_of(question, *asked)
        return kernel(*asked)

    def _is_hard(self, mask: int) -> bool:
        tubes = self._snapshot.tubes
        if len(tubes) == 0:
            return False
        return bool((self._shapes.group[self._shapes.owner[tubes]] & mask).any())

    def overlaps(self, body: PosedBodies, mask: int) -> list[int] | None:
        """The handles, in order, of all shapes that have a point in common with a body."""
        if self._is_hard(mask):
            return None
        count, found = 64, np.empty(64, np.int64)
        while True:
            count = self._ask(overlapping_parts, body, mask, self._buffers, found)
            if count <= len(found):
                break
            found = np.empty(count, np.int64)
        if count == ASK_ALL:
            return None
        slots = self._shapes.owner[found[:count]]
        return sorted(set(self._shapes.slots.handle_of(slots).tolist()))

    def nearest(self, body: PosedBodies, mask: int, within: float) -> tuple[int, Floats] | None:
        """The nearest shape up to a distance: its slot, −1 if there is none, and rows (4, 3).

        The rows: gap (in the first column), normal, point of the body, point of the shape.
        """
        if self._is_hard(mask):
            return None
        answer = np.empty((4, 3))
        row = self._ask(nearest_part, body, mask, within, self._buffers_for(body), answer)
        return self._slot_of(row, answer)

    def cast(
        self, body: PosedBodies, velocity: Floats, until: float, mask: int
    ) -> tuple[int, Floats] | None:
        """The shape that a body first meets as it moves without turning.

        Returns the slot, −1 if there is none, and time (in the first column), normal and point,
        (3, 3).
        """
        if self._is_hard(mask):
            return None
        velocities, answer = np.zeros((2, 1, 3)), np.empty((3, 3))
        velocities[0] = velocity
        given = velocities, until, mask, self._buffers_for(body), answer
        return self._slot_of(self._ask(first_part_met, body, *given), answer)

    def _buffers_for(self, body: PosedBodies) -> Buffers:
        """The buffers, with a polytope for this body and any of the world."""
        rows = len(body.geometry) + len(self._shapes.geometry)
        if rows != self._rows:  # to make it anew each time takes a tenth of a question
            scratch = Scratch(self._buffers.scratch.simplices, empty_polytope(rows))
            self._rows, self._buffers = rows, self._buffers._replace(scratch=scratch)
        return self._buffers

    def _slot_of(self, row: int, answer: Floats) -> tuple[int, Floats] | None:
        if row == ASK_ALL:
            return None
        return (int(self._shapes.owner[row]) if row >= 0 else -1), answer
