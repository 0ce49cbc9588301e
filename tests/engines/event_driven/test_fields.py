"""Fields of the exact engine: flights on ellipses in a harmonic trap, and on parabolas that differ
where each ball has an acceleration of its own."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from worlds import box

from spheresim import (
    Ball,
    Box,
    ConstantAccelerations,
    Cuboid,
    Fill,
    HarmonicTrap,
    Obstacle,
    Plane,
    Simulation,
    TVector,
)
from spheresim.engines.event_driven.trapped_toi import trapped_pair_toi, trapped_plane_toi

pytestmark = pytest.mark.rare_kernels

REGION = {"low": (-1, -1, -1), "high": (1, 1, 1)}
NUMBERS = st.floats(-3, 3)
VECTORS = st.builds(TVector, NUMBERS, NUMBERS, NUMBERS)


def first_crossing(gap, until):
    """When a function of time first falls to 0, by small steps and bisection."""
    times = np.linspace(0.0, until, 2001)
    for start, end in pairwise(times.tolist()):
        if gap(start) > 0 >= gap(end):
            return brentq(gap, start, end, xtol=1e-15)
    return math.inf


@given(VECTORS, VECTORS, st.floats(0.1, 3), st.floats(0.3, 3))
def test_the_time_of_impact_of_a_pair_is_the_first_of_its_orbit(d, w, s, frequency):
    if d.mag() < 1.01 * s:
        return
    found = trapped_pair_toi(d, w, s, frequency, 0.0, 0.0)

    def gap(t):
        c, r = math.cos(frequency * t), math.sin(frequency * t) / frequency
        return math.sqrt(sum((a * c + b * r) ** 2 for a, b in zip(d, w, strict=True))) - s

    expected = first_crossing(gap, 0.5 * math.pi / frequency)
    if expected < math.inf:
        assert found == pytest.approx(expected, rel=1e-9)
    elif found < math.inf:  # a graze between two of the small steps
        assert abs(gap(found)) < 1e-12


@given(NUMBERS, st.floats(0.1, 3), st.floats(-3, 3), NUMBERS, st.floats(0.3, 3))
@example(distance=1.0, radius=2.0, height=1.0, vn=0.0, frequency=1.0)
def test_the_time_of_impact_on_a_plane_is_the_first(distance, radius, height, vn, frequency):
    if abs(distance - radius) < 1e-3:
        return
    found = trapped_plane_toi(distance, radius, height, vn, frequency, (0.0, 0.0))
    approaches = vn < 0.0 or (vn == 0.0 and height > 0.0)  # or begins to: the trap pulls it
    if 0.0 < distance < radius and approaches:
        assert found == 0.0
        return

    def gap(t):
        now = height * math.cos(frequency * t) + vn / frequency * math.sin(frequency * t)
        return distance - radius + now - height

    expected = first_crossing(gap, 2 * math.pi / frequency)
    if expected < math.inf:
        assert found == pytest.approx(expected, rel=1e-9)
    elif found < math.inf:
        assert abs(gap(found)) < 1e-12


def test_two_balls_that_fall_to_the_centre_meet_when_the_formula_says():
    # From rest at ±1, they touch when cos ωt is their radius; then they go back, and so on.
    balls = [Ball((side, 0, 0), radius=0.25) for side in (-1, 1)]
    simulation = Simulation(balls, field=HarmonicTrap(2.0), engine="events")
    simulation.run(until=20.0)
    half = math.acos(0.25) / 2.0
    expected = [half * (2 * k + 1) for k in range(len(simulation.impacts))]
    assert len(expected) == 15
    assert simulation.impacts.t == pytest.approx(expected, rel=1e-12)
    # What they have then is the energy of their fall.
    assert simulation.impacts.vn_before == pytest.approx(-4.0 * math.sqrt(1 - 0.25**2), rel=1e-12)


def test_gravity_moves_the_centre():
    ball = Ball((1, 2, 3), (0.1, 0.2, 0.3), radius=0.1)
    trap = HarmonicTrap(1.5, (0, 1, 0))
    simulation = Simulation(ball, field=trap, gravity=(0, -9, 0), engine="events")
    simulation.run(until=7.0)
    centre, angle = np.array((0, 1 - 9 / 1.5**2, 0)), 7.0 * 1.5
    away, speed = np.array((1, 2, 3)) - centre, np.array((0.1, 0.2, 0.3))
    expected = centre + away * math.cos(angle) + speed / 1.5 * math.sin(angle)
    assert simulation.position[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.compiled_only
def test_the_centre_of_mass_swings_as_if_nothing_were_hit():
    """Kohn's theorem (W. Kohn, Physical Review 123, 1242 (1961)), here for hard spheres."""
    fills = [
        Fill(count=n, radius=r, mass=m, region=REGION, temperature=1, seed=n)
        for n, r, m in ((60, 0.1, 1.0), (5, 0.2, 7.0))
    ]
    simulation = Simulation(fills, field=HarmonicTrap(2.0), engine="events")
    mass = simulation.world.mass
    energy, share = simulation.energy(), mass / mass.sum()
    place, velocity = share @ simulation.position, share @ simulation.velocity
    simulation.run(until=30.0)
    assert simulation.tally.ball_impacts > 3000
    assert simulation.tally.deepest_overlap < 1e-13
    assert simulation.energy() == pytest.approx(energy, rel=1e-12)
    expected = place * math.cos(60.0) + velocity / 2.0 * math.sin(60.0)
    assert share @ simulation.position == pytest.approx(expected, abs=1e-12)
    angle = np.cross(simulation.position, simulation.velocity).T @ mass
    simulation.run(until=31.0)
    after = np.cross(simulation.position, simulation.velocity).T @ mass
    assert after == pytest.approx(angle, abs=1e-10)


