"""The kernels of `single_body`: a body among a world's parts, in one call.

Each descends the tree to the parts that are bodies, and looks at planes one by one. Where a part of
another kind comes near enough to matter, the answer is ASK_ALL.
"""

import math
from typing import NamedTuple

import numpy as np

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
from spheresim.collision_world.parts import CONVEX, PartArrays
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.distance import Contact, contact_of
from spheresim.convex.epa.polytope import empty_polytope
from spheresim.convex.geometry.posed_body import PosedBodies, PosedBody, difference_of, posed_body
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
