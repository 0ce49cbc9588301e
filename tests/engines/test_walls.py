"""Obstacles that move and obstacles that are warm: against closed forms, and engine by engine."""

import math
from functools import partial

import numpy as np
import pytest
from checkpoints import goes_on_alike
from worlds import room

from spheresim import (
    Ball,
    Box,
    ConstantVelocity,
    Cuboid,
    Cylinder,
    Obstacle,
    Oscillation,
    PiecewiseMotion,
    Piston,
    Plane,
    Simulation,
    Sphere,
    SteadyRotation,
    Surfaces,
    Thermal,
    compress,
)
from spheresim.analysis.drift import Drift

pytestmark = pytest.mark.compiled_only

ENGINES = ("events", "steps")
FLOOR = Plane((0, 0, 0), (0, 1, 0))


def plates(lower, upper, height=1.2):
    """Two planes that face each other, with what each is besides."""
    top = Plane((0, height, 0), (0, -1, 0))
    return [Obstacle(FLOOR, name="lower", **lower), Obstacle(top, name="upper", **upper)]


def remainder(simulation, drift):
    """What energy is left to explain, relative to the largest energy of the account."""
    tally = simulation.tally
    account = drift.account(simulation.state, tally.dissipated, tally.given)
    return abs(account.remainder) / account.scale


@pytest.mark.parametrize("engine", ENGINES)
def test_a_ball_leaves_a_moving_wall_with_the_speed_of_its_frame(engine):
    wall = Obstacle(FLOOR, 0.5, motion=ConstantVelocity((0, 1, 0)))
    simulation = Simulation([Ball((0, 4.5, 0), (2, -3, 0), radius=0.5, mass=2)], [wall],
                            engine=engine, step=0.3)  # fmt: skip
    simulation.run(until=2.0)
    (impact,) = simulation.impacts
    assert (impact.t, impact.y, impact.vn_before) == pytest.approx((1.0, 1.0, -4.0))
    assert (impact.vn_after, impact.impulse) == pytest.approx((2.0, 12.0))
    assert tuple(simulation.velocity[0]) == pytest.approx((2, 3, 0))
    (row,) = simulation.walls
    assert (row.impacts, row.work, row.y, row.vy) == pytest.approx((1, 12.0, 2.0, 1.0))
    assert simulation.tally.dissipated == pytest.approx(0.5 * 2 * (16 - 4))


def plate_of(acceleration, restitution, frequency=1.0, g=10.0):
    """A plate that vibrates with Γ = Aω²/g, and a ball on its locked orbit of one period."""
    turn = 2.0 * math.pi * frequency
    amplitude = acceleration * g / turn**2
    # The ball comes back after one period with the speed v = gT/2, and so the plate has the speed
    # u = v·(1 − e)/(1 + e) when it hits, at the phase φ with Aω·cos φ = u.
    v = 0.5 * g / frequency
    cosine = v * (1.0 - restitution) / (1.0 + restitution) / (amplitude * turn)
    phase = math.degrees(math.acos(cosine))
    plate = Obstacle(FLOOR, restitution, motion=Oscillation(amplitude, frequency, (0, 1, 0), phase))
    return plate, v


def times_of_flight(acceleration, restitution=0.5, periods=400.5):
    plate, v = plate_of(acceleration, restitution)
    ball = Ball((0, 0.1, 0), (0, v * (1 + 1e-4), 0), radius=0.1)
    simulation = Simulation([ball], [plate], gravity=(0, -10, 0), engine="events")
    simulation.run(until=periods)
    return np.diff(simulation.impacts.t)


