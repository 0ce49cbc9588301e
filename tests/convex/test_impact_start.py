"""Time of impact where it begins and where it ends: touching bodies, no end, spinning ones."""

from math import inf, pi

import numpy as np
import pytest

from spheresim.convex import (
    Bodies,
    box,
    capsule,
    gjk,
    hull,
    rotation_about,
    sat,
    sphere,
    swept_sat,
    time_of_impact,
    time_of_impact_batch,
)


def solid(random, dimension, kind):
    if kind == "box":
        return box(random.uniform(0.3, 1.5, dimension))
    if kind == "many corners":
        points = random.normal(size=(40, dimension))
        return hull(points / np.linalg.norm(points, axis=1)[:, np.newaxis])
    return hull(random.normal(size=(8, dimension)))


def touching_pairs(count, dimension, seed):
    """Bodies moved apart to rounding; every other pair has parallel axes, some are far away."""
    random = np.random.default_rng(seed)
    kinds = ["box", "few corners", "many corners"] * min(10, count // 5)
    shapes = [solid(random, dimension, kind) for kind in kinds]
    for k in range(count):
        a, b = (shapes[i] for i in random.integers(len(shapes), size=2))
        turn = random.uniform(0, pi)
        turn = turn if dimension == 2 else rotation_about(random.normal(size=3), turn)
        far = random.normal(size=dimension) * (1e6 if k % 5 == 0 else 1.0)
        b = b.at(far + random.normal(size=dimension) * 0.3, turn if k % 2 else None)
        a = a.at(far)
        out = sat(a, b)
        if out.overlapping:
            yield random, a.at((a.position + out.mtv)[:dimension]), b, out.normal[:dimension]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize(
    "count", [30, pytest.param(2000, marks=[pytest.mark.compiled_only], id="many")]
)
def test_bodies_that_touch_and_part_are_not_hit(dimension, count):
    """1713 of 2000 boxes in the plane were hit at 0, along a normal of zeros."""
    asked = 0
    for random, a, b, normal in touching_pairs(count, dimension, 1):
        velocity = random.normal(size=dimension)
        speed = velocity @ normal
        if abs(speed) < 1e-3:
            continue
        asked += 1
        answer = time_of_impact(a, b, velocity)
        assert np.linalg.norm(answer.normal) == pytest.approx(1.0)
        if speed > 0.0:
            assert answer.toi == inf
        elif answer.toi == inf:  # at a corner there are more axes than one on which they part
            assert answer.normal[:dimension] @ velocity >= 0.0
            assert swept_sat(a, b, velocity).leave <= 1e-6
        else:
            assert answer.toi == 0.0
            assert answer.normal[:dimension] @ velocity < 0.0
    assert asked > count // 2


SQUARE = box((1, 1))


@pytest.mark.parametrize(
    ("position", "velocity", "toi"),
    [
        ((2, 1), (-2, 0), inf),  # straight off a face
        ((2, 1), (0, 1), inf),  # along a face
        ((2, 1), (1, 1), 0.0),  # onto a face
        ((2, 2), (-1, 1), inf),  # corner to corner: one axis approaches, one parts
        ((2, 2), (1, -1), inf),
        ((2, 2), (0, 1), inf),  # along a face that begins here
        ((2, 2), (1, 1), 0.0),
        ((2, 1), (0, 0), inf),  # at rest
        ((1.5, 1), (-1, 0), 0.0),  # overlapping, not only touching
    ],
)
def test_squares_that_touch(position, velocity, toi):
    answer = time_of_impact(SQUARE, SQUARE.at(position), velocity)
    assert answer.toi == toi
    assert np.linalg.norm(answer.normal) == 1.0


def test_without_an_end_a_late_hit_is_found_and_with_one_it_is_not():
    b = SQUARE.at((9, 0.5))
    answer = time_of_impact(SQUARE, b, (2, 0))
    assert answer.toi == pytest.approx(3.5, abs=1e-6)
    assert time_of_impact(SQUARE, b, (2, 0), until=3.0).toi == inf
    assert time_of_impact(SQUARE, b, (2, 0), until=inf).toi == answer.toi
    assert time_of_impact(SQUARE, b, (2, 0), (-5, 0)).toi == pytest.approx(1.0, abs=1e-6)
    batch = time_of_impact_batch(Bodies.of([SQUARE]), Bodies.of([b]), [(2, 0)])
    assert batch.toi.tolist() == [answer.toi]


@pytest.mark.parametrize("distance", [1e3, 1e9, 1e15])
def test_what_is_far_away_is_reached_or_passed_for_ever(distance):
    a, b = box((1, 1, 1)), box((1, 1, 1), (distance, 0, 0))
    hit = time_of_impact(a, b, (1, 0, 0))
    assert hit.finished
    assert hit.toi == pytest.approx(distance - 2, rel=1e-12, abs=1e-6)
    passing = time_of_impact(a, b.at((distance, 2.1, 0)), (1, 0, 0))
    assert passing.toi == inf
    assert passing.finished


def test_the_contact_is_in_both_bodies_where_they_are_then():
    random = np.random.default_rng(2)
    hits = 0
    for k in range(60):
        a = solid(random, 3, ["box", "few corners"][k % 2])
        a = capsule((-1, 0, 0), (1, 0, 0), 0.3) if k % 3 == 0 else a
        b = solid(random, 3, "few corners").at(random.normal(size=3) * 4)
        v_a, v_b = b.position + random.normal(size=3) * 0.3, random.normal(size=3) * 0.1
        spin = random.normal(size=3)
        answer = time_of_impact(a, b, v_a, v_b, spin_b=spin)
        if answer.toi == inf:
            assert not answer.contact.any()
            continue
        hits += answer.toi > 0.0
        turned = rotation_about(spin, np.linalg.norm(spin) * answer.toi) @ b.rotation
        for body in (a.at(v_a * answer.toi), b.at(b.position + v_b * answer.toi, turned)):
            assert gjk(body, sphere(1e-300, answer.contact)).gap <= 1e-6
    assert hits > 30


# --- Spinning --------------------------------------------------------------------------

STICK = box((2, 0.1))


def test_a_spinning_pair_that_parts_ends():
    answer = time_of_impact(STICK, STICK.at((0, 3)), (0.5, 0), (0, 0.5), spin_a=7.0, spin_b=-3.0)
    assert answer.toi == inf
    assert answer.finished


def test_one_that_spins_in_its_place_is_seen_once_around():
    clear = time_of_impact(STICK, sphere(0.4, (0, 2.5)), (0, 0), spin_a=1.0)
    assert (clear.toi, bool(clear.finished)) == (inf, True)
    # The stick's end comes last to what lies just behind it.
    late = time_of_impact(STICK, sphere(0.1, (1.9, -0.25)), (0, 0), spin_a=1.0)
    assert pi / 2 < late.toi < 2 * pi
    # Both turn, one twice as fast: after a turn of the slower one all has been seen.
    pair = time_of_impact(STICK, STICK.at((0, 4.2)), (0, 0), spin_a=1.0, spin_b=2.0)
    assert (pair.toi, bool(pair.finished)) == (inf, True)


@pytest.mark.compiled_only
def test_spins_that_never_repeat_end_all_the_same_and_say_so():
    answer = time_of_impact(STICK, sphere(0.1, (0, 2.11)), (0, 0), spin_a=1.0, spin_b=2**0.5)
    assert answer.finished is not None
    ended = time_of_impact(STICK, STICK.at((0, 4.01)), (0, 0), spin_a=1.0, spin_b=2**0.5)
    assert ended.finished or 0.0 < ended.toi < inf
    bounded = time_of_impact(
        STICK, STICK.at((0, 4.01)), (0, 0), spin_a=1.0, spin_b=2**0.5, until=5.0
    )
    assert bounded.finished


def test_a_top_on_a_table_turns_on_it_without_being_hit():
    top, table = box((0.5, 0.5, 0.5), (0, 0, 1.5)), box((5, 5, 1))
    assert time_of_impact(top, table, (0, 0, 0), spin_a=(0, 0, 3)).toi == inf
    assert time_of_impact(top, table, (0, 0, 0), spin_a=(3, 0, 0)).toi == 0.0
