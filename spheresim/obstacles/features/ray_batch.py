"""Many rays and one shape of features: where each first meets it, to the bits of one ray.

A search starts in the nearest box of the shape's index, and opens no box that begins behind the
best hit (A. S. Glassner, An Introduction to Ray Tracing, 1989, chapter 6).
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
from spheresim.compiler.decorators import kernel, routine
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.node_boxes import NodeBoxes, build_node_boxes, entry_into
from spheresim.obstacles.features.rows import FeatureRows
from spheresim.obstacles.features.table import Features
from spheresim.obstacles.identity import Itself
from spheresim.obstacles.many_rays import (
    Rays,
    directed_rays,
    is_still,
    moving_balls,
    no_hits,
    radius_of,
    ray_of,
)
from spheresim.obstacles.shape import Hits

_DEPTH = 64
"""Nodes that wait at the most: one for each level of the index."""

_KEPT_BOXES = 4
"""Shapes of which the boxes are kept from question to question."""

_MANY = 100
"""Features from which on a tree for rays is worth its making, if there are half as many rays."""

_ALONG = 1e-300
"""In place of a direction's component 0, so that nothing is divided by 0."""


class _Search(NamedTuple):
    """Room for the nodes that wait, and for the parameter at which the ray enters each."""

    node: Any
    enter: Any


def featured_tois(
    rows: FeatureRows, features: Features, position: Any, velocity: Any, radius: Any
) -> Any:
    """Times (n,) at which balls are stopped by a shape of features; inf for never."""
    rays, n = moving_balls(position, velocity, radius)
    times, first = np.empty(n), np.empty(n, dtype=np.int64)
    boxes = _node_boxes(Itself(rows))
    _first_features(rows, features, boxes, _span(rows), rays, _room(), times, first)
    return times


def featured_hits(rows: FeatureRows, features: Features, origin: Any, direction: Any) -> Hits:
    """Where rays first meet a shape of features."""
    rays, n = directed_rays(origin, direction)
    hits, first = no_hits(n), np.empty(n, dtype=np.int64)
    if 2 * n >= len(rows.kind) >= _MANY:
        nodes = ray_nodes(BoxTree(rows.low, rows.high))
        _first_by_tree(rows, features, nodes, rays, search_room(), hits.distance, first)
    else:
        boxes = _node_boxes(Itself(rows))
        _first_features(rows, features, boxes, _span(rows), rays, _room(), hits.distance, first)
    _describe_features(rows, features, rays, first, hits)
    return hits


@lru_cache(_KEPT_BOXES)
def _node_boxes(rows: Itself) -> NodeBoxes:
    return build_node_boxes(rows.shape.low, rows.shape.high)


def _span(rows: FeatureRows) -> float:
    """The largest coordinate of a shape, by which rounding errors are measured; at least 1."""
    return float(np.abs([rows.low, rows.high]).max(initial=1.0))


def _room() -> _Search:
    return _Search(np.empty(_DEPTH, dtype=np.int64), np.empty(_DEPTH))


@kernel
def _describe_features(
    rows: FeatureRows, features: Features, rays: Rays, first: Any, hits: Hits
) -> None:
    """Point and normal of each hit, and distances in place of ray parameters."""
    for k in range(len(hits.distance)):
        if hits.distance[k] < math.inf:
            ray = ray_of(rays, k)
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
    rays: Rays,
    room: _Search,
    times: Any,
    first: Any,
) -> None:
    """The time of impact of each ray's ball, and the feature that it hits, or -1."""
    for k in range(len(times)):
        ray, radius = ray_of(rays, k), radius_of(rays, k)
        times[k], first[k] = math.inf, -1
        if not is_still(ray):
            times[k], first[k] = _first_feature(rows, features, boxes, span, ray, radius, room)


@kernel
def _first_by_tree(
    rows: FeatureRows,
    features: Features,
    nodes: RayNodes,
    rays: Rays,
    search: Search,
    times: Any,
    first: Any,
) -> None:
    """`_first_features` of points, by a tree that compares a ray with eight boxes at once."""
    for k in range(len(times)):
        ray, best, hit = ray_of(rays, k), math.inf, -1
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
