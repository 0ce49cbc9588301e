"""Balls that fit exactly between walls: no room is left for a clearance, in rows or in layers."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.pile import pouring, simulation_of
from spheresim import Ball, Obstacle, Oscillation, Plane, Simulation

pytestmark = pytest.mark.compiled_only
CASES = Path(__file__).parents[2] / "cases"
RADIUS = 0.1
GRAVITY = (0.0, -9.81, 0.0)


def box(width, motion=None):
    """A floor and four walls, open above, that stand or are shaken along x."""
    walls = [
        Plane((0, 0, 0), (0, 1, 0)),
        Plane((0, 0, 0), (1, 0, 0)),
        Plane((width, 0, 0), (-1, 0, 0)),
        Plane((0, 0, 0), (0, 0, 1)),
        Plane((0, 0, width), (0, 0, -1)),
    ]
    return [Obstacle(wall, restitution=0.5, motion=motion) for wall in walls]


def poured(width, count, seed):
    rng, places, height = np.random.default_rng(seed), [], 1.2 * RADIUS
    while len(places) < count:
        x, z = rng.uniform(RADIUS, width - RADIUS, 2)
        if all(np.linalg.norm(np.subtract((x, height, z), q)) > 2.001 * RADIUS for q in places):
            places.append((x, height, z))
        else:
            height += 0.2 * RADIUS
    return [Ball(place, radius=RADIUS, restitution=0.5) for place in places]


def dropped(count, half, seed, restitution=0.5, offset=0.0, engine="events"):
    """Balls in a column above a square box, this half width wide, with this offset along x and z.
    Coordinates are random, one of four is not used."""
    rng, places = np.random.default_rng(seed), []
    most = half - RADIUS - 1e-3
    while len(places) < count:
        _, *place = rng.uniform((0.1, -most, RADIUS + 1e-3, -most), (0.1, most, 3.0, most))
        if all(np.linalg.norm(np.subtract(place, q)) > 2.0 * RADIUS for q in places):
            places.append(place)
    middle = np.array((offset, 0.0, offset))
    balls = [Ball(tuple(middle + p), radius=RADIUS, restitution=restitution) for p in places]
    walls = [Plane((0, 0, 0), (0, 1, 0))]
    for axis in ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1)):
        walls.append(Plane(tuple(middle - half * np.array(axis)), axis))
    return Simulation(balls, walls, (0.0, -10.0, 0.0), engine=engine)


def lattice(side, layers, lift):
    steps = np.indices((side, layers, side)).reshape(3, -1).T
    places = RADIUS + 2.0 * RADIUS * steps * (1.0, lift, 1.0)
    return [Ball(tuple(place), radius=RADIUS, restitution=0.5) for place in places.tolist()]


def energies(simulation, until, period=0.01):
    """The energy after each period, and of the start."""
    found = [simulation.energy()]
    for time in np.arange(period, until, period):
        simulation.run(until=float(time))
        found.append(simulation.energy())
    return np.array(found)


@pytest.mark.parametrize("slack", [0.0, 1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("engine", ["events", "steps"])
def test_poured_balls_that_fit_exactly_gain_no_energy(engine, slack):
    width = 6.0 * RADIUS * (1.0 + slack)
    simulation = Simulation(poured(width, 12, 2), box(width), GRAVITY, engine=engine, step=0.002)
    found = energies(simulation, 2.5)
    # What the clearance may take; with fixed steps a flight is right to first order in the step.
    tolerance = {"events": 1e-5, "steps": 1e-4}[engine]
    assert np.diff(found).max() <= tolerance * found[0]
    assert simulation.tally.deepest_overlap <= 1e-9 * RADIUS
    assert simulation.tally.work.factors < 100_000


@pytest.mark.parametrize("seed", range(8))
def test_in_fixed_steps_a_pile_that_fits_exactly_is_not_lifted(seed):
    """Each solve was bounded, but not their sum in a step, and work that the motion could not pay
    was forgiven: three balls wide, piles rose by up to half a thousandth of their energy."""
    random, radius, balls = np.random.default_rng(seed), 0.3, []
    for k in range(30):
        layer, place = divmod(k, 4)
        cell = np.array((place // 2 + 0.95, layer + 2.06, place % 2 + 0.95))
        at = (2.1 * cell + random.uniform(-0.04, 0.04, 3)) * radius
        balls.append(Ball(at, radius=radius, restitution=0.0))
    walls = [Obstacle(obstacle.shape, restitution=0.0) for obstacle in box(6.0 * radius)]
    simulation = Simulation(balls, walls, GRAVITY, engine="steps", step=0.005)
    found = energies(simulation, 8.0, 0.005)[400:]
    least = np.array([found[k : k + 100].min() for k in range(0, len(found) - 100, 10)])
    assert (least - np.minimum.accumulate(least)).max() < 1e-5 * found[-1]


@pytest.mark.parametrize("step", [0.02, 0.01, 0.008, 0.005, 0.002])
def test_flat_arches_do_not_stand_on_their_gaps(step):
    """With most steps layers above a void were held by forces of thousands of weights: their
    contacts kept gaps for which there was no room."""
    simulation = Simulation.load(CASES / "layers_on_two_levels.toml", engine="steps", step=step)
    start = simulation.energy()
    simulation.run(until=4.0)
    assert simulation.energy() < 0.5 * start


def test_where_walls_squeeze_balls_rounding_becomes_no_force():
    """Forces once grew along a direction that was rounding: four balls just fit across the box, and
    the energy became 6000 times as large."""
    simulation = dropped(20, 4.0 * RADIUS, 105)
    found = energies(simulation, 2.5)
    assert np.diff(found).max() <= 1e-5 * found[0]


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize(("restitution", "offset"), [(0.0, 0.0), (0.5, 1e6)])
def test_a_pile_that_fits_exactly_falls_asleep(engine, restitution, offset):
    """The balance was once measured in two ways, and overlaps far from the origin by less than
    rounding: such piles stayed awake."""
    simulation = dropped(30, 5.0 * RADIUS, 0, restitution, offset, engine)
    while simulation.time < 20.0 and not simulation.asleep.all():
        simulation.run(until=simulation.time + 1.0)
    assert simulation.asleep.all()


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize(("count", "restitution"), [(104, 0.0), (104, 0.9), (116, 0.0)])
def test_a_hundred_balls_that_fit_exactly_come_to_rest(engine, count, restitution):
    """What forces had done was once more than all motion of a pile, and was never paid back: it
    went on to move, and gained a thousandth of its energy in a second."""
    simulation = simulation_of(pouring(count, restitution), engine)
    found = energies(simulation, 15.0, 0.25)
    assert np.diff(found).max() <= 1e-4 * found[0]
    assert simulation.asleep.sum() >= count - 3


@pytest.mark.parametrize("side", [3, 5])
def test_a_lattice_that_fits_exactly_falls_and_lies(side):
    width = 2.0 * RADIUS * side
    simulation = Simulation(lattice(side, 3, 1.1), box(width), GRAVITY, engine="steps", step=0.002)
    found = energies(simulation, 0.5)
    assert np.diff(found).max() <= 1e-4 * found[0]
    assert abs(simulation.velocity).max() < 1e-3


@pytest.mark.parametrize("slack", [0.0, 1e-8, 1e-6, 1e-4])
def test_on_shaken_walls_the_energy_is_what_the_walls_give_less_what_impacts_take(slack):
    width = 6.0 * RADIUS * (1.0 + slack)
    walls = box(width, Oscillation(0.05, 1.0, axis=(1, 0, 0)))
    simulation = Simulation(poured(width, 12, 7), walls, GRAVITY, engine="events")
    start = simulation.energy()
    simulation.run(until=2.5)
    tally = simulation.tally
    assert simulation.energy() == pytest.approx(start + tally.given - tally.dissipated, rel=1e-9)
    assert tally.dissipated > 0.0
    assert simulation.position[:, 1].max() < 1.0
