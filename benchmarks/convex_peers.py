"""What coal and python-fcl are asked, and what they answer, for `benchmarks.convex`.

Each keeps its own shapes (its sphere, capsule, box, else its convex mesh) and is only given
places; requests are kept, results are new. From Python both take one pair at a time.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks.convex_cases import Case
from spheresim.convex import Body

Answers = Callable[[], list[Any]]


def _faces(body: Body) -> list[tuple[int, int, int]]:
    return [(loop[0], i, j) for loop in body.faces for i, j in pairwise(loop[1:])]


class Maker(NamedTuple):
    """How a peer makes its own shapes."""

    sphere: Callable[[float], Any]
    capsule: Callable[[float, float], Any]
    box: Callable[..., Any]
    mesh: Callable[[Body], Any]


def _shape(body: Body, make: Maker) -> Any:
    """The peer's sphere, capsule or box where the body is one, else its convex mesh."""
    if len(body.points) == 1:
        return make.sphere(body.radius)
    if len(body.points) == 2:
        return make.capsule(body.radius, 2.0 * body.points[1, 2])
    if body.geometry[2, 0] > 0.0:
        return make.box(*(2.0 * body.geometry[2]))
    return make.mesh(body)


def coal(case: Case) -> dict[str, Answers]:
    """By question; `collide` says how deep as well, `distance` gives points and normal."""
    import coal as library

    def mesh(body: Body) -> Any:
        points, triangles = library.StdVec_Vec3s(), library.StdVec_Triangle()
        for point in body.points:
            points.append(point)
        for triangle in _faces(body):
            triangles.append(library.Triangle(*triangle))
        return library.Convex(points, triangles)

    make = Maker(library.Sphere, library.Capsule, library.Box, mesh)
    here, own = library.Transform3s(case.a.rotation, case.a.position), _shape(case.a, make)
    there = [library.Transform3s(b.rotation, b.position) for b in case.others]
    collide, distance = library.CollisionRequest(), library.DistanceRequest()
    only_whether = library.CollisionRequest()
    only_whether.enable_contact = False

    def overlap(pose: Any) -> bool:
        result = library.CollisionResult()
        return bool(library.collide(own, here, own, pose, only_whether, result))

    def distance_of(pose: Any) -> tuple[Any, ...]:
        result = library.DistanceResult()
        library.distance(own, here, own, pose, distance, result)
        points = result.getNearestPoint1(), result.getNearestPoint2()
        return (result.min_distance, result.normal, *points)

    def depth(pose: Any) -> tuple[Any, ...]:
        result = library.CollisionResult()
        library.collide(own, here, own, pose, collide, result)
        contact = result.getContact(0)
        return contact.penetration_depth, contact.normal

    return {
        "overlap": lambda: [overlap(pose) for pose in there],
        "distance": lambda: [distance_of(pose) for pose in there],
        "depth": lambda: [depth(pose) for pose in there],
    }


def fcl(case: Case) -> dict[str, Answers]:
    """By question; the time of impact by its own conservative advancement, to 1e-4."""
    import fcl as library

    def mesh(body: Body) -> Any:
        faces = [number for triangle in _faces(body) for number in (3, *triangle)]
        return library.Convex(body.points, len(faces) // 4, np.array(faces))

    own = _shape(case.a, Maker(library.Sphere, library.Capsule, library.Box, mesh))
    here = library.CollisionObject(own, library.Transform(case.a.rotation, case.a.position))
    there = [
        library.CollisionObject(own, library.Transform(b.rotation, b.position)) for b in case.others
    ]
    whether, distance = library.CollisionRequest(), library.DistanceRequest(True)
    collide = library.CollisionRequest(enable_contact=True)
    impact = library.ContinuousCollisionRequest()
    impact.ccd_solver_type = library.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT
    moved = [
        (other, other.getTransform(), library.Transform(velocity))
        for other, velocity in zip(there, case.velocities, strict=False)
    ]

    def overlap(other: Any) -> bool:
        return bool(library.collide(here, other, whether, library.CollisionResult()))

    def distance_of(other: Any) -> tuple[Any, ...]:
        result = library.DistanceResult()
        library.distance(here, other, distance, result)
        return result.min_distance, result.nearest_points

    def depth(other: Any) -> tuple[Any, ...]:
        result = library.CollisionResult()
        library.collide(here, other, collide, result)
        contact = result.contacts[0]
        return -contact.penetration_depth, contact.normal

    def impact_of(other: Any, rest: Any, end: Any) -> float:
        result = library.ContinuousCollisionResult()
        library.continuousCollide(here, end, other, rest, impact, result)
        return float(result.time_of_contact) if result.is_collide else np.inf

    return {
        "overlap": lambda: [overlap(other) for other in there],
        "distance": lambda: [distance_of(other) for other in there],
        "depth": lambda: [depth(other) for other in there],
        "impact": lambda: [impact_of(*motion) for motion in moved],
    }