def test_a_ball_bounces_once_a_period_between_the_accelerations_of_the_bouncing_ball_map():
    """The linear map about the orbit has the determinant e², the trace 1 + e² − (1 + e)²·Γ·sin φ.
    So it is stable if Γ² is between (π(1−e)/(1+e))² and that plus (2(1+e²)/(1+e)²)² (P. J. Holmes,
    Journal of Sound and Vibration 84, 1982; N. B. Tufillaro and A. M. Albano, American Journal of
    Physics 54, 1986), and its period doubles above."""
    e = 0.5
    least = math.pi * (1 - e) / (1 + e)
    most = math.hypot(least, 2 * (1 + e * e) / (1 + e) ** 2)
    for acceleration in (least + 0.05, 0.5 * (least + most), most - 0.03):
        assert times_of_flight(acceleration)[-10:] == pytest.approx(1.0, abs=1e-6)
    doubled = times_of_flight(most + 0.03)
    assert np.abs(doubled[-2:] - 1.0).min() > 0.02
    assert doubled[-10:-2] == pytest.approx(doubled[-8:], abs=1e-4)  # two of them repeat
    assert doubled[-1] + doubled[-2] == pytest.approx(2.0, abs=1e-6)


def test_a_gas_that_a_slow_wall_compresses_keeps_the_invariant_of_an_adiabatic_process():
    side, speed, n = 1.0, 0.004, 150
    still, wall, *walls = room(0, side)
    wall = Obstacle(wall, motion=ConstantVelocity((-speed, 0, 0)))
    random = np.random.default_rng(3)
    grid = (np.stack(np.meshgrid(*[np.arange(6)] * 3), axis=-1).reshape(-1, 3)[:n] + 0.5) / 6
    radius = 0.012
    balls = [
        Ball(x, v, radius=radius) for x, v in zip(grid, random.normal(size=(n, 3)), strict=True)
    ]
    simulation = Simulation(balls, [still, wall, *walls], engine="events")
    drift = Drift(simulation.world, simulation.state)

    def invariant():
        """E·V^(2/3), of the volume that the centres have."""
        free = side - 2 * radius
        return simulation.energy() * ((free - speed * simulation.time) * free * free) ** (2 / 3)

    start, before = invariant(), simulation.energy()
    simulation.run(until=0.5 * side / speed)
    # The energy has grown by the factor 2^(2/3), and the invariant is what it was within 1 %.
    assert simulation.energy() / before == pytest.approx(2 ** (2 / 3), rel=0.03)
    assert invariant() / start == pytest.approx(1.0, rel=0.01)
    assert remainder(simulation, drift) < 1e-9


@pytest.mark.parametrize("components", ["normal", "all"])
def test_heat_flows_between_two_warm_walls_as_between_them_in_a_rarefied_gas(components):
    """A ball that is alone takes L·⟨1/v⟩ from wall to wall, with ⟨1/v⟩ = √(πm/2kT) of what it left,
    and carries 2kT, or kT along the normal: the flux of free molecules (M. Knudsen 1911)."""
    mass, length, hot, cold = 2.0, 1.0, 3.0, 1.0
    lower = {"thermal": Thermal(hot, components, seed=5)}
    simulation = Simulation(
        [Ball((0, 0.6, 0), (0, 1, 0), radius=0.1, mass=mass)],
        plates(lower, {"thermal": Thermal(cold, components, seed=6)}),
        engine="events",
    )
    simulation.run(until=20_000)
    crossing = length * math.sqrt(0.5 * math.pi * mass) * (hot**-0.5 + cold**-0.5)
    carried = (2.0 if components == "all" else 1.0) * (hot - cold)
    below, above = simulation.walls
    assert below.heat / simulation.time == pytest.approx(carried / crossing, rel=0.06)
    gained = simulation.energy() - 0.5 * mass
    assert below.heat + above.heat == pytest.approx(gained, abs=1e-9 * abs(below.heat))
    # Along the normal the speeds have the distribution 1 − exp(−m·v²/2kT).
    after = simulation.impacts.vn_after[simulation.impacts.obstacle == "lower"]
    part = 1.0 - np.exp(-0.5 * mass * np.sort(after) ** 2 / hot)
    expected = (np.arange(len(part)) + 0.5) / len(part)
    assert np.abs(part - expected).max() < 1.95 / math.sqrt(len(part))  # Kolmogorov, 0.1 %
    assert (after**2).mean() == pytest.approx(2 * hot / mass, rel=0.05)
    across = np.array(simulation.velocity)[0, [0, 2]]
    assert (across == 0).all() == (components == "normal")


