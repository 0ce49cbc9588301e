"""Many pairs at once have the bits of each pair alone, for every question that is asked of both."""

import numpy as np
import pytest
from convex_pairs import CLOUDS, random_body, random_pairs

from spheresim.convex import (
    Bodies,
    bodies_overlap,
    bodies_overlap_batch,
    box,
    capsule,
    gjk,
    gjk_batch,
    manifold,
    manifold_batch,
    ray_cast,
    ray_cast_batch,
    sat,
    sat_batch,
    sphere,
    swept_sat,
    swept_sat_batch,
    swept_sphere,
    swept_sphere_batch,
    time_of_impact,
    time_of_impact_batch,
)


def of_all_kinds(random, dimension):
    """Pairs of all kinds, and of those whose distance needs no search: points and segments."""
    round_ones = [sphere(0.3), capsule((0, 0, -1), (0, 0, 1), 0.2), box((1, 1, 1))]
    yield from ((pair.a, pair.b) for pair in random_pairs(60, 4, dimension))
    if dimension == 3:
        for k in range(27):
            places = random.normal(size=(2, 3))
            yield round_ones[k % 3].at(places[0]), round_ones[k // 3 % 3].at(places[1])


def with_boxes(random, dimension):
    for _ in range(20):
        place = random.normal(size=dimension) * 3
        yield box(random.uniform(0.5, 2, dimension)), box(random.uniform(0.5, 2, dimension), place)


def with_spheres(random, dimension):
    for kind in [*CLOUDS, "box"] * 3:
        yield sphere(0.3, random.normal(size=dimension) * 3), random_body(random, dimension, kind)


QUESTIONS = {
    "gjk": (gjk, gjk_batch, of_all_kinds),
    "sat": (sat, sat_batch, of_all_kinds),
    "bodies_overlap": (bodies_overlap, bodies_overlap_batch, of_all_kinds),
    "manifold": (manifold, manifold_batch, of_all_kinds),
    "swept_sat": (swept_sat, swept_sat_batch, with_boxes),
    "swept_sphere": (swept_sphere, swept_sphere_batch, with_spheres),
    "time_of_impact": (time_of_impact, time_of_impact_batch, with_boxes),
}
MOVING = {"swept_sat": 2, "swept_sphere": 2, "time_of_impact": 4}
"""How many columns of velocities and spins a question takes besides the bodies."""


def columns(random, question, count, dimension):
    """Velocities of both sides, and spins, which in the plane are numbers."""
    shapes = [(count, dimension)] * 2 + [(count,) if dimension == 2 else (count, 3)] * 2
    return [random.normal(size=shape) for shape in shapes[: MOVING.get(question, 0)]]


def bits(answer):
    """One answer's or all answers' record; the points of a manifold are in arrays."""
    if hasattr(answer, "records"):
        return answer.records.tobytes()
    return np.ascontiguousarray(answer).tobytes()


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("question", QUESTIONS)
def test_many_pairs_have_the_bits_of_each_alone(question, dimension):
    one, many, make = QUESTIONS[question]
    random = np.random.default_rng(12)
    pairs = list(make(random, dimension))
    given = columns(random, question, len(pairs), dimension)
    answers = many(Bodies.of([a for a, _ in pairs]), Bodies.of([b for _, b in pairs]), *given)
    for k, (a, b) in enumerate(pairs):
        alone = one(a, b, *(column[k] for column in given))
        if question == "manifold":
            assert answers.count[k] == alone.count
            for name in ("points", "depth"):
                found = getattr(answers, name)[k]
                assert found[: alone.count].tolist() == getattr(alone, name).tolist()
                assert not found[alone.count :].any()
        else:
            each = answers.records if hasattr(answers, "records") else answers
            assert bits(alone) == bits(each[k])


def test_many_rays_have_the_bits_of_each_alone():
    random = np.random.default_rng(10)
    bodies = [random_body(random, 3, kind) for kind in [*CLOUDS, "box"] for _ in range(5)]
    origins, directions = random.normal(size=(2, len(bodies), 3)) * 3.0
    for targets in (bodies, bodies[:1]):
        answers = ray_cast_batch(Bodies.of(targets), origins, directions)
        for k, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
            alone = ray_cast(targets[k % len(targets)], origin, direction)
            assert bits(alone) == answers.records[k].tobytes()
