"""CPU time per question about two convex bodies, beside coal and python-fcl.

`python -m benchmarks.convex [--csv FILE]`. All answer the same pairs in turn, in one process
on one core: boxes, and hulls of 32 points, near and apart, at random places. Questions: do
they collide (`sat`, and by default coal, also say how deep); how far apart are they, with
nearest points and normal. The peers are measured
where they are installed (`pip install coal python-fcl`), from Python, one pair at a time, for
they have no batch; each keeps its shapes and is only given new places.
"""

import argparse
import csv
import platform
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spheresim.convex import (
    Bodies,
    Body,
    bodies_overlap,
    bodies_overlap_batch,
    box,
    gjk,
    gjk_batch,
    hull,
    rotation_about,
    sat,
    sat_batch,
)

PAIRS = 1000
ROUNDS = 25


class Case(NamedTuple):
    """A body, and another of its kind in many places."""

    name: str
    a: Body
    others: list[Body]


def cases() -> list[Case]:
    """Boxes and hulls about 2 across; centres about 4 apart, a fifth to a third overlap."""
    random = np.random.default_rng(1)
    places = random.normal(size=(PAIRS, 3)) * 2.0
    turns = [rotation_about(random.normal(size=3), random.uniform(0, np.pi)) for _ in places]
    sphere_points = random.normal(size=(32, 3))
    sphere_points /= np.linalg.norm(sphere_points, axis=1)[:, np.newaxis]
    bodies = {"boxes": box((1.0, 0.8, 0.6)), "hulls of 32": hull(sphere_points)}
    return [
        Case(name, body, [body.at(*place) for place in zip(places, turns, strict=True)])
        for name, body in bodies.items()
    ]


Ask = Callable[[], object]


def ours(case: Case) -> dict[str, tuple[Ask, int]]:
    """What is asked, and about how many pairs at once."""
    many_a, many_b = Bodies.of([case.a] * PAIRS), Bodies.of(case.others)

    def one_by_one(question: Any) -> Ask:
        return lambda: [question(case.a, b) for b in case.others]

    last = gjk_batch(many_a, many_b)
    return {
        "spheresim bodies_overlap, collide": (one_by_one(bodies_overlap), PAIRS),
        "spheresim sat, collide": (one_by_one(lambda a, b: sat(a, b).overlapping), PAIRS),
        "spheresim gjk, distance": (one_by_one(_whole_answer), PAIRS),
        "spheresim bodies_overlap_batch": (lambda: bodies_overlap_batch(many_a, many_b), PAIRS),
        "spheresim sat_batch, collide": (lambda: sat_batch(many_a, many_b), PAIRS),
        "spheresim gjk_batch, distance": (lambda: gjk_batch(many_a, many_b), PAIRS),
        "spheresim gjk_batch, warm": (lambda: gjk_batch(many_a, many_b, start=last), PAIRS),
    }


def _whole_answer(a: Body, b: Body) -> object:
    answer = gjk(a, b)
    return answer.gap, answer.normal, answer.point_a, answer.point_b


def coal(case: Case) -> dict[str, tuple[Ask, int]]:
    """Its own box, or its convex mesh; requests are kept, results are new or cleared."""
    import coal as library

    def shape(body: Body) -> Any:
        if body.forms[2, 0] > 0.0:
            return library.Box(*(2.0 * body.forms[2]))
        points = library.StdVec_Vec3s()
        for point in body.points:
            points.append(point)
        triangles = library.StdVec_Triangle()
        for loop in body.faces:
            for i, j in pairwise(loop[1:]):
                triangles.append(library.Triangle(loop[0], i, j))
        return library.Convex(points, triangles)

    here = library.Transform3s()
    form = shape(case.a)
    there = [library.Transform3s(b.rotation, b.position) for b in case.others]
    collide, distance = library.CollisionRequest(), library.DistanceRequest()

    def collides(place: Any) -> object:
        result = library.CollisionResult()
        return library.collide(form, here, form, place, collide, result)

    def distances(place: Any) -> object:
        result = library.DistanceResult()
        library.distance(form, here, form, place, distance, result)
        return (
            result.min_distance,
            result.normal,
            result.getNearestPoint1(),
            result.getNearestPoint2(),
        )

    kept = library.DistanceResult()

    def only_the_number(place: Any) -> object:
        kept.clear()
        return library.distance(form, here, form, place, distance, kept)

    return {
        "coal, collide": (lambda: [collides(place) for place in there], PAIRS),
        "coal, distance": (lambda: [distances(place) for place in there], PAIRS),
        "coal, distance, the number alone": (lambda: [only_the_number(p) for p in there], PAIRS),
    }


def fcl(case: Case) -> dict[str, tuple[Ask, int]]:
    """Its own box, or its convex mesh."""
    import fcl as library

    def shape(body: Body) -> Any:
        if body.forms[2, 0] > 0.0:
            return library.Box(*(2.0 * body.forms[2]))
        faces = [number for loop in body.faces for number in (len(loop), *loop)]
        return library.Convex(body.points, len(body.faces), np.array(faces))

    here = library.CollisionObject(shape(case.a))
    there = [
        library.CollisionObject(shape(b), library.Transform(b.rotation, b.position))
        for b in case.others
    ]
    collide, distance = library.CollisionRequest(), library.DistanceRequest(True)

    def distances(other: Any) -> object:
        result = library.DistanceResult()
        library.distance(here, other, distance, result)
        return result.min_distance, result.nearest_points

    return {
        "fcl, collide": (
            lambda: [library.collide(here, b, collide, library.CollisionResult()) for b in there],
            PAIRS,
        ),
        "fcl, distance": (lambda: [distances(b) for b in there], PAIRS),
    }


def microseconds(ask: Ask, count: int) -> float:
    """CPU time per pair; the least of some rounds of at least a fiftieth of a second.

    What else the machine does only ever adds to it.
    """
    ask()  # compiles
    rounds = []
    for _ in range(ROUNDS):
        asked, start = 0, time.process_time()
        while time.process_time() - start < 0.02:
            ask()
            asked += count
        rounds.append((time.process_time() - start) / asked * 1e6)
    return min(rounds)


def main() -> None:
    """Measure all on all cases, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--csv", type=Path, help="also write the table there")
    path = parser.parse_args().csv
    rows = []
    for case in cases():
        for library in (ours, coal, fcl):
            try:
                questions = library(case)
            except ImportError:
                continue
            for name, (ask, count) in questions.items():
                rows.append((case.name, name, f"{microseconds(ask, count):.3f}"))
                print(f"{case.name:12} {name:34} {rows[-1][2]:>8} µs")
    if path is not None:
        with path.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("machine", platform.processor() or platform.machine(), ""))
            writer.writerow(("bodies", "question", "microseconds"))
            writer.writerows(rows)


if __name__ == "__main__":
    main()
