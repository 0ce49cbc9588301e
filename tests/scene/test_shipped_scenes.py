"""The shipped scenes: each loads, opens with a comment, and shows the physics it promises."""

import math
import re

import numpy as np
import pytest
from scene_files import SHIPPED
from scipy.special import ellipk
from worlds import rows_of

from spheresim import Simulation
from spheresim.collision.impacts import BALL
from spheresim.engines.time_stepping.engine import Stepping
from spheresim.model.state import build
from spheresim.scene import load_scene, shipped_scenes


class Playing:
    """A scene and the engine that runs it."""

    def __init__(self, name):
        self.scene = load_scene(name)
        self.world, start = build(self.scene.balls, self.scene.obstacles, self.scene.gravity)
        self.engine = Stepping(self.world, start, self.scene.step)
        self.state = self.engine.state.shown()

    def run(self, until=None):
        """The impacts up to a time, or to the end."""
        batches = self.engine.run(self.scene.duration if until is None else until)
        return [impact for batch in batches for impact in rows_of(batch)]

    def energy(self):
        """The kinetic energy."""
        return 0.5 * float((self.world.mass * (self.state.velocity**2).sum(axis=1)).sum())


def test_these_scenes_are_shipped():
    assert list(shipped_scenes()) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_scene_opens_with_a_comment_and_fits_into_a_short_run(name):
    scene = load_scene(name, engine="events")
    assert len(scene.comment) > 80
    assert scene.title != name
    assert scene.duration / scene.frame_every <= 2000
    assert all(len(line) <= 92 for line in scene.path.read_text().splitlines())


HEAPS = {"hourglass", "pile"}
"""What takes minutes."""


@pytest.mark.cases(3)
@pytest.mark.compiled_only
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.study] * (n in HEAPS)) for n in SHIPPED]
)
def test_the_exact_engine_runs_a_scene_to_its_end(name):
    """In pillars, balls slide down cylinders: once, one jammed where its bounces had died away."""
    simulation = Simulation.load(name, engine="events")
    simulation.advance(simulation.scene.duration)
    assert simulation.fault is None
    assert simulation.time == simulation.scene.duration
    assert simulation.tally.deepest_overlap < 1e-12


# --- rough_billiard -------------------------------------------------------------------


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ["steps", "events"])
def test_a_superball_comes_back_from_under_a_table(engine):
    simulation = Simulation.load("rough_billiard", engine=engine)
    along = []
    while simulation.impacts.i.tolist().count(0) < 3:
        simulation.run(impacts=1)
        along.append(simulation.velocity[0, 0] / 1.5)
    assert along[0::2] == pytest.approx([3 / 7, -31 / 49, -333 / 343], rel=1e-12)
    assert simulation.velocity[1, 0] == -1.5


# --- magic_room -----------------------------------------------------------------------


def test_the_magic_room_is_the_tutorials():
    scene = load_scene("magic_room")
    assert (scene.step, scene.frame_every, scene.restitution) == (0.6, 0.6, 1.0)
    assert scene.gravity == (0, -0.05, 0)
    planes = [o.shape.offset(20) for o in scene.obstacles[:5]]
    assert [(tuple(p.point), tuple(p.normal)) for p in planes] == [
        ((0, -300, 0), (0, 1, 0)),
        ((300, 0, 0), (-1, 0, 0)),
        ((-300, 0, 0), (1, 0, 0)),
        ((0, 0, 300), (0, 0, -1)),
        ((0, 0, -300), (0, 0, 1)),
    ]
    cylinders = [o.shape for o in scene.obstacles[5:]]
    assert [c.radius for c in cylinders] == [60, 60, 30]
    assert [tuple(c.point) for c in cylinders] == [(0, 0, 0), (200, -300, 0), (-200, 0, 0)]
    assert tuple(cylinders[2].axis) == pytest.approx((0, math.sqrt(0.5), math.sqrt(0.5)))
    assert {(ball.radius, ball.mass, ball.restitution) for ball in scene.balls} == {(20, 1, 1)}
    assert scene.balls[3].position.z < -320  # behind the back wall, as in the tutorial
    assert scene.warnings == ()


# --- Exact cases ----------------------------------------------------------------------


def test_two_balls_meet_at_3_4():
    pair = Playing("two_balls")
    ((t, kind, i, other, *_),) = pair.run()
    assert t == pytest.approx(3.4, abs=1e-12)
    assert (kind, i, other) == (BALL, 0, 1)
    assert pair.state.velocity[0] == pytest.approx((0.36, -0.48, 0), abs=1e-12)
    assert pair.state.velocity[1] == pytest.approx((0.64, 0.48, 0), abs=1e-12)


