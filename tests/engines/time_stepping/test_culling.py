"""Looking only at near balls, and only when their time has come, changes no bit of a run."""

import numpy as np
import pytest
from worlds import box, gas, set_up

from spheresim import Ball, Cylinder, Obstacle, Plane
from spheresim.collision.impacts import joined
from spheresim.engines.time_stepping import engine as engine_module

pytestmark = pytest.mark.compiled_only

# How many others a ball's sphere is made to touch: from next to none to all there are.
PARTNERS = [0.01, 1.0, 8.0, 100.0, 1e6]


def outcomes(monkeypatch, make, until):
    """The bytes of a run with each size of the spheres."""
    found = []
    for partners in PARTNERS:
        monkeypatch.setattr(engine_module, "_PARTNERS", partners)
        setup = make()
        impacts = joined(setup.engine.run(until))
        arrays = (*impacts, setup.state.position, setup.state.velocity)
        found.append([np.ascontiguousarray(array).tobytes() for array in arrays])
    return setup.engine.tally, found


def assert_all_alike(found):
    assert all(other == found[0] for other in found[1:])


@pytest.mark.parametrize("slices", [0, 150])
@pytest.mark.parametrize("step", [0.01, 0.3])
def test_whoever_is_looked_at_a_gas_runs_alike(monkeypatch, step, slices):
    tally, found = outcomes(
        monkeypatch,
        lambda: set_up(gas(3, seed=4), box(3.0), (0.3, -1, 0.2), step, slices),
        until=60 * step,
    )
    assert tally.obstacle_impacts > 0
    assert_all_alike(found)


@pytest.mark.parametrize("slices", [0, 150])
@pytest.mark.parametrize(("seed", "far_off"), [(0, 0.0), (1, 1e3), (2, 1e5)])
def test_so_do_bullets_among_balls_of_all_sizes_under_gravity_and_far_off(
    monkeypatch, seed, far_off, slices
):
    random = np.random.default_rng(seed)
    balls = gas(4, seed, radii=(0.02, 0.45))
    for bullet in random.choice(balls, 4, replace=False):
        bullet.velocity = bullet.velocity * 1000.0
    for small in random.choice(balls, 40, replace=False):
        small.radius *= 10.0 ** random.uniform(-2, 0)
    for ball in balls:
        ball.position = ball.position._replace(x=ball.position.x + far_off)
    pillar = Cylinder((far_off + 2, 2, 2), (1, 2, 3), 0.1)
    obstacles = [*box(4.0, low=(far_off, 0, 0)), Obstacle(pillar, 0.9)]
    tally, found = outcomes(
        monkeypatch, lambda: set_up(balls, obstacles, (0.3, -5, 0.2), 0.02, slices), until=0.2
    )
    assert tally.ball_impacts > 50
    assert_all_alike(found)


def test_so_do_clouds_that_fly_through_each_other(monkeypatch):
    # Empty space, a thousand radii apart at first; then everybody is among many.
    def make():
        balls = []
        for cloud, seed in ((-1, 1), (1, 2)):
            for ball in gas(5, seed):
                ball.position = ball.position._replace(x=ball.position.x + cloud * 300.0)
                ball.velocity = ball.velocity._replace(x=-cloud * 40.0)
                balls.append(ball)
        return set_up(balls, gravity=(0, -1, 0), step=0.05)

    tally, found = outcomes(monkeypatch, make, until=20.0)
    assert tally.ball_impacts > 50
    assert_all_alike(found)


def test_so_does_a_crowd_in_which_everyone_touches_dozens(monkeypatch):
    # One large ball, on which 60 small ones rain from all sides (points of a spiral on a sphere).
    def make():
        turn, height = np.arange(60) * 2.4, np.linspace(-0.99, 0.99, 60)
        across = np.sqrt(1 - height**2)
        directions = np.stack((across * np.cos(turn), across * np.sin(turn), height), axis=1)
        speeds = np.random.default_rng(2).uniform(0.3, 1.0, 60)
        balls = [Ball((0, 0, 0), radius=1, mass=50)]
        balls += [Ball(d * 1.5, d * -v, 0.04) for d, v in zip(directions, speeds, strict=True)]
        return set_up(balls, step=0.1)

    tally, found = outcomes(monkeypatch, make, until=2.0)
    assert tally.ball_impacts >= 60
    assert_all_alike(found)


@pytest.mark.parametrize(
    ("far_off", "steps"),
    [
        (1.0, 1e4),
        (1e4, 1e4),
        (1e5, 1e5),
        (1e7, 1e4),
    ],
)
def test_who_is_left_alone_for_long_is_stopped_where_rounding_has_brought_it(far_off, steps):
    # x += v·h is rounded in every step, and at this speed always the same way.
    unit = np.spacing(far_off)
    speed = (np.floor(1.0 / steps / unit) + 0.51) * unit
    wall = far_off + 1.5
    for obstacles, others in (
        ([Plane((wall, 0, 0), (-1, 0, 0))], []),
        ([], [Ball((wall + 1, 0, 0), radius=1)]),
    ):
        balls = [Ball((far_off, 0, 0), (speed, 0, 0), 1), *others]
        engine, _, state = set_up(balls, obstacles, step=1.0)
        engine.run(np.floor(0.5 / speed) - 50)
        deepest = 0.0
        for _ in range(150):
            engine.step_once()
            deepest = max(deepest, state.position[0, 0] + 1.0 - wall)
        assert engine.tally.obstacle_impacts + engine.tally.ball_impacts == 1
        assert deepest <= 8 * unit
