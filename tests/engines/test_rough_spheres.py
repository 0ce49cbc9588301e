"""Rough balls in both engines: gases of them are as theory has it, and the engines agree."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from worlds import box

from spheresim import Ball, Material, MaterialPair, Obstacle, Plane, PowerLaw, Simulation, Surfaces
from spheresim.analysis.drift import Drift, kinetic_energy, rotational_energy

pytestmark = pytest.mark.compiled_only

ENGINES = pytest.mark.parametrize("engine", ["steps", "events"])
SMOOTH_WALL = (Material("wall", 1.0, -1.0),)


def places(count, side):
    """The first of as many points of a cubic lattice as are needed, in a cube."""
    cells = int(np.ceil(count ** (1 / 3)))
    points = np.stack(np.meshgrid(*[np.arange(cells)] * 3), axis=-1).reshape(-1, 3)[:count]
    return (points + 0.5) * (side / cells)


def scattered(count, side, random):
    """Random places in a cube for balls of radius 0.5, clear of its walls and of each other."""
    found = random.uniform(0.5, side - 0.5, (2 * count, 3))
    close = cKDTree(found).query_pairs(1.0, output_type="ndarray")
    kept = np.delete(found, close.max(axis=1), axis=0)
    assert len(kept) >= count
    return kept[:count]


def gas(count, side, surfaces, spin=0.0, seed=5, engine="events", **of_ball):
    """Balls with kT = 1, and kT = spin² of rotation, in a box of smooth elastic walls."""
    random = np.random.default_rng(seed)
    turn = spin / np.sqrt(0.4 * 0.25)
    balls = [
        Ball(
            x, random.normal(size=3), 0.5, angular_velocity=turn * random.normal(size=3), **of_ball
        )
        for x in scattered(count, side, random)
    ]
    simulation = Simulation(
        balls,
        [wall._replace(material="wall") for wall in box(side)],
        engine=engine,
        surfaces=surfaces,
    )
    simulation.keep_impacts(False)
    return simulation


def temperatures(simulation):
    """Of translation and rotation: two thirds of the energies per ball."""
    state, count = simulation.current(), len(simulation.balls)
    whole, turning = (f(simulation.world, state) for f in (kinetic_energy, rotational_energy))
    return np.array([whole - turning, turning]) / (1.5 * count)


@pytest.mark.parametrize(
    ("restitution", "beta", "spin"),
    [(1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.9, -0.5, 1.5), (0.8, 0.8, 0.5)],
)
def test_translation_and_rotation_exchange_energy_at_the_mean_field_rates(restitution, beta, spin):
    # M. Huthmann and A. Zippelius, Dynamics of inelastically colliding rough spheres, Physical
    # Review E 56, R6275 (1997): per impact of a ball, with η = q (1 + β) / (2 q + 2),
    #   dT_tr/dτ = ⁴⁄₃ (B T_rot − A T_tr),   dT_rot/dτ = ⁴⁄₃ (B T_tr − C T_rot).
    count, q = 8000, 0.4
    simulation = gas(
        count, 40.0, Surfaces(beta, materials=SMOOTH_WALL), spin, restitution=restitution
    )
    eta = q * (1 + beta) / (2 * q + 2)
    a = (1 - restitution**2) / 4 + eta * (1 - eta)
    b, c = eta**2 / q, eta / q * (1 - eta / q)
    start = temperatures(simulation)
    values, vectors = np.linalg.eigh(4 / 3 * np.array([[-a, b], [b, -c]]))
    for per_ball in (0.25, 0.5, 1.0):
        while simulation.tally.ball_impacts < per_ball * count / 2:
            simulation.run(impacts=50)
        tau = 2 * simulation.tally.ball_impacts / count
        expected = vectors @ (np.exp(values * tau) * (vectors.T @ start))
        assert temperatures(simulation) == pytest.approx(expected, rel=0.03)


def test_perfectly_rough_balls_keep_their_energy_and_share_it_equally():
    simulation = gas(1000, 20.0, Surfaces(1.0, materials=SMOOTH_WALL))
    before = simulation.energy()
    simulation.run(impacts=100_000)
    assert simulation.energy() == pytest.approx(before, rel=1e-12)
    translation, rotation = temperatures(simulation)
    assert rotation / translation == pytest.approx(1.0, abs=0.1)
    assert translation + rotation == pytest.approx(before / 1500, rel=1e-12)


@pytest.mark.parametrize(
    ("restitution", "exponent"), [(PowerLaw(0.15, 0.2), 5 / 3), (PowerLaw(0.15, 0.0), 2.0)]
)
def test_a_gas_of_viscoelastic_balls_cools_as_the_time_to_minus_five_thirds(restitution, exponent):
    # T. Schwager and T. Pöschel, Coefficient of restitution of viscous particles and cooling rate
    # of granular gases, Physical Review E 57, 650 (1998): T ~ t^(−5/3); with a constant t^(−2).
    pairs = (MaterialPair(("ball", "wall"), 1.0),)
    made = (Material("ball", restitution), Material("wall"))
    simulation = gas(2000, 28.0, Surfaces(materials=made, pairs=pairs), material="ball")
    times, cooled = [], []
    for time in np.geomspace(300.0, 6000.0, 12):
        simulation.run(until=time)
        times.append(time)
        cooled.append(temperatures(simulation)[0])
    slope, _ = np.polyfit(np.log(times), np.log(cooled), 1)
    assert slope == pytest.approx(-exponent, rel=0.04)


def rough_world(seed, **options):
    """A few balls of all sizes in a box, of materials that do all there is."""
    random = np.random.default_rng(seed)
    surfaces = Surfaces(
        float(random.choice([-1.0, 0.0, 0.5, 1.0])),
        materials=(
            Material("a", PowerLaw(0.1), 0.7, 0.2),
            Material("b", ((0.0, 0.9), (2.0, 0.6)), 1.0),
        ),
        pairs=(MaterialPair(("a", "b"), 0.95, friction=0.5),),
    )
    balls = [
        Ball(
            x + random.uniform(-0.3, 0.3, 3),
            random.normal(size=3),
            radius=random.uniform(0.4, 0.7),
            mass=random.uniform(0.5, 2.0),
            angular_velocity=3 * random.normal(size=3),
            material=random.choice([None, "a", "b"]),
            inertia_factor=random.uniform(0.1, 2 / 3),
        )
        for x in places(8, 6.0)
    ]
    return Simulation(
        balls, [wall._replace(material="b") for wall in box(6.0, 0.9)], surfaces=surfaces, **options
    )


@pytest.mark.parametrize("seed", range(4))
def test_both_engines_tell_the_same_impacts_and_account_for_all_energy(seed):
    told = {}
    for engine in ("steps", "events"):
        simulation = rough_world(seed, engine=engine, step=0.05)
        drift = Drift(simulation.world, simulation.state)
        simulation.run(impacts=25)
        account = drift.account(simulation.state, simulation.tally.dissipated)
        assert abs(account.remainder) < 1e-12 * account.start
        told[engine] = simulation.impacts
    steps, events = told["steps"], told["events"]
    for name in ("kind", "i", "j", "obstacle"):
        assert (steps[name] == events[name]).all()
    for name in ("t", "vn_after", "impulse", "tx", "ty", "tz"):
        assert steps[name] == pytest.approx(events[name], rel=1e-9, abs=1e-9)


@ENGINES
def test_a_change_of_spins_by_hand_is_taken_over_and_checkpoints_keep_them(engine):
    simulation = rough_world(1, engine=engine)
    spins = simulation.angular_velocity
    simulation.run(until=0.5)
    assert spins is simulation.angular_velocity or (spins == simulation.angular_velocity).all()
    simulation.balls[0].angular_velocity = (0.0, 0.0, 7.0)
    assert tuple(simulation.angular_velocity[0]) == (0.0, 0.0, 7.0)
    saved = simulation.checkpoint()
    ways = []
    for _ in range(2):
        simulation.run(until=1.5)
        ways.append((simulation.velocity.copy(), simulation.angular_velocity.copy()))
        simulation.resume(saved)
        assert tuple(simulation.balls[0].angular_velocity) == (0.0, 0.0, 7.0)
    assert np.array_equal(ways[0], ways[1])
    simulation.angular_velocity[3, 1] = np.nan
    with pytest.raises(ValueError, match="the angular_velocity of ball 3 must be finite"):
        simulation.run(until=2.0)


def test_balls_come_and_go_with_their_spins():
    simulation = rough_world(2, engine="events")
    simulation.run(until=0.3)
    before = simulation.angular_velocity.copy()
    simulation.remove(0)
    assert np.array_equal(simulation.angular_velocity, before[1:])
    simulation.add(Ball((3, 3, 3), radius=0.1, angular_velocity=(1, 2, 3), material="a"))
    assert tuple(simulation.angular_velocity[-1]) == (1.0, 2.0, 3.0)
    assert simulation.balls[-1].material == "a"
    smooth = Simulation([Ball((0, 0, 0), radius=1)], engine="events")
    assert smooth.angular_velocity is None
    assert tuple(smooth.balls[0].angular_velocity) == (0.0, 0.0, 0.0)
    for turn in (
        lambda: smooth.add(Ball((3, 3, 3), radius=1, angular_velocity=(1, 2, 3))),
        lambda: setattr(smooth, "angular_velocity", [(1, 0, 0)]),
        lambda: setattr(smooth.balls[0], "angular_velocity", (1, 0, 0)),
    ):
        with pytest.raises(ValueError, match="cannot be set in a world without spins"):
            turn()


# --- Under gravity, in plain Python where that is asked for -----------------------------------

FLOOR = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.8)


@ENGINES
@pytest.mark.thorough
def test_a_ball_with_backspin_comes_back_and_then_slides_without_friction(engine):
    ball = Ball((0, 1.5, 0), (1, 0, 0), 0.5, restitution=0.8, angular_velocity=(0, 0, 30))
    surfaces = Surfaces(0.0, 0.4)
    simulation = Simulation(
        [ball], [FLOOR], (0, -10, 0), engine=engine, step=1e-3, surfaces=surfaces
    )
    drift = Drift(simulation.world, simulation.state)
    simulation.run(until=30.0)
    # It rolls in the end: v = -r ω. About the floor r v + 2/5 r² ω is kept, which gives v.
    roll = (1 - 0.4 * 0.5 * 30) / 1.4
    assert simulation.velocity[0, 0] == pytest.approx(roll, rel=1e-9)
    assert simulation.angular_velocity[0, 2] * -0.5 == pytest.approx(roll, rel=1e-9)
    assert simulation.sliding[0]
    # Impacts keep to Coulomb's cone; contact that lasts is smooth.
    hits = simulation.impacts[simulation.impacts.kind == "obstacle"]
    assert (np.abs(hits.tx) <= 0.4 * hits.impulse * (1 + 1e-12)).all()
    if engine == "events":
        account = drift.account(simulation.state, simulation.tally.dissipated)
        assert abs(account.remainder) < 1e-12 * account.start


@pytest.mark.thorough
@ENGINES
def test_a_heap_of_rough_balls_comes_to_rest(engine):
    random = np.random.default_rng(3)
    balls = [
        Ball(x, random.normal(size=3), 0.5, restitution=0.5,
             angular_velocity=5 * random.normal(size=3))
        for x in places(27, 4.5)
    ]  # fmt: skip
    simulation = Simulation(
        balls, box(4.5, 0.5), (0, -10, 0), engine=engine, step=2e-3, surfaces=Surfaces(0.3, 0.3)
    )
    drift = Drift(simulation.world, simulation.state)
    simulation.run(until=20.0)
    lying = simulation.asleep | simulation.sliding
    assert lying.all()
    assert np.isfinite(simulation.angular_velocity).all()
    account = drift.account(simulation.state, simulation.tally.dissipated)
    if engine == "events":
        assert abs(account.remainder) < 1e-9 * account.start
    assert (simulation.impacts.kind == "obstacle").sum() == simulation.tally.obstacle_impacts