def test_the_same_seed_gives_the_same_run_and_another_one_another():
    def of_seed(seed):
        warm, shaken = Thermal(2.0, seed=seed), Oscillation(0.1, 3, (0, 1, 0))
        ball = Ball((0, 0.6, 0), (0, 1, 0), radius=0.1)
        return Simulation([ball], plates({"thermal": warm}, {"motion": shaken}), engine="events")

    first, other = (goes_on_alike(partial(of_seed, seed), [10], 30) for seed in (1, 2))
    assert first.position.tolist() != other.position.tolist()


def test_a_piston_exchanges_momentum_and_energy_with_a_ball():
    simulation = Simulation(
        [Ball((0, 2.5, 0), (0, -2, 0), radius=0.5)],
        [Obstacle(FLOOR, motion=Piston(mass=3.0, velocity=1.0))],
        engine="events",
    )
    simulation.run(until=1.0)
    # They meet at t = 2/3 with the relative speed 3, and the ball leaves with −2 + 3·2·3/4.
    (impact,), (row,) = simulation.impacts, simulation.walls
    assert (impact.t, impact.impulse) == pytest.approx((2 / 3, 4.5))
    assert simulation.velocity[0, 1] == pytest.approx(2.5)
    assert row.vy == pytest.approx(1.0 - 4.5 / 3)
    assert row.y == pytest.approx(2 / 3 - 0.5 / 3)
    assert row.work == pytest.approx(0.5 * (2.5**2 - 2**2))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_gas_and_a_piston_conserve_their_energy_together(engine):
    mass, force = 20.0, 30.0
    balls = [Ball((x, y, 0), (0.3 * x, -x - y, 0.1), radius=0.1) for x in (0, 1) for y in (1, 2)]
    roof = Obstacle(Plane((0, 3, 0), (0, -1, 0)), motion=Piston(mass, force))
    simulation = Simulation(balls, [FLOOR, roof], engine=engine, step=0.05)

    def total():
        (row,) = simulation.walls
        return simulation.energy() + 0.5 * mass * row.vy**2 + force * row.y

    start = total()
    for time in (1.0, 3.7, 20.0):
        simulation.run(until=time)
        assert total() == pytest.approx(start, rel=1e-11)
    assert simulation.walls[0].impacts > 20


def test_a_piston_comes_to_the_height_at_which_pressures_balance():
    """A ball at the temperature T below a piston with the force F: the heights have the density
    L·exp(−FL/kT), and so the mean 2kT/F."""
    temperature, force = 1.0, 0.4
    roof = Obstacle(Plane((0, 5.2, 0), (0, -1, 0)), motion=Piston(1.0, force))
    floor = Obstacle(FLOOR, thermal=Thermal(temperature, seed=1))
    simulation = Simulation(
        [Ball((0, 1, 0), (0, 1, 0), radius=0.1)], [floor, roof], engine="events"
    )
    heights = []
    for time in range(5, 40_000, 5):
        simulation.run(until=time)
        heights.append(5.0 + simulation.walls[1].y)
    assert np.mean(heights) == pytest.approx(2 * temperature / force, rel=0.05)


def driven_world(engine, gravity=(0, 0, 0), restitution=0.9):
    """One of each: a vibrating floor, a warm lid, a piston, and what turns, drifts, comes back."""
    turning = SteadyRotation((0, 0, 1), 0.3, (0, 2, 0))
    obstacles = [
        Obstacle(FLOOR, restitution, motion=Oscillation(0.15, 0.8, (0.2, 1, 0), 50)),
        Obstacle(Plane((0, 4, 0), (0, -1, 0)), restitution, thermal=Thermal(2.0)),
        Obstacle(Plane((-2, 0, 0), (1, 0, 0)), restitution, motion=Piston(4.0, 2.0)),
        Obstacle(Plane((2, 0, 0), (-1, 0, 0)), restitution),
        Obstacle(Cylinder((0, 2, 0), (0, 1, 0), 5.0), 1.0, motion=ConstantVelocity((0, 0, 0.01))),
        Obstacle(Cuboid((0, 2, 0), (1.2, 0.4, 0.4)), 1.0, motion=turning),
        Obstacle(
            Sphere((0, 1, 1.5), 0.3),
            restitution,
            motion=PiecewiseMotion((0, 1, 3), [(0, 0, 0), (0, 0.5, 0), (0.5, 0.5, -0.5)]),
            thermal=Thermal(1.0, "normal", 3),
        ),
    ]  # fmt: skip
    random = np.random.default_rng(7)
    places = [(x, y, z) for x in (-1.2, 1.2) for y in (0.8, 3.0) for z in (-1, 0.5, 2.5)]
    balls = [Ball(place, random.normal(size=3), radius=0.2, restitution=restitution)
             for place in places]  # fmt: skip
    return Simulation(balls, obstacles, gravity, engine=engine, step=0.02)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_goes_on_from_a_checkpoint_to_the_same_bytes(engine):
    goes_on_alike(lambda: driven_world(engine), [3], 6)


