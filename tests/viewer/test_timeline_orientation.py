"""Balls that spin are turned as they must be, in a simulation, in a run, and after a change."""

import math

import numpy as np
import pytest
from command_line import run
from spheresim_viewer.timeline.live import Live
from spheresim_viewer.timeline.orientation import Turning, axes_of, turned, unturned
from spheresim_viewer.timeline.replay import Replay
from spheresim_viewer.timeline.segments import Change, Segments
from spheresim_viewer.timeline.snapshot import snapshot_at

from spheresim import Ball, Run, Simulation, Surfaces
from spheresim.collision.impacts import nothing
from spheresim.scene import load_scene

FIRST = 2 / 3
"""The time of the first bounce in `rough_billiard`; from then on the rough ball turns."""


def angle(spin, time):
    """By how much the rough ball is turned about z before its second bounce."""
    return spin * max(0.0, time - FIRST)


def about_z(orientation):
    return 2.0 * math.atan2(orientation[3], orientation[0])


def test_a_ball_turns_about_its_angular_velocity():
    world = Simulation([Ball((0, 0, 0), radius=1)], surfaces=Surfaces(0.0)).world
    spin = np.array([[0.0, 0.0, math.pi / 2]])
    x, y, z = axes_of(turned(Turning(unturned(1), spin, 1.0), 2.0, nothing(), world))[0]
    assert np.allclose([x, y, z], [(0, 1, 0), (-1, 0, 0), (0, 0, 1)], atol=1e-15)
    # Steps add up, also about an axis that is none of the three.
    spin, steps = np.array([[0.3, -1.1, 0.7]]), unturned(1)
    for k in range(50):
        steps = turned(Turning(steps, spin, 0.1 * k), 0.1 * (k + 1), nothing(), world)
    at_once = turned(Turning(unturned(1), spin, 0.0), 5.0, nothing(), world)
    assert np.allclose(steps, at_once, atol=1e-13)


@pytest.mark.compiled_only
def test_the_superball_turns_from_its_first_bounce_on(folder):
    spin = -10 / 7 * 1.5 / 0.5
    live = Live.of_scene(load_scene("rough_billiard"))
    live.reach(200, math.inf)
    assert run("rough_billiard", engine="steps") == 0
    replay = Replay(Run.load("out"))
    for time in (1.4, 0.3, 0.7, 1.234567, 1.9):
        expected = math.remainder(angle(spin, time), 2 * math.pi)
        for playback in (live, replay):
            snapshot = snapshot_at(playback, time)
            found = about_z(snapshot.orientation[0])
            assert math.remainder(found - expected, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)
            assert (snapshot.orientation[1] == (1, 0, 0, 0)).all()
            assert snapshot.angular_velocity[0, 2] == pytest.approx(
                spin * (time > FIRST), rel=1e-12
            )


@pytest.mark.compiled_only
def test_after_a_change_balls_go_on_from_how_they_were_turned():
    segments = Segments(Live.of_scene(load_scene("rough_billiard")))
    segments.reach(1.4, math.inf)
    before = segments.snapshot(1.4)
    segments.branch(1.4, Change(balls=[Ball((1, 1.5, 3), radius=0.5)]))
    after = segments.snapshot(segments.current.start)
    assert np.allclose(after.orientation[:2], before.orientation)
    assert np.allclose(after.angular_velocity[:2], before.angular_velocity)
    assert (after.orientation[2] == (1, 0, 0, 0)).all()
    assert after.world.has_spin