@pytest.mark.compiled_only
def test_a_thin_gas_breathes_for_ever():
    """The monopole mode of a gas of points in a trap is not damped (L. Boltzmann, Über die
    Aufstellung und Integration der Gleichungen, 1876; D. Guéry-Odelin et al., Physical Review A 60,
    4851 (1999)): Σ x² swings at 2ω about its mean, through any number of
    impacts. The size of the balls shifts its phase a little."""
    fill = Fill(count=1000, radius=0.012, region=REGION, temperature=0.2, seed=1)
    simulation = Simulation(fill, field=HarmonicTrap(1.0), engine="events")
    simulation.keep_impacts(False)
    size, times = [], np.linspace(0.0, 30.0, 301)
    for t in times[1:]:
        simulation.run(until=float(t))
        size.append((simulation.position**2).sum())
    per_ball = 2.0 * simulation.tally.ball_impacts / 1000
    assert per_ball > 4.0
    wave = np.array([np.ones(300), np.cos(2 * times[1:]), np.sin(2 * times[1:])]).T
    first, last = (
        np.linalg.lstsq(wave[part], np.array(size)[part], rcond=None)[0]
        for part in (slice(0, 63), slice(237, 300))
    )
    swing, mean = np.hypot(first[1], first[2]), first[0]
    assert swing > 0.1 * mean
    assert np.hypot(last[1], last[2]) == pytest.approx(swing, rel=0.05)