@pytest.mark.parametrize("engine", ENGINES)
def test_walls_go_on_where_they_are_when_balls_are_added(engine):
    simulation = driven_world(engine)
    simulation.run(until=2)
    before = simulation.walls
    given = simulation.tally.given
    simulation.add(Ball((1.5, 3.5, 1.5), radius=0.1))
    assert simulation.walls.tolist() == before.tolist()
    assert simulation.tally.given == pytest.approx(given)


@pytest.mark.thorough  # it compiles kernels for materials among obstacles that move
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("friction", [math.inf, 0.05])
def test_a_belt_pulls_a_rough_ball_along_and_turns_it(engine, friction):
    """A ball of moment 2/5·m·r² that comes down on a belt with the speed V along itself: it sticks
    with the impulse (1 + β)·V·m·2/7 along the belt, or slides with μ times the normal one."""
    belt, fall, mass, beta, restitution = 3.0, 2.0, 2.0, 0.5, 0.8
    floor = Obstacle(FLOOR, restitution, motion=ConstantVelocity((belt, 0, 0)))
    surfaces = Surfaces(tangential_restitution=beta, friction=friction)
    ball = Ball((0, 1.5, 0), (0, -fall, 0), radius=0.5, mass=mass)
    simulation = Simulation([ball], [floor], engine=engine, step=0.3, surfaces=surfaces)
    drift = Drift(simulation.world, simulation.state)
    simulation.run(until=1.0)
    along = (1 + beta) * belt * mass * 2 / 7
    along = min(along, friction * (1 + restitution) * fall * mass)
    assert tuple(simulation.velocity[0]) == pytest.approx((along / mass, restitution * fall, 0))
    turn = along * 0.5 / (0.4 * mass * 0.25)  # the belt pulls at the lowest point
    assert tuple(simulation.angular_velocity[0]) == pytest.approx((0, 0, turn))
    assert simulation.walls[0].work == pytest.approx(along * belt)
    assert remainder(simulation, drift) < 1e-12


@pytest.mark.thorough  # it compiles kernels for materials among obstacles that move
@pytest.mark.parametrize("engine", ENGINES)
def test_rough_balls_in_a_shaken_room_keep_the_account_of_energy(engine):
    shaken = Oscillation(0.15, 0.8, (0.2, 1, 0), 50)
    turning = SteadyRotation((0, 0, 1), 0.3, (0, 2, 0))
    obstacles = [
        Obstacle(FLOOR, 0.9, motion=shaken),
        Obstacle(Plane((0, 4, 0), (0, -1, 0)), 0.9, motion=ConstantVelocity((1, 0, 0.5))),
        Obstacle(Cylinder((0, 2, 0), (0, 1, 0), 4.0), 0.9),
        Obstacle(Cuboid((0, 2, 0), (1.2, 0.4, 0.4)), 0.9, motion=turning),
    ]
    random = np.random.default_rng(7)
    places = [(x, y, z) for x in (-1.2, 1.2) for y in (0.8, 3.0) for z in (-1, 0.5, 2)]
    balls = [Ball(place, random.normal(size=3), radius=0.2, restitution=0.9) for place in places]
    surfaces = Surfaces(tangential_restitution=0.3, friction=0.4)
    gravity = (0, -3, 0) if engine == "events" else (0, 0, 0)
    simulation = Simulation(balls, obstacles, gravity, engine=engine, step=0.02, surfaces=surfaces)
    drift = Drift(simulation.world, simulation.state)
    simulation.run(until=10)
    assert simulation.walls.impacts.min() > 0
    assert np.abs(simulation.angular_velocity).max() > 1
    assert remainder(simulation, drift) < 1e-9


