"""Many rays and one shape: where each meets it first, to the bits of the questions of one ray.

A ball that moves is a ray against the shape offset by its radius, so these are times of impact
too. Shapes that are made of features are searched from the nearest box of their index on, and no
box that begins behind the best hit is opened (A. S. Glassner, An Introduction to Ray Tracing,
1989, chapter 6).
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from spheresim.box_tree.ray_nodes import RayNodes, ray_nodes
from spheresim.box_tree.ray_search import (
    Search,
    next_leaf,
    search_room,
    start_search,
    unit_ray,
)
from spheresim.box_tree.tree import BoxTree
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.numerics.batch import (
    number_rows,
    question_count,
    refuse_bad_row,
    steps_of,
    vector_rows,
)
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.bounded import Itself
from spheresim.obstacles.features.node_boxes import NodeBoxes, build_node_boxes, entry_into
from spheresim.obstacles.features.rows import FeatureRows
from spheresim.obstacles.features.table import Features
from spheresim.obstacles.shape import Hits

_DEPTH = 64
"""Nodes that wait at the most: one for each level of the index."""

_KEPT_BOXES = 4
"""Shapes of which the boxes are kept from question to question."""

_MANY = 100
"""Features from which on a tree for rays is worth its making, if there are half as many rays."""

_ALONG = 1e-300
"""In place of a direction's component 0, so that nothing is divided by 0."""


class _Rays(NamedTuple):
    """origin, direction: (n, 3) or (1, 3); radius: (n,) or (1,); steps: 0 where one row is for all,
    else 1."""

    origin: Any
    direction: Any
    radius: Any
    steps: Any


class _Search(NamedTuple):
    """Room for the nodes that wait, and for the parameter at which the ray enters each."""

    node: Any
    enter: Any


def featured_tois(
    rows: FeatureRows, features: Features, position: Any, velocity: Any, radius: Any
) -> Any:
    """Times (n,) at which balls are stopped by a shape of features; inf for never."""
    rays, n = _checked(position=position, velocity=velocity, radius=radius)
    times, first = np.empty(n), np.empty(n, dtype=np.int64)
    boxes = _node_boxes(Itself(rows))
    _first_features(rows, features, boxes, _span(rows), rays, _room(), times, first)
    return times


def plain_tois(shape: Any, position: Any, velocity: Any, radius: Any) -> Any:
    """Times (n,) at which balls are stopped by a plane or a cylinder; inf for never."""
    rays, n = _checked(position=position, velocity=velocity, radius=radius)
    times = np.empty(n)
    _plain_times(shape, rays, times)
    return times


def featured_hits(rows: FeatureRows, features: Features, origin: Any, direction: Any) -> Hits:
    """Where rays first meet a shape of features."""
    rays, n = _checked(origin=origin, direction=direction, radius=0.0)
    _refuse_no_direction(rays)
    distance, first = np.empty(n), np.empty(n, dtype=np.int64)
    hits = Hits(distance, np.zeros((n, 3)), np.zeros((n, 3)))
    if 2 * n >= len(rows.kind) >= _MANY:
        nodes = ray_nodes(BoxTree(rows.low, rows.high))
        _first_by_tree(rows, features, nodes, rays, search_room(), distance, first)
    else:
        boxes = _node_boxes(Itself(rows))
        _first_features(rows, features, boxes, _span(rows), rays, _room(), distance, first)
    _describe_features(rows, features, rays, first, hits)
    return hits


def plain_hits(shape: Any, origin: Any, direction: Any) -> Hits:
    """Where rays first meet a plane or a cylinder."""
    rays, n = _checked(origin=origin, direction=direction, radius=0.0)
    _refuse_no_direction(rays)
    hits = Hits(np.empty(n), np.zeros((n, 3)), np.zeros((n, 3)))
    _plain_times(shape, rays, hits.distance)
    _describe_plain(shape, rays, hits)
    return hits


def _checked(**given: Any) -> tuple[_Rays, int]:
    """Rays from their three arrays, and how many they are."""
    rows = {
        what: (number_rows if what == "radius" else vector_rows)(array, what)
        for what, array in given.items()
    }
    n = question_count(**rows)
    refuse_bad_row(**rows)
    start, along, radius = rows.values()
    return _Rays(start, along, radius, steps_of(start, along, radius)), n


def _refuse_no_direction(rays: _Rays) -> None:
    still = ~rays.direction.any(axis=1)
    if still.any():
        k = int(np.flatnonzero(still)[0])
        raise ValueError(f"a ray needs a direction: row {k} is the zero vector, which has none")


@lru_cache(_KEPT_BOXES)
def _node_boxes(rows: Itself) -> NodeBoxes:
    return build_node_boxes(rows.shape.low, rows.shape.high)


def _span(rows: FeatureRows) -> float:
    """The largest coordinate of a shape, by which rounding errors are measured; at least 1."""
    return float(np.abs([rows.low, rows.high]).max(initial=1.0))


def _room() -> _Search:
    return _Search(np.empty(_DEPTH, dtype=np.int64), np.empty(_DEPTH))