@pytest.mark.parametrize(
    ("count", "until"), [(6, 4.0), pytest.param(60, 10.0, marks=pytest.mark.compiled_only)]
)
def test_walls_hold_balls_in_a_trap(count, until):
    walls = [
        Obstacle(Plane((0, -0.8, 0), (0, 1, 0)), name="below the centre"),
        Obstacle(Plane((0.4, 0, 0), (-1, 0.1, 0)), name="beside it"),
        Obstacle(Plane((-0.2, 0.1, 0), (1, 0, 0.1)), name="beyond it"),
    ]
    region = {"low": (-0.1, -0.7, -1), "high": (0.3, 1, 1)}
    fill = Fill(count=count, radius=0.05, region=region, temperature=1, seed=1)
    trap = HarmonicTrap(2.0, (0, 0.2, 0))
    simulation = Simulation(fill, walls, field=trap, engine="events")
    energy = simulation.energy()
    simulation.run(until=until)
    assert {wall.name for wall in walls} == set(simulation.impacts.obstacle) - {""}
    assert simulation.energy() == pytest.approx(energy, rel=1e-12)
    assert simulation.tally.deepest_overlap < 1e-13
    for wall in walls:
        assert (wall.shape.gaps(simulation.position) > 0.05 - 1e-12).all()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"obstacles": [Cuboid((9, 9, 9), (1, 1, 1))]}, "obstacles must be planes, and 'cuboid 0'"),
        ({"box": Box(size=(9, 9, 9))}, "a trap must be in open space"),
    ],
)
def test_what_a_trap_cannot_do_is_told(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Simulation(Ball((1, 0, 0), radius=0.1), field=HarmonicTrap(1.0), engine="events", **options)


@pytest.mark.parametrize("frequency", [0.0, -1.0, math.inf, "fast"])
def test_a_frequency_that_is_none_is_told(frequency):
    with pytest.raises((TypeError, ValueError), match="a trap's frequency must be"):
        HarmonicTrap(frequency)


# --- Accelerations of their own ---------------------------------------------------------------

PLANES = box(4.0, low=(-2, -2, -2))
ROOMS = [
    pytest.param(PLANES, id="planes"),
    pytest.param([Cuboid((0, 0, 0), (4, 4, 4))], id="cuboid", marks=pytest.mark.thorough),
]
ROOM = {"low": (-1.9, -1.9, -1.9), "high": (1.9, 1.9, 1.9)}


def of_two_kinds(room, **options):
    """Forty balls that are pulled down and sideways, and thirty larger ones that are pulled up."""
    fills = [
        Fill(count=40, radius=0.15, region=ROOM, temperature=1, seed=1),
        Fill(count=30, radius=0.2, mass=3, region=ROOM, temperature=1, seed=2),
    ]
    own = np.repeat([(1.0, -2.0, 0.0), (0.0, 1.5, 0.0)], [40, 30], axis=0)
    return Simulation(fills, room, field=ConstantAccelerations(own), engine="events", **options)


def test_two_balls_pulled_together_meet_when_the_formula_says():
    # Gaps of 1.5 close at ½·(2 + 1)·t²; elastic and of equal masses, they swap velocities then.
    balls = [Ball((-1, 0, 0), radius=0.25), Ball((1, 0, 0), radius=0.25)]
    field = ConstantAccelerations([(2, 0, 0), (-1, 0, 0)])
    simulation = Simulation(balls, field=field, gravity=(0, -1, 0), engine="events")
    simulation.run(until=3.5)
    first = 1.0
    expected = [first * (2 * k + 1) for k in range(2)]
    assert simulation.impacts.t == pytest.approx(expected, rel=1e-12)
    assert simulation.impacts.vn_before == pytest.approx(-3.0, rel=1e-12)
    assert simulation.position[:, 1] == pytest.approx(-0.5 * 3.5**2, rel=1e-12)


@pytest.mark.compiled_only
@pytest.mark.parametrize("room", ROOMS)
def test_energy_is_kept_in_a_closed_room_of_balls_with_accelerations_of_their_own(room):
    simulation = of_two_kinds(room, gravity=(0, -0.2, 0.1))
    energy = simulation.energy()
    simulation.run(until=20.0)
    assert len(simulation.impacts) > 1000
    assert simulation.energy() == pytest.approx(energy, rel=1e-11)
    assert simulation.tally.deepest_overlap < 1e-12
    height = simulation.position[:, 1]
    assert height[40:].mean() > height[:40].mean() + 0.5  # the kinds part


def test_equal_accelerations_are_gravity():
    balls = [Ball((k, 2 + k, 0), (0.3, 0, 0.1), radius=0.45) for k in range(4)]
    floor = Plane((0, 0, 0), (0, 1, 0))
    pull = (0.1, -9.0, 0)
    one = Simulation(balls, [floor], pull, engine="events")
    other = Simulation(balls, [floor], field=ConstantAccelerations([pull] * 4), engine="events")
    for simulation in (one, other):
        simulation.run(until=3.0)
    assert len(one.impacts) > 6
    assert other.position == pytest.approx(one.position, abs=1e-9)


def test_a_periodic_box_is_no_obstacle():
    balls = [Ball((1, 1, 1), radius=0.25), Ball((3, 1, 1), radius=0.25)]
    field = ConstantAccelerations([(0, 0, 0), (2, 0, 0)])
    simulation = Simulation(balls, field=field, box=Box(size=(5, 5, 5)), engine="events")
    simulation.run(until=2.0)
    # Ball 1 flies on through the face at 5 and meets the image of ball 0 at 6.
    assert simulation.impacts.t == pytest.approx([np.sqrt(2.5)], rel=1e-12)


@pytest.mark.parametrize("wrong", [(0, 0, 1), [(0, 0)], [(0, 0, np.nan)]])
def test_accelerations_that_are_none_are_told(wrong):
    with pytest.raises(ValueError, match=r"must be finite, with the shape \(n, 3\), not"):
        ConstantAccelerations(wrong)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize(("rows", "balls"), [(1, 3), (2, 1), (2, 3)])
def test_accelerations_of_other_balls_are_told_at_once(engine, rows, balls):
    field = ConstantAccelerations([(0, 0, 1)] * rows)
    with pytest.raises(ValueError, match=f"must be one for each of {balls} balls, not {rows}"):
        Simulation(
            [Ball((3 * k, 0, 0), radius=1) for k in range(balls)], field=field, engine=engine
        )


# --- Both engines --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "balls", "until"),
    [
        (
            HarmonicTrap(2.0),
            [
                Ball((1, 0, 0), (0, 0.5, 0), radius=0.1),
                Ball((-1, 0.05, 0), (0, 0.5, 0.1), radius=0.2, mass=2),
            ],
            1.0,
        ),
        (
            ConstantAccelerations([(2, 0, 0), (-1, 0.5, 0)]),
            [
                Ball((-1, 0.1, 0), radius=0.25),
                Ball((1, 0, 0), (0, 0.1, 0), radius=0.25, mass=2),
            ],
            1.6,
        ),
    ],
    ids=["trap", "accelerations"],
)
def test_both_engines_agree_as_the_step_gets_small(field, balls, until):
    def end(**options):
        simulation = Simulation(balls, field=field, **options)
        simulation.run(until=until)
        assert len(simulation.impacts) == 1
        return simulation.position.copy()

    exact = end(engine="events")
    for step in (8e-3, 4e-3, 2e-3, 5e-4):
        assert abs(end(step=step) - exact).max() < 1.8 * step
