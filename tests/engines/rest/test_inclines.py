"""One ball, one slope: at any inclination its bounces end when the sum says, and it slides on."""

import numpy as np
import pytest
from inclines import Incline

RESTITUTIONS = [0.0, 0.1, 0.5, 0.9, 0.999]
STARTS = {
    "at rest": {},
    "from a height": {"height": 1.0},
    "along the slope": {"down": 3.0, "across": -1.0},
    "up the slope, falling": {"height": 0.3, "down": -2.0, "across": 0.5},
}
SLIDING = 20.0
"""How long it is watched after its bounces, in units of its fall."""


def inclinations(count):
    """From 1e-12 to 89 degrees, half of them evenly in the logarithm, half of them evenly."""
    low = 10.0 ** np.linspace(-12.0, np.log10(89.0), count // 2)
    return np.concatenate([low, np.linspace(0.0, 89.0, count - count // 2 + 1)[1:]]).tolist()


def sizes(angle, restitution):
    """A radius from 1e-6 to 1e6 and a gravity from 0.1 to 100, drawn anew for each case."""
    random = np.random.default_rng([int(1e15 * angle), int(1e3 * restitution)])
    return {
        "radius": 10.0 ** random.uniform(-6.0, 6.0),
        "gravity": 10.0 ** random.uniform(-1.0, 2.0),
    }


def check_place(case, simulation, expected, step=np.inf):
    """Downhill, across, and away from the slope; velocities are those of the same motion.

    In steps a ball goes back to its place in one step, by as much as that is rounded.
    """
    position = simulation.position[0].copy()
    moved = position - case.radius * case.normal
    rounding = 1e-15 * (np.abs(position).max() + case.radius)
    assert moved @ case.downhill == pytest.approx(expected[0], rel=1e-9, abs=4.0 * rounding), case
    assert moved[2] == pytest.approx(expected[1], rel=1e-9, abs=4.0 * rounding), case
    assert abs(position @ case.normal - case.radius) <= 1e-9 * case.radius + 4.0 * rounding, case
    speed = np.abs(simulation.velocity[0]).max() + case.radius / case.unit
    assert abs(simulation.velocity[0] @ case.normal) <= 1e-15 * speed + 4.0 * rounding / step, case


def check_exact(case):
    simulation = case.simulation("events")
    end = case.end_of_bounces
    simulation.run(until=end)
    # Heights are known to the rounding of positions: how long would it bounce from there?
    rounding = 1e-15 * (1.0 + np.abs(simulation.position).max() / case.radius)
    known = case.bounces_from(rounding)
    simulation.run(until=end + known + 0.01 * case.unit)
    impacts = simulation.impacts
    assert impacts.kind[-1] in ("rest", "slide"), case
    assert impacts.t[-1] == pytest.approx(end, rel=1e-9, abs=known), case
    assert simulation.sliding.tolist() == [True], case
    rows = len(impacts)
    for after in (0.1, SLIDING):
        simulation.run(until=end + known + after * case.unit)
        check_place(case, simulation, case.along(simulation.time))
    assert len(simulation.impacts) == rows, case


def check_in_steps(case):
    """Its bounces end later or earlier by some kicks; how far it slides does not depend on that."""
    step = 0.05 * case.unit
    simulation = case.simulation("steps", step)
    steps = int(1.5 * case.end_of_bounces / step) + int(SLIDING / 0.05)
    simulation.run(until=steps * step)
    # So far from the origin that its gap is rounded to more than what is kept of it, it hits.
    is_known = np.abs(simulation.position).max() < 1e5 * case.radius
    assert not is_known or simulation.impacts.kind[-1] in ("rest", "slide"), case
    assert simulation.sliding.tolist() == [True], case
    rows = len(simulation.impacts)
    for more in (0, 200):
        simulation.run(until=(steps + more) * step)
        check_place(case, simulation, case.along_in_steps(steps + more, step), step)
    assert not is_known or len(simulation.impacts) == rows, case


CHECKS = {"events": check_exact, "steps": check_in_steps}
# In fixed steps it takes longer: run on request, and shorter in time_stepping/test_contact.py.
ENGINES = ["events", pytest.param("steps", marks=pytest.mark.study)]
BOUNCING = pytest.mark.parametrize(
    ("engine", "restitution"),
    [
        *(("events", e) for e in RESTITUTIONS),
        *(pytest.param("steps", e, marks=pytest.mark.study) for e in RESTITUTIONS),
    ],
)


@pytest.mark.cases(6)
@pytest.mark.compiled_only
@pytest.mark.parametrize("start", STARTS)
@BOUNCING
@pytest.mark.parametrize("count", [30, pytest.param(2000, marks=pytest.mark.study)])
def test_after_its_bounces_a_ball_slides_as_the_closed_form_says(engine, restitution, start, count):
    for angle in inclinations(count):
        CHECKS[engine](Incline(angle, restitution, **sizes(angle, restitution), **STARTS[start]))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_on_a_level_plane_it_goes_on_evenly(engine, restitution):
    CHECKS[engine](Incline(0.0, restitution, height=0.2, down=1.0, across=2.0))


@pytest.mark.parametrize("engine", ENGINES)
def test_on_a_level_plane_a_ball_without_speed_comes_to_rest_and_sleeps(engine):
    case = Incline(0.0, 0.5, height=0.2)
    simulation = case.simulation(engine)
    simulation.run(until=3.0 * case.end_of_bounces)
    assert simulation.asleep.tolist() == [True]
    assert simulation.sliding.tolist() == [False]
    assert simulation.velocity[0].tolist() == [0.0, 0.0, 0.0]
    assert simulation.position[0] == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)
    place, rows = simulation.position[0].tolist(), len(simulation.impacts)
    simulation.run(until=1000.0)
    assert simulation.position[0].tolist() == place
    assert len(simulation.impacts) == rows


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("angle", [0.0, 1e-6, 10.0, 45.0, 89.0])
def test_the_slope_presses_with_the_cosine_of_the_weight(engine, angle):
    case = Incline(angle, 0.5)
    simulation = case.simulation(engine)
    simulation.run(until=case.unit)
    (contact,) = simulation.contacts
    assert (contact.i, contact.j, contact.obstacle) == (0, -1, "plane 0")
    assert (contact.nx, contact.ny, contact.nz) == pytest.approx(tuple(case.normal), abs=1e-15)
    weight = case.gravity  # of a mass of 1
    assert contact.force == pytest.approx(weight * np.cos(np.radians(angle)), rel=1e-12)
    foot = simulation.position[0] - case.radius * case.normal
    assert (contact.x, contact.y, contact.z) == pytest.approx(tuple(foot), abs=1e-12)
