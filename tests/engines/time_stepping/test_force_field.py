"""Accelerations from a function of Python, with fixed steps."""

import warnings

import numpy as np
import pytest

from spheresim import Ball, Fill, Plane, Simulation

FLOOR = Plane((0, 0, 0), (0, 1, 0))
G = (0.3, -9.81, 0.1)


def uniform(time, position, velocity):
    return G


def spring(time, position, velocity):
    return -position


def drag(time, position, velocity):
    return -0.5 * velocity


def swing(time, position, velocity):
    return np.cos(time) * np.array([1.0, 0.0, 0.0])


def falling(**options):
    """Five elastic balls above a floor, which hit it and each other."""
    balls = [Ball((0.3 * k, 1 + k, 0.2 * k), (0.1 * k, 0, 0), radius=0.45) for k in range(5)]
    return Simulation(balls, [FLOOR], step=0.01, **options)


@pytest.mark.parametrize("toi", ["analytic", "sliced"])
def test_a_uniform_field_is_gravity(toi):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gravity's: so large a step adds to the energy
        one, other = falling(gravity=G, toi=toi), falling(field=uniform, toi=toi)
        for simulation in (one, other):
            simulation.run(until=1.234)  # the last step is shorter
            simulation.run(until=3.0, impacts=4)  # and this one ends inside a step
            simulation.run(until=3.0)
    assert len(one.impacts) > 20
    assert other.impacts.tolist() == one.impacts.tolist()
    assert other.position.tolist() == one.position.tolist()


@pytest.mark.compiled_only
def test_a_central_field_keeps_angular_momentum_through_impacts():
    region = {"low": (-1, -1, -1), "high": (1, 1, 1)}
    fill = Fill(count=60, radius=0.1, region=region, temperature=1, seed=1)
    simulation = Simulation(fill, step=0.01, field=spring)
    moment = np.cross(simulation.position, simulation.velocity).sum(axis=0)
    simulation.run(until=5)
    assert simulation.tally.ball_impacts > 100
    after = np.cross(simulation.position, simulation.velocity).sum(axis=0)
    assert after == pytest.approx(moment, abs=1e-11)


def test_the_semi_implicit_scheme_is_of_first_order():
    def error(step):
        simulation = Simulation(Ball((1, 0, 0), (0, 0.5, 0), radius=0.1), step=step, field=spring)
        simulation.run(until=2.0)
        exact = (np.cos(2.0), 0.5 * np.sin(2.0), 0.0)
        return np.linalg.norm(simulation.position[0] - exact)

    assert error(0.01) / error(0.005) == pytest.approx(2.0, rel=0.02)


def test_a_field_knows_velocity_and_time():
    damped = Simulation(Ball((0, 0, 0), (1, 0, 0), radius=1), step=0.01, field=drag)
    damped.run(until=2.0)
    assert damped.velocity[0, 0] == pytest.approx((1 - 0.5 * 0.01) ** 200, rel=1e-12)
    swinging = Simulation(Ball((0, 0, 0), radius=1), step=0.01, field=swing)
    swinging.run(until=2.0)
    assert swinging.velocity[0, 0] == pytest.approx(0.01 * np.cos(0.01 * np.arange(200)).sum())


def test_a_field_goes_on_when_balls_come():
    simulation = Simulation(Ball((1, 0, 0), radius=0.1), step=0.01, field=spring)
    simulation.run(until=0.5)
    simulation.add(Ball((0, 0, -2), radius=0.1))
    simulation.run(until=0.5 + np.pi / 2)
    assert simulation.position[1, 2] == pytest.approx(0.0, abs=0.02)


def test_in_a_field_nothing_sleeps():
    balls = Ball((0, 0.5, 0), radius=0.5, restitution=0.5)
    simulation = Simulation(balls, [FLOOR], (0, -9.81, 0), step=0.01, field=swing)
    simulation.run(until=2.0)
    assert not simulation.asleep.any()
    assert simulation.velocity[0, 0] == pytest.approx(np.sin(2.0), abs=0.01)


@pytest.mark.parametrize(
    ("use", "error", "sentence"),
    [
        ({"field": 3}, TypeError, "field must be a function of time, positions and velocities"),
        ({"field": spring, "engine": "events"}, ValueError, "must be a HarmonicTrap or Const"),
    ],
)
def test_a_field_that_does_not_fit_is_told(use, error, sentence):
    with pytest.raises(error, match=sentence):
        Simulation(Ball((0, 0, 0), radius=1), **use)


@pytest.mark.parametrize("wrong", [None, (1, 2), (0, np.inf, 0), "down", np.zeros((2, 3))])
def test_accelerations_that_are_none_are_told(wrong):
    def field(time, position, velocity):
        return wrong

    simulation = Simulation(Ball((0, 0, 0), radius=1), field=field)
    with pytest.raises(ValueError, match=r"finite accelerations of the shape \(1, 3\).* at t = 0"):
        simulation.run(until=1)
    assert simulation.time == 0.0


def test_a_field_cannot_write_into_the_state():
    def field(time, position, velocity):
        position[0] = 0.0

    with pytest.raises(ValueError, match="read-only"):
        Simulation(Ball((1, 0, 0), radius=1), field=field).run(until=1)


def test_what_cannot_be_done_with_a_field_is_told(tmp_path):
    simulation = Simulation(Ball((1, 0, 0), radius=0.1), field=spring)
    with pytest.raises(TypeError, match="run needs until, a time"):
        simulation.run(impacts=3)
    for save in (
        lambda: simulation.save_scene(tmp_path / "a.toml"),
        lambda: simulation.save(tmp_path / "run", until=1.0),
    ):
        with pytest.raises(ValueError, match="no scene file can hold"):
            save()
    assert not list(tmp_path.iterdir())
