"""States printed by the original tutorial's program, and how far ours agrees with them.

The data hold position and velocity of the ten balls after every step, to 17 digits. What
they are asked to agree to is in the tutorial's own lengths: the room is 640 wide.
"""

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from worlds import set_up

from spheresim import Ball, Cylinder, Plane
from spheresim.collision.impacts import BALL, joined
from spheresim.scene import load_scene

DATA = Path(__file__).parents[1] / "data"
STEP, SLICES, RADIUS = 0.6, 150, 20.0
GRAVITY = (0.0, -0.05, 0.0)

# 1e-6 is what can be asked for once balls have hit each other. As long as they only hit
# surfaces, or hit each other at the same slices, nothing magnifies rounding.
NO_CHAOS = 1e-9

# The step of the first impact of two balls in each random scene. Until then it does not
# matter how impacts of balls are found; in it the sliced answer is up to a slice early.
FIRST_MEETING = {1: 177, 2: 74, 3: None, 4: None, 5: 28}
SCENES = sorted(FIRST_MEETING)


@cache
def states(file, scene=None):
    """Position and velocity of every ball after every step, shape (steps + 1, 10, 6)."""
    with gzip.open(DATA / file, "rt") as text:
        rows = [row for row in csv.DictReader(text) if scene in (None, int(row.get("scene", 0)))]
    table = np.full((len(rows) // 10, 10, 6), np.nan)
    for row in rows:
        table[int(row["step"]), int(row["ball"])] = [
            float(row[name]) for name in ("x", "y", "z", "vx", "vy", "vz")
        ]
    assert not np.isnan(table).any()
    return table


def default_scene():
    return states("default-scene-steps-0-to-500.csv.gz")


def random_scene(scene):
    return states("random-scenes-1-to-5-steps-0-to-200.csv.gz", scene)


def room():
    """Five walls without a ceiling, and three columns: the real surfaces, as they are drawn."""
    return [
        Plane((0, -320, 0), (0, 1, 0)),
        Plane((320, 0, 0), (-1, 0, 0)),
        Plane((-320, 0, 0), (1, 0, 0)),
        Plane((0, 0, 320), (0, 0, -1)),
        Plane((0, 0, -320), (0, 0, 1)),
        Cylinder((0, 0, 0), (0, 1, 0), 60),
        Cylinder((200, -300, 0), (0, 0, 1), 60),
        Cylinder((-200, 0, 0), (0, 1, 1), 30),
    ]


def start_from(state, slices):
    balls = [Ball(row[:3], row[3:], RADIUS) for row in state]
    return set_up(balls, room(), GRAVITY, STEP, slices)


def difference(setup, state):
    """The largest difference in a position or in a velocity times a step."""
    of_position = np.abs(setup.state.position - state[:, :3]).max()
    of_velocity = np.abs(setup.state.velocity - state[:, 3:]).max()
    return max(of_position, STEP * of_velocity)


def differences(reference, steps, setup):
    found = []
    for state in reference[1 : steps + 1]:
        setup.engine.step_once()
        found.append(difference(setup, state))
    assert len(found) == steps
    return np.array(found)


def shipped_scene(slices):
    scene = load_scene("magic_room")
    return set_up(scene.balls, scene.obstacles, scene.gravity, scene.step, slices)


@pytest.mark.compiled_only
@pytest.mark.parametrize("slices", [0, SLICES])
@pytest.mark.parametrize("is_shipped", [False, True])
def test_the_default_scene_and_magic_room_are_the_programs_to_step_500(is_shipped, slices):
    setup = shipped_scene(slices) if is_shipped else start_from(default_scene()[0], slices)
    assert differences(default_scene(), 500, setup).max() < NO_CHAOS
    # All that happened are 25 hits on surfaces: ball 3, which starts outside, came in freely.
    assert (setup.engine.tally.ball_impacts, setup.engine.tally.obstacle_impacts) == (0, 25)


@pytest.mark.compiled_only
@pytest.mark.parametrize("scene", SCENES)
def test_with_150_slices_random_scenes_are_the_programs_for_all_200_steps(scene):
    setup = start_from(random_scene(scene)[0], SLICES)
    assert differences(random_scene(scene), 200, setup).max() < NO_CHAOS
    assert (setup.engine.tally.ball_impacts > 0) == (FIRST_MEETING[scene] is not None)


@pytest.mark.parametrize("scene", SCENES)
def test_with_exact_times_random_scenes_are_the_programs_until_two_balls_meet(scene):
    meeting = FIRST_MEETING[scene]
    steps = 200 if meeting is None else meeting - 1
    setup = start_from(random_scene(scene)[0], 0)
    assert differences(random_scene(scene), steps, setup).max() < NO_CHAOS
    assert setup.engine.tally.ball_impacts == 0


@pytest.mark.parametrize(("scene", "meeting"), [item for item in FIRST_MEETING.items() if item[1]])
def test_the_exact_impact_comes_within_one_slice_after_the_programs(scene, meeting):
    times = {}
    for slices in (0, SLICES):
        setup = start_from(random_scene(scene)[meeting - 1], slices)
        impacts = joined(setup.engine.step_once())
        (times[slices],) = impacts.t[impacts.kind == BALL]
    assert times[SLICES] < times[0] <= times[SLICES] + STEP / SLICES


@pytest.mark.parametrize("slices", [0, SLICES])
def test_a_step_depends_on_the_state_alone(slices):
    # Started in the middle, from the program's own state, it goes on like the program.
    reference = default_scene()
    for start in range(40, 500, 65):
        setup = start_from(reference[start], slices)
        end = min(start + 20, 500)
        setup.engine.run((end - start) * STEP)
        assert difference(setup, reference[end]) < NO_CHAOS


@pytest.mark.compiled_only
def test_walls_and_columns_change_no_speed():
    setup = start_from(default_scene()[0], 0)
    for _ in range(500):
        kicked = setup.state.velocity + np.array(GRAVITY) * STEP
        setup.engine.step_once()
        speed = np.linalg.norm(setup.state.velocity, axis=1)
        assert np.allclose(speed, np.linalg.norm(kicked, axis=1), rtol=1e-14, atol=0.0)


def test_four_balls_that_hit_the_floor_at_once_all_bounce():
    setup = start_from(default_scene()[254], 0)
    impacts = joined(setup.engine.step_once())
    assert sorted(impacts.i) == [4, 5, 6, 7]
    assert np.ptp(impacts.t) < 1e-9
    assert (impacts.normal == (0.0, 1.0, 0.0)).all()
    assert difference(setup, default_scene()[255]) < NO_CHAOS
