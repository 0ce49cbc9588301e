"""Tight places: an elastic ball that bounces there without end keeps its energy, and comes out."""

import math

import numpy as np
import pytest

from spheresim import Ball, Cylinder, Plane, Simulation, TVector
from spheresim.collision.corner import Contact, corner_exit
from spheresim.compiler.decorators import COMPILED

ENGINES = pytest.mark.parametrize("engine", ["events", "steps"])
ONLY_COMPILED = pytest.mark.compiled_only


def through(engine, balls, obstacles=(), until=6.0):
    """A run to a time, in one long step; the drift of its energy, relative."""
    simulation = Simulation(balls, obstacles, engine=engine, step=100.0)
    before = simulation.energy()
    simulation.run(until=until)
    assert simulation.time == until
    return simulation, simulation.energy() / before - 1.0


def pillars(deficit):
    """Two pillars between which a ball of radius 1 does not pass, by so much."""
    return [Cylinder((0, s * (2 - deficit / 2), 0), (0, 0, 1), 1) for s in (1, -1)]


def wedge(angle):
    """Two planes whose offset by 1 meets at the origin, open towards −x."""
    return [Plane((0, s, 0), (-math.tan(angle / 2), -s, 0)) for s in (1, -1)]


@ONLY_COMPILED
@ENGINES
@pytest.mark.parametrize("exponent", range(3, 16))
@pytest.mark.parametrize("along", [0.0, 0.3])
def test_a_ball_comes_back_from_between_two_pillars(engine, exponent, along):
    deficit = 10.0**-exponent
    ball = Ball((-3, 0, 0), (1, 0, along), radius=1)
    simulation, drift = through(engine, [ball], pillars(deficit))
    assert abs(drift) < 1e-10
    corner = 2.0 * math.sqrt(deficit)  # the angle at which the grown pillars meet, about
    assert simulation.velocity[0] == pytest.approx((-1, 0, along), abs=2.0 * corner + 1e-9)
    assert simulation.tally.collapse_answers == 0


@pytest.mark.cases(1)
@ONLY_COMPILED
@ENGINES
@pytest.mark.parametrize("aside", [1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("deficit", [3e-8, 1e-8, 3e-9, 1e-11])
def test_and_keeps_its_energy_where_it_comes_askew(engine, aside, deficit):
    ball = Ball((-3, aside, 0), (1, 0, 0.3), radius=1)
    simulation, drift = through(engine, [ball], pillars(deficit))
    assert abs(drift) < 1e-12 + 2e-15 * len(simulation.impacts)  # the rounding of each bounce
    assert simulation.position[0, 0] < 0.0
    assert simulation.velocity[0, 2] == pytest.approx(0.3, abs=1e-12)


@ONLY_COMPILED
@pytest.mark.parametrize("deficit", [3e-8, 1e-8, 1e-11])
@pytest.mark.parametrize("x", [10.0, 3.0])
def test_two_images_of_one_pillar_make_a_corner_too(deficit, x):
    # A pillar of radius 9.5 in a periodic box of 20 leaves a gap of 1 to its own image.
    ball = Ball((x - 10.0, 7, 5), (0, 1, 0), radius=0.5 + deficit / 2)
    pillar = Cylinder((x, 10, 0), (0, 0, 1), 9.5)
    simulation = Simulation([ball], [pillar], box=(20, 20, 20))
    simulation.run(until=3.2)
    corner = 2.0 * math.sqrt(10.0 * deficit)
    assert simulation.velocity[0] == pytest.approx((0, -1, 0), abs=2.0 * corner)
    assert np.linalg.norm(simulation.velocity[0]) == pytest.approx(1.0, abs=1e-11)
    assert simulation.tally.collapse_answers == 0


@ONLY_COMPILED
@ENGINES
@pytest.mark.parametrize("exponent", range(1, 10))
def test_a_ball_comes_back_from_a_wedge_of_two_planes(engine, exponent):
    angle = 10.0**-exponent
    ball = Ball((-3, 0, 0), (1, 0, 0.25), radius=1)
    simulation, drift = through(engine, [ball], wedge(angle))
    assert abs(drift) < 1e-11
    assert simulation.velocity[0] == pytest.approx((-1, 0, 0.25), abs=angle)


@ONLY_COMPILED
@ENGINES
@pytest.mark.parametrize("exponent", range(3, 16, 2))
def test_and_from_between_a_pillar_and_a_plane(engine, exponent):
    deficit = 10.0**-exponent
    things = [Cylinder((0, 2 - deficit, 0), (0, 0, 1), 1), Plane((0, -1, 0), (0, 1, 0))]
    ball = Ball((-3, 1e-14, 0), (1, -1e-14, 0.3), radius=1)
    simulation, drift = through(engine, [ball], things)
    assert abs(drift) < 1e-10
    assert simulation.velocity[0] == pytest.approx(
        (-1, 0, 0.3), abs=3.0 * math.sqrt(2.0 * deficit) + 1e-9
    )


@pytest.mark.cases(1)
@ONLY_COMPILED
@ENGINES
@pytest.mark.parametrize("mass", [1e4, 1e8, 1e18])
@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-15])
def test_a_ball_between_two_heavy_ones_keeps_energy_and_momentum(engine, mass, gap):
    balls = [
        Ball((0, 0, 0), (1e-3, 1e-9, 0), radius=1),
        Ball((-2 - 1e-15, 0, 0), radius=1, mass=mass),
        Ball((2 + gap, 0, 0), (-1e-6, 0, 0), radius=1, mass=mass),
    ]
    before = (simulation := Simulation(balls)).momentum()
    simulation, drift = through(engine, balls)
    assert abs(drift) < 1e-9
    assert simulation.momentum().x == pytest.approx(before.x, rel=1e-9)
    for heavy in (1, 2):  # nobody went through, but the light one may be squeezed out
        assert math.dist(simulation.position[0], simulation.position[heavy]) > 2.0 - 1e-9


