"""Convex bodies in the plane and in space: overlap, distance, time of impact.

Import what you need from here: `from spheresim.convex import box, gjk`. Each question about two
bodies is a function of the two. The function with `_batch` behind its name takes many pairs at
once, as `Bodies`, and its answer has a leading axis.
"""

from spheresim.convex.body import Bodies, Body
from spheresim.convex.decomposition import decompose
from spheresim.convex.distance import gjk, gjk_batch
from spheresim.convex.geometry.rotation import rotation_about
from spheresim.convex.gjk_steps import gjk_steps
from spheresim.convex.kdop import kdop, kdop_directions, kdops_overlap
from spheresim.convex.manifold import manifold, manifold_batch
from spheresim.convex.minkowski import minkowski_difference
from spheresim.convex.overlap import bodies_overlap, bodies_overlap_batch
from spheresim.convex.pixels import pixels_overlap, pixels_overlap_batch
from spheresim.convex.ray_cast import ray_cast, ray_cast_batch
from spheresim.convex.safe_step import safe_step
from spheresim.convex.sat import axes, interval, projections, resolve, sat, sat_batch
from spheresim.convex.shapes import box, capsule, hull, polygon, polyhedron, sphere
from spheresim.convex.swept_sat import axis_intervals, swept_sat, swept_sat_batch
from spheresim.convex.swept_sphere import swept_sphere, swept_sphere_batch
from spheresim.convex.time_of_impact import time_of_impact, time_of_impact_batch
from spheresim.convex.voronoi import VoronoiRegions

__all__ = [
    "Bodies",
    "Body",
    "VoronoiRegions",
    "axes",
    "axis_intervals",
    "bodies_overlap",
    "bodies_overlap_batch",
    "box",
    "capsule",
    "decompose",
    "gjk",
    "gjk_batch",
    "gjk_steps",
    "hull",
    "interval",
    "kdop",
    "kdop_directions",
    "kdops_overlap",
    "manifold",
    "manifold_batch",
    "minkowski_difference",
    "pixels_overlap",
    "pixels_overlap_batch",
    "polygon",
    "polyhedron",
    "projections",
    "ray_cast",
    "ray_cast_batch",
    "resolve",
    "rotation_about",
    "safe_step",
    "sat",
    "sat_batch",
    "sphere",
    "swept_sat",
    "swept_sat_batch",
    "swept_sphere",
    "swept_sphere_batch",
    "time_of_impact",
    "time_of_impact_batch",
]
