"""What is drawn between two known states: where the flight of the step really leads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spheresim_viewer.timeline.interpolation import Keyframe, interpolate
from spheresim_viewer.timeline.live import Live
from timelines import boxed

from spheresim import Ball, Cylinder, Simulation, TVector
from spheresim.collision.impacts import BALL, OBSTACLE, Impacts, nothing
from spheresim.model.state import Box


def keyframe(number, time, position, velocity):
    return Keyframe(number, time, np.array(position, float), np.array(velocity, float), 0)


def world(gravity=(0, 0, 0), n=1, radius=1.0):
    balls = [Ball((10.0 * i, 0, 0), radius=radius) for i in range(n)]
    return Simulation(balls, gravity=gravity).world


def impacts_of(rows):
    """Rows of t, kind, i, other, point, normal."""
    t, kind, i, other, point, normal = zip(*rows, strict=True)
    numbers = np.column_stack([t, point, normal, np.zeros((len(rows), 3))])
    return Impacts(np.column_stack([kind, i, other]), numbers)


def one_bounce(gravity=(0, 0, 0)):
    """A ball of radius 1 falls from y = 3 to a floor at 0, at t = 2, and is at 2 again at t = 3."""
    start, end = (
        keyframe(0, 0.0, [(0, 3, 0)], [(0, -1, 0)]),
        keyframe(1, 3.0, [(0, 2, 0)], [(0, 1, 0)]),
    )
    impacts = impacts_of([(2.0, OBSTACLE, 0, 0, (0, 0, 0), (0, 1, 0))])
    return start, end, impacts, world(gravity)


def test_the_ends_are_the_knots_themselves():
    start, end, impacts, room = one_bounce()
    assert interpolate(0.0, start, end, impacts, room, False) == (start.position, start.velocity)
    assert interpolate(3.0, start, end, impacts, room, False) == (end.position, end.velocity)


@pytest.mark.parametrize(
    ("t", "y", "vy"), [(0.5, 2.5, -1), (1.5, 1.5, -1), (2.0, 1.0, 1), (2.25, 1.25, 1)]
)
def test_a_ball_flies_to_its_impact_and_away_from_it(t, y, vy):
    position, velocity = interpolate(t, *one_bounce(), False)
    assert (position[0].tolist(), velocity[0].tolist()) == ([0, y, 0], [0, vy, 0])


def test_a_kick_at_the_start_holds_for_the_whole_step():
    # v = -1 - 0.5·3 from the start on: 2 down in 0.8; up again at 2.5.
    start = keyframe(0, 0.0, [(0, 3, 0)], [(0, -1, 0)])
    end = keyframe(1, 3.0, [(0, 1 + 2.2 * 2.5, 0)], [(0, 2.5, 0)])
    impacts = impacts_of([(0.8, OBSTACLE, 0, 0, (0, 0, 0), (0, 1, 0))])
    room = world((0, -0.5, 0))
    position, velocity = interpolate(0.4, start, end, impacts, room, False)
    assert position[0] == pytest.approx((0, 2, 0))
    assert velocity[0] == pytest.approx((0, -2.5, 0))
    position, velocity = interpolate(1.8, start, end, impacts, room, False)
    assert position[0] == pytest.approx((0, 3.5, 0))
    assert velocity[0] == pytest.approx((0, 2.5, 0))


def test_two_balls_and_several_impacts_of_one_of_them():
    # Ball 1 (radius 1) goes to and fro between ball 0 (radius 1) and a wall.
    start = keyframe(0, 0.0, [(0, 0, 0), (3, 0, 0), (0, 9, 0)], [(0, 0, 0), (-1, 0, 0), (0, 2, 0)])
    end = keyframe(1, 6.0, [(-5, 0, 0), (3, 0, 0), (0, 21, 0)], [(-1, 0, 0), (0, 0, 0), (0, 2, 0)])
    impacts = impacts_of(
        [
            (1.0, BALL, 0, 1, (1, 0, 0), (-1, 0, 0)),
            (1.0, 7, 2, 0, (77, 0, 0), (1, 0, 0)),  # of a kind that nobody knows here
            (3.0, OBSTACLE, 1, 0, (5, 0, 0), (-1, 0, 0)),
            (3.0, OBSTACLE, 1, 0, (5, 0, 0), (-1, 0, 0)),  # twice in no time
            (5.0, OBSTACLE, 1, 1, (4, 0, 0), (1, 0, 0)),
        ]
    )
    for t, x, v in ((0.5, (0, 2.5), (0, -1)), (2.0, (-1, 3), (-1, 1)), (3.0, (-2, 4), (-1, 0.5))):
        position, velocity = interpolate(t, start, end, impacts, world(n=3), False)
        assert position[:, 0].tolist() == [*x, 0]
        assert velocity[:, 0].tolist() == [*v, 0]
        assert position[2].tolist() == [0, 9 + 2 * t, 0]
    assert interpolate(4.0, start, end, impacts, world(n=3), False)[0][1, 0] == 4.5
    assert interpolate(5.5, start, end, impacts, world(n=3), False)[0][1, 0] == 4.0


def test_an_impact_a_rounding_beyond_the_end_is_at_the_end():
    start, end, impacts, room = one_bounce()
    end = keyframe(1, 2.0, [(0, 1, 0)], [(0, 1, 0)])
    impacts = Impacts(impacts.names, impacts.numbers.copy())
    impacts.t[:] = np.nextafter(2.0, 3.0)
    position, velocity = interpolate(1.5, start, end, impacts, room, False)
    assert position[0].tolist() == [0, 1.5, 0]
    assert velocity[0] == pytest.approx((0, -1, 0))


@given(
    st.floats(0.001, 0.999),
    st.floats(-20, 20),
    st.floats(0.05, 5),
)
def test_what_falls_is_on_its_parabola(share, vy, span):
    g = np.array([0.5, -9.81, 2.0])
    x, v = np.array([1.0, 2.0, 3.0]), np.array([-3.0, vy, 0.5])
    start = keyframe(0, 0.25, [x], [v])
    end = keyframe(1, 0.25 + span, [x + v * span + g * span**2 / 2], [v + g * span])
    t = share * span
    position, velocity = interpolate(0.25 + t, start, end, nothing(), world(g), True)
    assert position[0] == pytest.approx(x + v * t + g * t**2 / 2, rel=1e-12, abs=1e-12)
    assert velocity[0] == pytest.approx(v + g * t, rel=1e-12, abs=1e-12)


def test_what_falls_and_bounces_is_on_both_parabolas():
    # From y = 6, radius 1, g = -10: down at t = 1 with 10, up with 10, at y = 4.75 at t = 1.5.
    start, end = (
        keyframe(0, 0.0, [(0, 6, 0)], [(0, 0, 0)]),
        keyframe(1, 1.5, [(0, 4.75, 0)], [(0, 5, 0)]),
    )
    impacts = impacts_of([(1.0, OBSTACLE, 0, 0, (0, 0, 0), (0, 1, 0))])
    room = world((0, -10, 0))
    for t in (0.3, 0.7, 1.0, 1.1, 1.4):
        position, velocity = interpolate(t, start, end, impacts, room, True)
        u = t - 1.0
        y, vy = (6 - 5 * t**2, -10 * t) if t < 1 else (1 + 10 * u - 5 * u**2, 10 - 10 * u)
        assert position[0, 1] == pytest.approx(y)
        assert velocity[0, 1] == pytest.approx(vy)


def test_between_the_steps_of_an_engine_balls_are_where_it_stops_at_an_impact(folder):
    """The engine's own positions and velocities at every impact, all balls."""
    scene = boxed()
    playback = Live.of_scene(scene)
    simulation = Simulation.from_scene(scene)
    for _ in range(60):
        simulation.next_impact(before=1e9)
        t = simulation.time
        k = playback.number_at(t)
        start, end, impacts = playback.keyframe(k), playback.keyframe(k + 1), playback.impacts_in(k)
        position, velocity = interpolate(t, start, end, impacts, playback.world, playback.falling)
        assert position == pytest.approx(simulation.position, rel=1e-12, abs=1e-12)
        assert velocity == pytest.approx(simulation.velocity, rel=1e-9, abs=1e-9)


def test_in_a_periodic_box_an_impact_on_a_pillar_is_on_the_balls_own_path():
    """However far that is from a straight line between the two known states."""
    box = Box(TVector(0, 0, 0), TVector(20, 20, 20))
    pillar = Cylinder((10, 10, 10), (0, 0, 1), 1.5)
    simulation = Simulation(
        [Ball((5, 10, 5), (-1, 0, 0), 0.25)], [pillar], engine="events", box=box
    )
    start = keyframe(0, 0.0, simulation.position, simulation.velocity)
    (batch,) = simulation.advance(29.0)
    end = keyframe(1, 29.0, simulation.position, simulation.velocity)
    for t, x in ((5.0, 0.0), (13.0, -8.0), (14.0, -7.5), (28.0, 6.5)):
        position, _ = interpolate(t, start, end, batch, simulation.world, False)
        assert position[0] == pytest.approx((x, 10, 5))