@ONLY_COMPILED
@ENGINES
@pytest.mark.parametrize("along", [0.0, 0.5])
def test_a_ball_that_slides_round_a_tube_keeps_its_speed(engine, along):
    tube = Cylinder((0, 0, 0), (0, 0, 1), 2)
    simulation, drift = through(engine, [Ball((0, 1, 0), (1, 0, along), radius=1)], [tube])
    assert abs(drift) < 1e-11
    x, y, z = simulation.position[0]
    assert math.hypot(x, y) == pytest.approx(1.0, abs=1e-7)
    assert z == pytest.approx(6.0 * along, rel=1e-9)
    assert math.atan2(x, y) == pytest.approx(6.0 - 2.0 * math.pi, abs=1e-6)


@ONLY_COMPILED
@ENGINES
def test_the_rows_of_a_corner_tell_what_it_did_to_the_ball(engine):
    """The impulses, each along its normal, add up to the change of momentum."""
    ball = Ball((-3, 0, 0), (1, 0, 0.3), radius=1, mass=2.0)
    simulation, _ = through(engine, [ball], wedge(1e-6))
    rows = simulation.impacts
    assert len(rows) > 2
    normals = np.stack([rows.nx, rows.ny, rows.nz], axis=1)
    change = (rows.impulse[:, np.newaxis] * normals).sum(axis=0)
    assert change == pytest.approx(2.0 * (simulation.velocity[0] - (1, 0, 0.3)), abs=1e-8)
    assert (rows.vn_before < 0.0).all()
    assert (rows.vn_after >= 0.0).all()
    assert (np.diff(rows.t) >= 0.0).all()


@ONLY_COMPILED
@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_what_is_not_elastic_loses_its_way_in_as_before(restitution):
    ball = Ball((-3, 0, 0), (1, 0, 0), radius=1, restitution=restitution)
    simulation = Simulation([ball], pillars(1e-6), step=100.0)
    simulation.run(until=6.0)
    assert simulation.energy() < 0.5


def bounces_one_by_one(velocity, mass, contacts):
    """What `corner_exit` is a closed form of."""
    speeds, impulses, bounces = [c.velocity for c in contacts], [0.0, 0.0], 0
    while True:
        k = bounces % 2
        vn = (velocity - speeds[k]).dot(contacts[k].normal)
        if vn >= 0.0:
            return bounces, velocity, speeds, impulses
        impulse = -2.0 * vn / (1.0 / mass + contacts[k].inverse_mass)
        velocity = velocity + contacts[k].normal * (impulse / mass)
        speeds[k] = speeds[k] - contacts[k].normal * (impulse * contacts[k].inverse_mass)
        impulses[k] += impulse
        bounces += 1


@pytest.mark.parametrize("movable", [(False, False), (True, False), (False, True), (True, True)])
def test_the_way_out_is_that_of_all_the_bounces(movable):
    random = np.random.default_rng(5)
    compared = 0
    for _ in range(300 if COMPILED else 100):
        normal = TVector(random.normal(size=3)).unit()
        tilt = 10.0 ** random.uniform(-3, 0.5)
        other = (normal * -1.0 + TVector(random.normal(size=3)) * tilt).unit()
        mass = 10.0 ** random.uniform(-4, 1)
        contacts = [
            Contact(
                n, TVector(random.normal(size=3)) * moves, moves * 10.0 ** random.uniform(-6, 0)
            )
            for n, moves in zip((normal, other), map(float, movable), strict=True)
        ]
        velocity = TVector(random.normal(size=3))
        bounces, after, speeds, impulses = bounces_one_by_one(velocity, mass, contacts)
        way = corner_exit(velocity, mass, *contacts)
        if bounces < 2:
            assert way.bounces == 0.0
            continue
        compared += 1
        assert way.bounces == bounces
        scale = max(1.0, after.mag()) * 1e-9
        assert way.velocity == pytest.approx(after, abs=scale)
        assert way.velocity_a == pytest.approx(speeds[0], abs=scale)
        assert way.velocity_b == pytest.approx(speeds[1], abs=scale)
        found = way.response_a.impulse, way.response_b.impulse
        assert found == pytest.approx(impulses, rel=1e-8)
    assert compared > 20