def test_in_newtons_cradle_one_comes_in_and_one_goes_out():
    cradle = Playing("newtons_cradle")
    rest = [[0.0, 0.0, 0.0]]
    for time, expected in ((0.9, [[2, 0, 0], *rest * 4]), (1.1, [*rest * 4, [2, 0, 0]])):
        cradle.run(time)
        assert cradle.state.velocity.tolist() == expected
    cradle.run(4.4)
    assert cradle.state.velocity.tolist() == [*rest * 4, [-2, 0, 0]]
    cradle.run(4.6)
    assert cradle.state.velocity.tolist() == [[-2, 0, 0], *rest * 4]
    cradle.run()
    assert cradle.energy() == 2.0


def test_a_bouncing_ball_loses_height_by_the_square_of_its_restitution():
    bouncing = Playing("bouncing_ball")
    impacts = bouncing.run()
    step, g, e = bouncing.scene.step, 9.81, 0.9
    times = np.array([impact[0] for impact in impacts])
    assert times[0] == pytest.approx(math.sqrt(2 / g), abs=step)
    # Each flight starts up to a step late or early, which is g·step in the velocity.
    heights = np.array([impact[7] for impact in impacts])[:12] ** 2 / (2 * g)
    expected = e**2 * np.concatenate([[1.0], heights[:-1]])
    speeds = np.sqrt(2 * g * heights)
    assert (abs(heights - expected) <= 1.1 * step * speeds).all()
    bouncing.engine.run(math.sqrt(2 / g) * (1 + e) / (1 - e) + 0.1)
    assert bouncing.state.position[0, 1] == pytest.approx(0.1, abs=g * step)
    assert abs(bouncing.state.velocity).max() <= 10 * g * step


def test_a_ball_in_a_tube_returns_along_its_star():
    star = Playing("billiard_in_a_tube")
    start = star.state.position.copy(), star.state.velocity.copy()
    impacts = star.run(4.0)
    directions = np.array([-impact[5] for impact in impacts])
    angles = np.degrees(np.arctan2(directions[:, 1], directions[:, 0]))
    assert angles == pytest.approx([72, -144, 0, 144, -72], abs=1e-9)
    impacts = star.run(40.0)
    assert len(impacts) == 45
    assert star.state.position == pytest.approx(start[0], abs=1e-9)
    assert star.state.velocity == pytest.approx(start[1], abs=1e-9)


def test_the_impacts_of_the_shipped_scene_are_314():
    assert len(Playing("pi_by_collisions").run()) == 314


# --- Many balls -----------------------------------------------------------------------


def kurtosis(velocity):
    """<v⁴>/<v²>²: 5/3 for Maxwell's distribution."""
    squares = (velocity**2).sum(axis=1)
    return (squares**2).mean() / squares.mean() ** 2


@pytest.mark.compiled_only
def test_a_hot_and_a_cold_gas_become_one_with_maxwells_distribution():
    gas = Playing("gas_in_a_box")
    red = np.array([ball.color == "#ff5533" for ball in gas.scene.balls])
    energy = gas.energy()
    start = kurtosis(gas.state.velocity)
    gas.run()
    values, red_share = [], []
    for k in range(1, 41):
        gas.run(gas.scene.duration + k)
        values.append(kurtosis(gas.state.velocity))
        red_share.append((gas.state.velocity[red] ** 2).sum() / (gas.state.velocity**2).sum())
    assert abs(gas.energy() / energy - 1) < 1e-12
    assert start == pytest.approx(3, abs=0.3)
    error = float(np.std(values)) / math.sqrt(len(values))
    assert error < 0.01
    assert np.mean(values) == pytest.approx(5 / 3, abs=4 * error)
    assert np.mean(red_share) == pytest.approx(0.5, abs=0.01)
    assert abs(gas.state.position).max() <= 10 - 0.4 + 1e-12


@pytest.mark.compiled_only
def test_balls_pour_through_pillars_and_walls_stop_them():
    heap = Playing("pillars")
    height = heap.state.position[:, 1].mean()
    for k in range(1, 61):
        heap.run(k * heap.scene.duration / 60)
        for obstacle in heap.scene.obstacles:
            gaps = gaps_of(obstacle.shape, heap.state.position) - heap.world.radius
            assert gaps.min() >= -1e-12, obstacle.name
    assert height > 13
    assert heap.state.position[:, 1].mean() < 3
    # Of seeds 0 to 5 between 0.006 and 0.012 of it are left.
    assert heap.energy() < 0.015 * 9.81 * height * heap.world.mass.sum()
    assert heap.engine.tally.deepest_overlap < 1e-12


