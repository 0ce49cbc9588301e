"""Contact that lasts in fixed steps: balls slide, pile up, and sleep on forces that balance."""

import numpy as np
import pytest
from checkpoints import goes_on_alike
from piles import is_at_rest
from scipy.optimize import nnls
from surfaces import pair_gaps
from worlds import box

from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation

G, RADIUS, SIDE = 9.81, 0.25, 1.87
ONLY_COMPILED = pytest.mark.compiled_only
LONGEST = 120.0
"""Seconds of motion after which a pile should long have come to rest."""


def simulation_of(places, restitution, velocity=0.0, side=SIDE):
    velocity = np.broadcast_to(velocity, np.shape(places))
    balls = [
        Ball(x, v, RADIUS, restitution=restitution) for x, v in zip(places, velocity, strict=True)
    ]
    return Simulation(balls, box(side, restitution)[:-1], (0, 0, -G), 0.005, "steps")


def poured(count, restitution, side=SIDE):
    """A loose column of balls above a box with a level floor, three balls wide."""
    random, k = np.random.default_rng(count), np.arange(count)
    cells = np.stack([k % 3, k // 3 % 3, k // 9], axis=1)
    places = (cells + 0.5) * 2.4 * RADIUS + random.uniform(-0.19, 0.19, (count, 3)) * RADIUS
    places[:, 2] += RADIUS
    return simulation_of(places, restitution, random.normal(size=(count, 3)), side)


def settle(simulation):
    """Go on until all are at rest; nothing overlaps on the way."""
    while not is_at_rest(simulation) and simulation.time < LONGEST:
        simulation.run(until=simulation.time + 0.1)
        assert pair_gaps(simulation.position, simulation.world.radius).min() > -1e-9 * RADIUS
        place = simulation.position
        assert min(place.min(), (SIDE - place[:, :2]).min()) > RADIUS * (1.0 - 1e-9)
    assert is_at_rest(simulation)


def forces_left(simulation):
    """The weight that no forces along the contacts could balance, by non-negative least squares.

    C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, chapter 23; in weights of a ball.
    """
    contacts, count = simulation.contacts, len(simulation.position)
    normal = np.stack([contacts.nx, contacts.ny, contacts.nz], axis=1)
    matrix = np.zeros((count, 3, len(contacts)))
    at = np.arange(len(contacts))
    matrix[contacts.i, :, at] = normal
    pair = contacts.j >= 0
    matrix[contacts.j[pair], :, at[pair]] = -normal[pair]
    load = np.tile((0.0, 0.0, 1.0), count)
    return nnls(matrix.reshape(3 * count, -1), load, maxiter=100 * len(load))[1]


@pytest.mark.parametrize("degrees", [1e-6, 0.1, 3, 7, 10, 60, 89])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_after_its_bounces_a_ball_slides_as_its_integrator_says(degrees, restitution):
    angle, step = np.radians(degrees), 0.01
    normal = np.array((np.sin(angle), np.cos(angle), 0.0))
    downhill = np.array((np.cos(angle), -np.sin(angle), 0.0))
    ball = Ball(normal * 1.0, radius=1.0, restitution=restitution)
    simulation = Simulation([ball], [Plane((0, 0, 0), normal)], (0, -G, 0), step, "steps")
    simulation.run(until=500 * step)
    # Kicks of g·sin(angle) along the slope, each followed by a straight flight.
    expected = G * np.sin(angle) * step**2 * 500 * 501 / 2
    assert simulation.position[0] @ downhill == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert simulation.position[0] @ normal == pytest.approx(1.0, abs=1e-9)
    assert simulation.sliding.tolist() == [True]
    (contact,) = simulation.contacts
    assert contact.force == pytest.approx(G * np.cos(angle), rel=1e-9)


@ONLY_COMPILED
@pytest.mark.parametrize("restitution", [0.0, 0.6, 0.9])
def test_a_poured_pile_comes_to_rest_on_forces_that_another_solver_finds_too(restitution):
    simulation = poured(36, restitution)
    settle(simulation)
    assert not simulation.velocity[simulation.asleep].any()
    assert forces_left(simulation) < 1e-9
    contacts = simulation.contacts
    on_obstacles = (contacts.force * contacts.nz)[contacts.j < 0].sum()
    assert on_obstacles == pytest.approx(len(simulation.position) * G, rel=1e-9)
    tally = simulation.tally
    assert tally.ball_impacts + tally.obstacle_impacts < 3000 * len(simulation.position)
    asleep, place = simulation.asleep.copy(), simulation.position.copy()
    rows = len(simulation.impacts)
    simulation.run(until=simulation.time + 3600.0)
    assert (simulation.position == place)[asleep].all()
    assert not asleep[simulation.impacts[rows:].i].any()


@ONLY_COMPILED
def test_a_box_in_which_rows_of_balls_fit_exactly_costs_no_more_impacts_than_another():
    simulation = poured(36, 0.6, side=7.2 * RADIUS)
    while not simulation.asleep.all() and simulation.time < LONGEST:
        simulation.run(until=simulation.time + 0.5)
        assert pair_gaps(simulation.position, simulation.world.radius).min() > -1e-9 * RADIUS
    assert simulation.asleep.all()
    tally = simulation.tally
    assert tally.ball_impacts + tally.obstacle_impacts < 3000 * len(simulation.position)


@ONLY_COMPILED
def test_without_a_ball_at_the_bottom_the_pile_wakes_and_settles_again():
    below = poured(36, 0.6)
    settle(below)
    kept = np.arange(36) != below.position[:, 2].argmin()
    simulation = simulation_of(below.position[kept], 0.6)
    simulation.run(until=0.005)
    assert not simulation.asleep.all()
    start = simulation.energy()
    settle(simulation)
    assert simulation.energy() < start
    assert forces_left(simulation) < 1e-9


@ONLY_COMPILED
@pytest.mark.study
@pytest.mark.parametrize("scene", ["pile", "hourglass"])
def test_the_shipped_scenes_come_to_rest_before_they_end(scene):
    simulation = Simulation.load(scene)
    simulation.run(until=simulation.scene.duration)
    assert simulation.asleep.all()
    assert simulation.tally.deepest_overlap < 1e-9 * simulation.world.radius.min()
    impacts = simulation.tally.ball_impacts + simulation.tally.obstacle_impacts
    assert impacts < 3000 * len(simulation.position)


@ONLY_COMPILED
def test_what_is_saved_while_it_settles_goes_on_to_the_same_bits():
    goes_on_alike(lambda: poured(20, 0.6), [1.0], 4.0)


@ONLY_COMPILED
def test_what_is_told_does_not_depend_on_when_the_journal_is_handed_over():
    # All land in one step and begin to slide in the next: more rows than the journal has room for.
    def landing():
        balls = [
            Ball((k % 50, 0.6, k // 50), (0.3, 0, 0), 0.2, restitution=0.0) for k in range(2500)
        ]
        return Simulation(balls, [Plane((0, 0, 0), (0, 1, 0))], (0, -10, 0), 0.01, "steps")

    at_once, by_steps, silent = landing(), landing(), landing()
    silent.log_impacts(False)
    for simulation in (at_once, silent):
        simulation.run(until=0.5)
    for k in range(1, 51):
        by_steps.run(until=k * 0.01)
    assert (at_once.impacts == by_steps.impacts).all()
    kinds, counts = np.unique(at_once.impacts.kind, return_counts=True)
    assert dict(zip(kinds.tolist(), counts.tolist(), strict=True)) == {
        "obstacle": 2500,
        "slide": 2500,
    }
    assert (at_once.position == by_steps.position).all()
    assert (at_once.position == silent.position).all()


@ONLY_COMPILED
@pytest.mark.parametrize("count", [5, 20])
def test_a_column_in_a_tube_never_gains_energy(count):
    """Free flight keeps ½·v·(v − g·h) + g·y, in steps h that begin with gravity's kick."""
    random, step = np.random.default_rng(count), 0.01
    angle = random.uniform(0.0, 2.0 * np.pi, count)
    height = 1.0 + 2.3 * np.arange(count) + random.uniform(0.0, 0.1, count)
    places = np.column_stack([0.36 * np.cos(angle), height, 0.36 * np.sin(angle)])
    balls = [Ball(tuple(place), radius=1.0, restitution=0.5) for place in places.tolist()]
    floor, tube = Plane((0, 0, 0), (0, 1, 0)), Cylinder((0, 0, 0), (0, 1, 0), 1.4)
    simulation = Simulation(balls, [floor, tube], (0, -9.81, 0), step)
    energies = []
    for time in np.arange(0.0, 100.0, 0.5):
        simulation.run(until=float(time))
        v, y = simulation.velocity, simulation.position[:, 1]
        energies.append((0.5 * (v**2).sum(axis=1) + 9.81 * (y - 0.5 * step * v[:, 1])).sum())
    assert np.diff(energies).max() < 1e-9 * energies[0]


@pytest.mark.parametrize(
    ("restitution", "height", "step"),
    [(0.8, 1.0, 0.01), (0.9, 0.4, 0.01), (0.98, 1.2, 0.01), (0.9, 1.6, 0.02), (0.99, 1.0, 0.01)],
)
def test_no_bounce_comes_again_for_ever(restitution, height, step):
    # Gravity's kick once gave back what an impact took, every six steps without end.
    ball = Ball((0, height + RADIUS, 0), radius=RADIUS, restitution=restitution)
    simulation = Simulation([ball], [Plane((0, 0, 0), (0, 1, 0))], (0, -G, 0), step, "steps")
    ends = np.sqrt(2.0 * height / G) * (1.0 + restitution) / (1.0 - restitution)
    simulation.run(until=1.2 * ends)
    assert simulation.asleep.all()
    assert simulation.impacts.t[-1] == pytest.approx(ends, rel=0.1)


def test_a_ball_that_is_put_back_to_where_it_lay_rests_there_at_once():
    """It had slid since then, and was taken to slide on."""
    floor = Plane((0, 0, 0), (0, 0, 1))
    simulation = Simulation(
        [Ball((0, 0, RADIUS), radius=RADIUS, restitution=0.5)], [floor], (0, 0, -G), 0.005, "steps"
    )
    lying = simulation.position.copy(), simulation.velocity.copy()
    simulation.velocity[0] = (1, 0, 0)
    simulation.run(until=1.0)
    assert simulation.sliding[0]
    before = len(simulation.impacts)
    simulation.restore(0.0, *lying)
    simulation.run(until=0.5)
    assert simulation.asleep[0]
    assert simulation.impacts.kind[before:].tolist() == ["rest"]
    assert (simulation.position == lying[0]).all()


def test_rows_say_along_what_a_ball_slides_also_where_it_never_flies():
    angle = np.radians(5.0)
    up = np.array((np.sin(angle), 0.0, np.cos(angle)))
    ramp, floor = (
        Obstacle(Plane((0, 0, 0), normal), 0.0, name=name)
        for name, normal in (("ramp", tuple(up)), ("floor", (0, 0, 1)))
    )
    place = np.array((-1.0, 0.0, np.tan(angle))) + 0.1 * up
    ball = Ball(tuple(place), radius=0.1, restitution=0.0)
    simulation = Simulation([ball], [ramp, floor], (0, 0, -G), 0.001, "steps")
    simulation.run(until=4.0)
    rows = simulation.impacts
    slides = rows[(rows.kind == "slide") | (rows.kind == "wake")]
    assert slides.obstacle.tolist() == ["ramp", "floor"]