@pytest.mark.thorough  # it compiles what looks ahead
@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_for_impacts_ends_where_a_wall_that_vibrates_meets_nothing(engine):
    plate = Obstacle(FLOOR, motion=Oscillation(0.1, 2.0, (0, 1, 0)))
    simulation = Simulation([Ball((0, 0.25, 0), radius=0.1)], [plate], engine=engine)
    with pytest.raises(RuntimeError, match="only 0 of 1 impacts came"):
        simulation.run(impacts=1)


def test_balls_are_not_compressed_where_an_obstacle_moves():
    simulation = driven_world("events")
    with pytest.raises(ValueError, match="no obstacle moves or is warm, but plane 0 does or is"):
        compress(simulation, packing_fraction=0.5)


@pytest.mark.thorough
def test_a_floor_rises_in_a_periodic_box():
    # Surfaces come together at 1 + 0.1; the ball leaves at −(−1) + 2 · 0.1.
    ball = Ball((3, 5, 5), (2, -1, 0), radius=1)
    floor = Obstacle(FLOOR, motion=ConstantVelocity((0, 0.1, 0)))
    box = Box(size=(20, 20, 20), periodic=(True, False, True))
    simulation = Simulation(ball, [floor], box=box, engine="events")
    simulation.run(until=9.0)
    assert simulation.impacts.t[0] == pytest.approx(4 / 1.1, rel=1e-12)
    assert simulation.velocity[0] == pytest.approx((2.0, 1.2, 0.0), abs=1e-12)
    assert simulation.position[0, 0] == pytest.approx(21.0, abs=1e-12)


def test_only_planes_can_be_pistons_and_only_planes_can_move_in_a_periodic_box():
    ball = Ball((5, 5, 5), radius=0.1)
    piston = Obstacle(Sphere((0, 0, 0), 1), motion=Piston(1.0), name="it")
    with pytest.raises(ValueError, match="it: motion must not be a piston, for only planes can be"):
        Simulation([ball], [piston])
    pillar = Obstacle(Cylinder((0, 0, 0), (0, 0, 1), 1), motion=ConstantVelocity((1, 0, 0)))
    with pytest.raises(ValueError, match="motion is in a periodic box, where only planes can move"):
        Simulation([ball], [pillar], box=(10, 10, 10))


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_two_balls_that_hit_a_piston_in_one_step_meet_it_where_it_is(engine):
    """With fixed steps the second hit it where it would have been without the first impact."""
    piston = Obstacle(Plane((0, 0, 0), (1, 0, 0)), motion=Piston(1.0))
    slow = Ball((1.15, 0, 0), (-1, 0, 0), radius=0.1)
    fast = Ball((2.3, 5, 0), (-2, 0, 0), radius=0.1)
    simulation = Simulation([slow, fast], [piston], step=0.25, engine=engine)
    simulation.run(until=5.0)
    # The piston, as heavy as a ball, takes over its velocity: it flies off with 1, and then with 2.
    assert simulation.impacts.t == pytest.approx([1.05, 1.15], rel=1e-12)
    assert simulation.velocity[:, 0] == pytest.approx([0.0, -1.0], abs=1e-12)


@pytest.mark.parametrize("restitution", [1.0, 0.5, 0.0])
def test_a_ball_that_is_squeezed_is_jammed_before_an_endless_number_of_impacts(restitution):
    closing = {"motion": ConstantVelocity((0, -0.1, 0))}
    ball = Ball((0, 0.6, 0), (0, 0.3, 0), radius=0.5, restitution=restitution)
    simulation = Simulation([ball], plates({}, closing, height=1.5), engine="events")
    simulation.keep_impacts(False)
    with pytest.raises(RuntimeError, match="ball 0 is jammed"):
        simulation.run(until=10.0)
    assert simulation.time == pytest.approx(5.0, abs=1e-3)