@inlined
def _ray_of(rays: _Rays, k: int) -> TRay:
    steps = rays.steps
    return TRay(
        vector_at(rays.origin, k * steps[0]),
        vector_at(rays.direction, k * steps[1]),
    )


@inlined
def _is_still(ray: TRay) -> bool:
    v = ray.direction
    return v.x == 0.0 and v.y == 0.0 and v.z == 0.0


@kernel
def _plain_times(shape: Any, rays: _Rays, times: Any) -> None:
    for k in range(len(times)):
        ray, radius = _ray_of(rays, k), rays.radius[k * rays.steps[2]]
        times[k] = math.inf if _is_still(ray) else shape.toi(ray, radius)


@kernel
def _describe_plain(shape: Any, rays: _Rays, hits: Hits) -> None:
    """Point and normal of each hit, and distances in place of ray parameters."""
    for k in range(len(hits.distance)):
        if hits.distance[k] < math.inf:
            ray = _ray_of(rays, k)
            point = ray.at_parameter(hits.distance[k])
            set_vector(hits.point, k, point)
            set_vector(hits.normal, k, shape.normal_at(point, ray.origin))
            hits.distance[k] *= ray.direction.mag()


@kernel
def _describe_features(
    rows: FeatureRows, features: Features, rays: _Rays, first: Any, hits: Hits
) -> None:
    """Point and normal of each hit, and distances in place of ray parameters."""
    for k in range(len(hits.distance)):
        if hits.distance[k] < math.inf:
            ray = _ray_of(rays, k)
            point = ray.at_parameter(hits.distance[k])
            normal = features.feature_normal(rows, first[k], point)
            set_vector(hits.point, k, point)
            set_vector(hits.normal, k, normal * -1.0 if normal.dot(ray.direction) > 0.0 else normal)
            hits.distance[k] *= ray.direction.mag()


@kernel
def _first_features(
    rows: FeatureRows,
    features: Features,
    boxes: NodeBoxes,
    span: float,
    rays: _Rays,
    room: _Search,
    times: Any,
    first: Any,
) -> None:
    """The time of impact of each ray's ball, and the feature that it hits, or -1."""
    for k in range(len(times)):
        ray, radius = _ray_of(rays, k), rays.radius[k * rays.steps[2]]
        times[k], first[k] = math.inf, -1
        if not _is_still(ray):
            times[k], first[k] = _first_feature(rows, features, boxes, span, ray, radius, room)


@kernel
def _first_by_tree(
    rows: FeatureRows,
    features: Features,
    nodes: RayNodes,
    rays: _Rays,
    search: Search,
    times: Any,
    first: Any,
) -> None:
    """`_first_features` of points, by a tree that compares a ray with eight boxes at once."""
    for k in range(len(times)):
        ray, best, hit = _ray_of(rays, k), math.inf, -1
        seen, waiting = unit_ray(nodes, ray.origin, ray.direction), start_search(search)
        while True:
            leaf, waiting = next_leaf(nodes, seen, best, search, waiting)
            if leaf < 0:
                break
            for i in range(nodes.leaf[leaf, 0], nodes.leaf[leaf, 0] + nodes.leaf[leaf, 1]):
                row = nodes.order[i]
                t = features.feature_toi(rows, row, ray, 0.0)
                if t < best or (t == best and row < hit):
                    best, hit = t, row
        times[k], first[k] = best, hit


@routine
def _first_feature(
    rows: FeatureRows,
    features: Features,
    boxes: NodeBoxes,
    span: float,
    ray: TRay,
    radius: float,
    room: _Search,
) -> tuple[float, int]:
    """The feature that stops a ball first, and when; of several at once, the one of lowest row."""
    leaves = len(boxes.feature)
    grown = radius * (1.0 + 1e-9) + 1e-9 * span
    v = ray.direction
    inverse = TVector(
        1.0 / (v.x if v.x != 0.0 else _ALONG),
        1.0 / (v.y if v.y != 0.0 else _ALONG),
        1.0 / (v.z if v.z != 0.0 else _ALONG),
    )
    best, first, waiting = math.inf, -1, 0
    node, enter = 1, entry_into(boxes, 1, ray.origin, inverse, grown)
    while True:
        if enter <= best and enter < math.inf:
            if node >= leaves:
                k = boxes.feature[node - leaves]
                t = features.feature_toi(rows, k, ray, radius)
                if t < best or (t == best and k < first):
                    best, first = t, k
            else:
                # The nearer part next; the other one waits.
                left = entry_into(boxes, 2 * node, ray.origin, inverse, grown)
                right = entry_into(boxes, 2 * node + 1, ray.origin, inverse, grown)
                is_left = left <= right
                room.node[waiting] = 2 * node + 1 if is_left else 2 * node
                room.enter[waiting] = right if is_left else left
                waiting += 1 if max(left, right) < math.inf else 0
                node = 2 * node if is_left else 2 * node + 1
                enter = min(left, right)
                continue
        if waiting == 0:
            break
        waiting -= 1
        node, enter = room.node[waiting], room.enter[waiting]
    return best, first
