"""Growing balls in the exact engine: exact impacts, and energy that growth accounts for."""

import math

import numpy as np
import pytest

from spheresim import Ball, Box, Plane, TVector
from spheresim.collision.impacts import joined
from spheresim.engines.event_driven.engine import Events
from spheresim.engines.event_driven.growth import Growth
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import build

NO_GRAVITY = TVector(0.0, 0.0, 0.0)
CUBE = Box(size=(10, 10, 10))
SLAB = Box(size=(10, 10, 10), periodic=(True, True, False))
FLOOR, CEILING = Plane((0, 0, 0), (0, 0, 1)), Plane((0, 0, 10), (0, 0, -1))


def growing(balls, growth, box=CUBE, planes=()):
    world, start = build(balls, [Obstacle(plane) for plane in planes], NO_GRAVITY, box)
    return Events(world, start, 0.1, growth=growth), world, start


def kinetic(world, velocity):
    return 0.5 * float((world.mass * (velocity**2).sum(axis=1)).sum())


def a_gas(n, radius, box=CUBE, seed=1, sizes=(1.0, 1.0)):
    rng = np.random.default_rng(seed)
    ratio = rng.uniform(*sizes, n)
    return [
        Ball(rng.uniform(0.5, 9.5, 3), rng.standard_normal(3), radius * k, mass=k**3) for k in ratio
    ]


def test_two_balls_that_grow_touch_and_part_as_fast_as_they_grow():
    left = Ball((2, 5, 5), (0.5, 0, 0), radius=1.0)
    right = Ball((7, 5, 5), (-0.5, 0, 0), radius=1.0, mass=3.0)
    # The radii are half of these at t = 0, and grow by 1/4 in a unit of time.
    engine, world, start = growing([left, right], Growth(0.5, 0.25))
    before = kinetic(world, start.velocity)
    impacts = joined(engine.run(2.0))
    t = (5.0 - 1.0) / (1.0 + 0.5)
    assert t > 2.0
    assert len(impacts.t) == 0
    assert engine.scale == 1.0
    engine, *_ = growing([left, right], Growth(0.5, 0.25), Box(size=(30, 30, 30)))
    impacts = joined(engine.run(t + 0.1))
    assert impacts.t == pytest.approx([t], rel=1e-14)
    assert impacts.vn_before == pytest.approx([-1.0], rel=1e-14)
    assert impacts.vn_after == pytest.approx([1.0 + 2 * 0.5], rel=1e-14)
    assert impacts.point[0] == pytest.approx((2 + 0.5 * t + 0.5 + 0.25 * t, 5, 5), rel=1e-14)
    velocity = engine.state.current().velocity
    assert velocity[:, 0] == pytest.approx([0.5 - 3 * 0.75, -0.5 + 0.75], rel=1e-14)
    assert kinetic(world, velocity) - before == pytest.approx(-engine.tally.dissipated, rel=1e-14)


def test_a_ball_that_grows_between_two_planes_bounces_as_in_a_closing_slit():
    start, speed, rate = 3.0, 4.0, 0.125
    ball = Ball((5, 5, start), (0.25, 0, speed), radius=1.0)
    engine, *_ = growing([ball], Growth(0.25, rate), SLAB, [FLOOR, CEILING])
    impacts = joined(engine.run(6.0))
    t, z, v, expected = 0.0, start, speed, []
    while True:
        wall = 10.0 if v > 0 else 0.0
        t += (abs(wall - z) - 0.25 - rate * t) / (abs(v) + rate)
        if t > 6.0:
            break
        z = abs(wall - 0.25 - rate * t)
        v = -math.copysign(abs(v) + 2 * rate, v)
        expected.append((t, abs(v)))
    assert len(expected) >= 2
    assert impacts.t == pytest.approx([time for time, _ in expected], rel=1e-13)
    assert impacts.vn_after == pytest.approx([speed for _, speed in expected], rel=1e-13)


@pytest.mark.parametrize("n", [12, pytest.param(400, marks=pytest.mark.compiled_only)])
@pytest.mark.parametrize("sizes", [(1.0, 1.0), (0.5, 1.0)])
def test_from_points_balls_grow_apart_and_the_energy_is_what_growth_gives(n, sizes):
    radius = (0.4 * 1000 / n * 0.75 / math.pi) ** (1 / 3) if n > 100 else 1.0
    engine, world, start = growing(
        a_gas(n, radius, sizes=sizes), Growth(0.0, 0.1), SLAB, [FLOOR, CEILING]
    )
    impacts = joined(engine.run(10.0))
    state, scale = engine.state.current(), 0.1 * impacts.t
    # At each impact the surfaces touched, and parted by the speed of their approach.
    reach = world.radius[impacts.i]
    of_balls = impacts.kind == 0
    reach = reach + np.where(of_balls, world.radius[impacts.other], 0.0)
    growth = 0.1 * reach
    assert impacts.vn_after - growth == pytest.approx(growth - impacts.vn_before, abs=1e-9)
    assert (impacts.vn_before < growth).all()
    assert len(impacts.t) > n
    floor = (~of_balls) & (impacts.normal[:, 2] > 0)
    assert floor.any()
    assert np.abs(impacts.point[floor, 2]).max() < 1e-12
    assert scale.max() <= 1.0
    assert engine.tally.deepest_overlap < 1e-13
    # At the end nothing overlaps.
    d = state.position[:, None] - state.position
    d[..., :2] -= 10 * np.round(d[..., :2] / 10)
    gap = np.linalg.norm(d, axis=2) - world.radius[:, None] - world.radius
    assert gap[np.triu_indices(n, 1)].min() > -1e-12
    assert (state.position[:, 2] - world.radius).min() > -1e-12
    assert (state.position[:, 2] + world.radius).max() < 10 + 1e-12
    # Energy and momentum.
    gained = kinetic(world, state.velocity) - kinetic(world, start.velocity)
    assert gained > 0.0
    assert gained == pytest.approx(-engine.tally.dissipated, rel=1e-11)
    assert -engine.tally.dissipated == pytest.approx(
        float((impacts.impulse * growth).sum()), rel=1e-11
    )
    change = world.mass @ (state.velocity - start.velocity)
    assert np.abs(change[:2]).max() < 1e-9 * kinetic(world, state.velocity)


@pytest.mark.compiled_only
def test_a_growing_gas_goes_on_from_what_was_saved_to_the_same_bytes():
    gas = a_gas(200, 0.6)
    engine, *_ = growing(gas, Growth(0.0, 0.1))
    engine.run(7.0)
    saved = engine.save()
    engine.run(10.0)
    other, *_ = growing(gas, Growth(0.0, 0.1))
    other.resume(saved)
    assert other.scale == pytest.approx(0.7, rel=1e-14)
    other.run(10.0)
    for one, again in zip(engine.state.current(), other.state.current(), strict=True):
        assert one.tobytes() == again.tobytes()
