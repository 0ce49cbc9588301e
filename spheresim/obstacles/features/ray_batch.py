"""Many rays and one shape of features: where each first meets it, to the bits of one ray.

A search starts in the nearest box of the shape's index, and opens no box that begins behind the
best hit (A. S. Glassner, An Introduction to Ray Tracing, 1989, chapter 6).
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.aabb_tree.ray_nodes import RayNodes, ray_nodes
from spheresim.aabb_tree.ray_search import (
    Search,
    new_search,
    next_leaf,
    start_search,
    unit_ray,
)
from spheresim.aabb_tree.search import STACK, Boxes, Nodes
from spheresim.aabb_tree.tree import AabbTree
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.rows import FeatureRows
from spheresim.obstacles.features.table import Features
from spheresim.obstacles.identity import Itself
from spheresim.obstacles.many_rays import (
    Rays,
    directed_rays,
    is_still,
    no_hits,
    radius_of,
    ray_of,
    times_of_balls,
)
from spheresim.obstacles.ray_hit import Hits

_KEPT_TREES = 4
"""Shapes whose trees are kept from question to question."""

_FEW = 10
"""Below this number of features each has a leaf of its own, because rims are slow to test."""

_MANY = 100
"""Features from which on a tree for rays is worth its making, if there are half as many rays."""

_ALONG = 1e-300
"""In place of a direction's component 0, so that nothing is divided by 0."""


class _Search(NamedTuple):
    """Room for the nodes that wait, and for the parameter at which the ray enters each."""

    node: Integers
    enter: Floats


class _FirstMet(NamedTuple):
    """Of n rays the time at which each meets a shape, inf for never, and the feature, or −1."""

    time: Floats
    feature: Integers


class _Searched(NamedTuple):
    """A shape of features and a tree of their boxes; span: its largest coordinate, by which
    rounding errors are measured, at least 1."""

    rows: FeatureRows
    features: Features
    nodes: Nodes
    span: float


def featured_tois(
    rows: FeatureRows,
    features: Features,
    position: npt.ArrayLike,
    velocity: npt.ArrayLike,
    radius: npt.ArrayLike,
) -> Floats:
    """Times (n,) at which balls are stopped by a shape of features; inf for never."""
    shape = _searched(rows, features, _tree_of(Itself(rows)))

    def write(rays: Rays, times: Floats) -> None:
        found = _FirstMet(times, np.empty(len(times), dtype=np.int64))
        _first_features(shape, rays, _new_search(), found)

    return times_of_balls(write, position, velocity, radius)


def featured_hits(
    rows: FeatureRows, features: Features, origin: npt.ArrayLike, direction: npt.ArrayLike
) -> Hits:
    """Where rays first meet a shape of features."""
    rays, n = directed_rays(origin, direction)
    hits = no_hits(n)
    found = _FirstMet(hits.distance, np.empty(n, dtype=np.int64))
    tree = _tree_of(Itself(rows))
    shape = _searched(rows, features, tree)
    if 2 * n >= len(rows.kind) >= _MANY:
        _first_by_tree(shape, ray_nodes(tree), rays, new_search(), found)
    else:
        _first_features(shape, rays, _new_search(), found)
    _describe_features(rows, features, rays, found.feature, hits)
    return hits


@lru_cache(_KEPT_TREES)
def _tree_of(rows: Itself) -> AabbTree:
    few = len(rows.shape.low) < _FEW
    return AabbTree(rows.shape.low, rows.shape.high, leaf=1 if few else 4)


def _searched(rows: FeatureRows, features: Features, tree: AabbTree) -> _Searched:
    span = float(np.abs([rows.low, rows.high]).max(initial=1.0))
    return _Searched(rows, features, tree.nodes, span)


def _new_search() -> _Search:
    return _Search(np.empty(STACK, dtype=np.int64), np.empty(STACK))


@kernel
def _describe_features(
    rows: FeatureRows, features: Features, rays: Rays, first: Integers, hits: Hits
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
def _first_features(shape: _Searched, rays: Rays, search: _Search, found: _FirstMet) -> None:
    """Write the time of impact of each ray's ball, and the feature that it hits."""
    times, first = found
    for k in range(len(times)):
        ray, radius = ray_of(rays, k), radius_of(rays, k)
        times[k], first[k] = math.inf, -1
        if not is_still(ray):
            times[k], first[k] = _first_feature(shape, ray, radius, search)


@kernel
def _first_by_tree(
    shape: _Searched, nodes: RayNodes, rays: Rays, search: Search, found: _FirstMet
) -> None:
    """`_first_features` of points, by a tree that compares a ray with eight boxes at once."""
    times, first = found
    rows, features = shape.rows, shape.features
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
    shape: _Searched, ray: TRay, radius: float, search: _Search
) -> tuple[float, int]:
    """The feature that stops a ball first, and when; of several at once, the one of lowest row."""
    rows, features, nodes, span = shape
    grown = radius * (1.0 + 1e-9) + 1e-9 * span
    v = ray.direction
    inverse = TVector(
        1.0 / (v.x if v.x != 0.0 else _ALONG),
        1.0 / (v.y if v.y != 0.0 else _ALONG),
        1.0 / (v.z if v.z != 0.0 else _ALONG),
    )
    best, first, waiting = math.inf, -1, 0
    node, enter = 0, _entry_time(nodes.boxes, 0, ray.origin, inverse, grown)
    while True:
        if enter <= best and enter < math.inf:
            child, items = nodes.link[node, 0], nodes.link[node, 1]
            if items == 0:
                # The nearer child next; the other one waits.
                left = _entry_time(nodes.boxes, child, ray.origin, inverse, grown)
                right = _entry_time(nodes.boxes, child + 1, ray.origin, inverse, grown)
                is_left = left <= right
                search.node[waiting] = child + 1 if is_left else child
                search.enter[waiting] = right if is_left else left
                waiting += 1 if max(left, right) < math.inf else 0
                node = child if is_left else child + 1
                enter = min(left, right)
                continue
            for i in range(child, child + items):
                k = nodes.order[i]
                t = features.feature_toi(rows, k, ray, radius)
                if t < best or (t == best and k < first):
                    best, first = t, k
        if waiting == 0:
            break
        waiting -= 1
        node, enter = search.node[waiting], search.enter[waiting]
    return best, first


@inlined
def _entry_time(boxes: Boxes, k: int, origin: TVector, inverse: TVector, grown: float) -> float:
    """The parameter at which a ray enters box k, grown; inf if it misses it.

    By slabs (T. L. Kay and J. T. Kajiya, Ray tracing complex scenes, 1986). A box is entered
    through the sides that the direction points to.
    """
    low, high = boxes
    x_in, x_out = low[k, 0] - grown - origin.x, high[k, 0] + grown - origin.x
    y_in, y_out = low[k, 1] - grown - origin.y, high[k, 1] + grown - origin.y
    z_in, z_out = low[k, 2] - grown - origin.z, high[k, 2] + grown - origin.z
    if inverse.x < 0.0:
        x_in, x_out = x_out, x_in
    if inverse.y < 0.0:
        y_in, y_out = y_out, y_in
    if inverse.z < 0.0:
        z_in, z_out = z_out, z_in
    enter = max(x_in * inverse.x, y_in * inverse.y, z_in * inverse.z)
    leave = min(x_out * inverse.x, y_out * inverse.y, z_out * inverse.z)
    return enter if enter <= leave and leave >= 0.0 else math.inf