@pytest.mark.compiled_only
def test_balls_of_the_packing_fill_what_it_says_and_rattle_in_their_places():
    packing = Simulation.load("packing")
    start, side = packing.position.copy(), packing.world.box.size
    radius = packing.world.radius
    assert 4 / 3 * math.pi * (radius**3).sum() / math.prod(side) == pytest.approx(0.64, abs=1e-12)
    packing.run(until=packing.scene.duration)
    assert 2 * packing.tally.ball_impacts / 1000 == pytest.approx(127, abs=1)
    assert np.linalg.norm(packing.position - start, axis=1).max() < 1 / 6
    assert packing.gas_figures().compressibility_factor.value == pytest.approx(360, abs=15)


# --- Coming to rest ---------------------------------------------------------------------


@pytest.mark.compiled_only
def test_down_four_slopes_all_come_to_the_floor_at_the_same_moment():
    slopes = Simulation.load("slope", engine="events")
    start = slopes.position.copy()
    for time in (0.5, 1.0, 1.49):
        slopes.run(until=time)
        angles = np.radians(np.repeat([5, 15, 30, 50], 3))
        expected = 0.5 * 9.81 * np.sin(angles) * time**2
        found = np.linalg.norm(slopes.position - start, axis=1)
        assert found == pytest.approx(expected, rel=1e-9)
    before = len(slopes.impacts)
    slopes.run(until=1.5 + 1e-6)
    landings = slopes.impacts[before:]
    landings = landings[(landings.obstacle == "floor") & (landings.kind == "obstacle")]
    assert set(landings.i) == set(range(12))
    assert landings.t[:12] == pytest.approx([1.5] * 12, abs=1e-9)


@pytest.mark.compiled_only
def test_balls_in_a_lying_tube_have_the_periods_that_the_scene_tells():
    tube = load_scene("tube_slide")
    told = [float(number) for number in re.findall(r"\b3\.\d{4}", tube.comment)]
    for ball, degrees in enumerate((10, 30, 50, 70, 85)):
        period = 4 * math.sqrt(2.7 / 9.81) * ellipk(math.sin(math.radians(degrees) / 2) ** 2)
        assert told[ball] == pytest.approx(period, abs=6e-5)
        swinging = Simulation.from_scene(tube, engine="events")
        swinging.run(until=2.25 * period)
        late = swinging.position[ball, 0] / swinging.velocity[ball, 0]
        assert abs(late) < 1e-4 * 2.25 * period


def gaps_of(shape, position):
    """How far outside a pillar, or before a plane, points are; negative inside."""
    away = position - np.array(shape.point)
    if hasattr(shape, "axis"):
        return np.linalg.norm(np.cross(away, shape.axis), axis=1) - shape.radius
    return away @ np.array(shape.normal)


@pytest.mark.compiled_only
def test_the_sheared_gas_has_the_viscosity_and_the_temperature_that_the_scene_tells():
    simulation = Simulation.load("couette_shear")
    simulation.keep_impacts(False)
    simulation.run(until=simulation.scene.duration)
    viscosity = simulation.gas_figures().stress["shear_viscosity"]
    told = [float(number) for number in re.findall(r"0\.\d\d", simulation.scene.view.caption)]
    figures = viscosity.value, viscosity.error, viscosity.published
    assert told == [float(f"{figure:.2f}") for figure in figures]
    temperature = simulation.energy() / (1.5 * len(simulation.balls))
    assert f"{temperature:.1f}" == "1.6"


# --- Obstacles made of features -------------------------------------------------------


@pytest.mark.compiled_only
def test_the_bins_of_the_galton_board_hold_a_binomial_histogram():
    simulation = Simulation.load("galton_board")
    simulation.run(until=simulation.scene.duration)
    bins = np.rint(simulation.position[:, 0])
    count, rows = len(bins), 6
    assert (simulation.position[:, 1] < -5.5).all()
    # Of a binomial distribution of one half the variance is rows/4; pegs that balls pass with
    # some speed make it a little other. The mean errs by the root of variance over count.
    assert abs(bins.mean()) < 3.0 * math.sqrt(rows / 4 / count)
    assert 0.4 * rows / 4 < bins.var() < 2.0 * rows / 4


@pytest.mark.compiled_only
def test_a_ball_in_a_bowl_is_a_pendulum():
    scene = load_scene("bowl")
    (ball,) = (ball for ball in scene.balls if ball.name == "pendulum")
    (bowl,) = (obstacle for obstacle in scene.obstacles if obstacle.name == "small bowl")
    simulation = Simulation([ball], [bowl], scene.gravity, engine="events")
    start = np.array(ball.position)
    # The exact period of a pendulum, by the complete elliptic integral.
    period = 4.0 * math.sqrt(1.0 / 9.81) * ellipk(math.sin(0.5 * math.asin(0.1)) ** 2)
    simulation.run(until=period)
    assert simulation.position[0] == pytest.approx(start, abs=1e-6)
    simulation.run(until=1.5 * period)
    assert simulation.position[0, 0] == pytest.approx(
        2.0 * bowl.shape.center[0] - start[0], abs=1e-6
    )
