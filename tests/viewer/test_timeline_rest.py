"""Who flies, slides and rests in the viewer: live, rewound, and from the rows of a run."""

import math

import numpy as np
import pytest
from piles import write_pile
from spheresim_viewer.timeline import Limits, play_run, play_scene
from spheresim_viewer.timeline.interpolation import Keyframe, interpolate
from spheresim_viewer.timeline.rest import FLYING, RESTING, SLIDING, RestRows, states_after
from timelines import arrive, run_files

from spheresim import Ball, Run, Simulation
from spheresim.collision.impacts import BALL, OBSTACLE, REST, SLIDE, WAKE, Impacts
from spheresim.engines.catalogue import ENGINES
from spheresim.scene import load_scene

FALL = (0.0, -10.0, 0.0)


def rows_of(*rows):
    """Rows of t, kind, i, other, at the lowest point (x, 0, 0) of a ball."""
    numbers = np.zeros((len(rows), 10))
    numbers[:, 0] = [row[0] for row in rows]
    numbers[:, 5] = 1.0
    if rows and len(rows[0]) > 4:
        numbers[:, 1] = [row[4] for row in rows]
    return Impacts(np.array([row[1:4] for row in rows], dtype=np.int64).reshape(-1, 3), numbers)


def world(n=1):
    return Simulation([Ball((10.0 * i, 1, 0), radius=1.0) for i in range(n)], gravity=FALL).world


def keyframe(number, time, position, velocity, *states):
    told = np.array(states, dtype=np.int8)
    return Keyframe(
        *(number, time, np.array(position, float), np.array(velocity, float), 0),
        states=told if len(told) else None,
    )


def test_a_ball_is_held_until_it_has_left_all_that_held_it():
    rest = RestRows(
        rows_of(
            (1.0, OBSTACLE, 0, 0),
            (2.0, REST, 0, 0),
            (3.0, SLIDE, 0, 1),
            (4.0, WAKE, 0, 1),
            (5.0, REST, 1, -1),
            (6.0, WAKE, 0, 0),
            (7.0, REST, 1, 0),
            (8.0, WAKE, 1, -1),
        ),
        2,
    )
    still, moves = np.zeros((2, 3)), np.ones((2, 3))
    expected = [
        (1.5, (FLYING, FLYING)),
        (2.0, (RESTING, FLYING)),
        (3.5, (SLIDING, FLYING)),
        (4.5, (RESTING, FLYING)),
        (5.5, (RESTING, RESTING)),
        (6.5, (FLYING, RESTING)),
        (7.5, (FLYING, RESTING)),
        (8.0, (FLYING, FLYING)),
    ]
    for time, states in expected:
        assert tuple(rest.states(time, still)) == states
    assert tuple(rest.states(5.5, moves)) == (SLIDING, SLIDING)


def test_rows_change_states_and_impacts_do_not():
    start = np.array([FLYING, RESTING], dtype=np.int8)
    after = states_after(start, rows_of((1.0, BALL, 0, 1), (1.0, REST, 0, -1), (2.0, WAKE, 1, 0)))
    assert after.tolist() == [RESTING, FLYING]
    assert start.tolist() == [FLYING, RESTING]


def test_a_ball_that_lies_does_not_hop_between_two_keyframes():
    start, end = (
        keyframe(k, float(k), [(0, 1, 0), (10, 1, 0)], [(0, 0, 0)] * 2, RESTING, FLYING)
        for k in (0, 1)
    )
    position, velocity = interpolate(0.5, start, end, rows_of(), world(2), True)
    assert (position[0].tolist(), velocity[0].tolist()) == ([0, 1, 0], [0, 0, 0])
    assert position[1].tolist() == [10, 1 + 10 / 8, 0]  # it was thrown, and is back again


def test_a_ball_that_slides_faster_and_faster_is_where_its_parabola_says():
    # From x = 0 with speed 1 and acceleration 3: at t = 2 at 8, with speed 7.
    start = keyframe(0, 0.0, [(0, 1, 0)], [(1, 0, 0)], SLIDING)
    end = keyframe(1, 2.0, [(8, 1, 0)], [(7, 0, 0)], SLIDING)
    position, velocity = interpolate(1.0, start, end, rows_of(), world(), True)
    assert (position[0].tolist(), velocity[0].tolist()) == ([2.5, 1, 0], [4, 0, 0])


def test_from_its_row_on_a_ball_slides_and_before_it_flies():
    # It lands at t = 1 at x = 2, and is pulled along by 3.
    start = keyframe(0, 0.0, [(0, 6, 0)], [(2, 0, 0)])
    end = keyframe(1, 3.0, [(12, 1, 0)], [(8, 0, 0)], SLIDING)
    row = rows_of((1.0, SLIDE, 0, 0, 2.0))
    position, _ = interpolate(0.5, start, end, row, world(), True)
    assert position[0] == pytest.approx((1, 6 - 10 / 8, 0))
    position, velocity = interpolate(2.0, start, end, row, world(), True)
    assert position[0] == pytest.approx((2 + 2 + 1.5, 1, 0))
    assert velocity[0] == pytest.approx((5, 0, 0))


def test_what_is_hit_and_not_woken_stays_on_its_obstacle_on_the_way():
    start = keyframe(0, 0.0, [(0, 1, 0), (8, 1, 0)], [(0, 0, 0), (-3, 0, 0)], RESTING, SLIDING)
    end = keyframe(1, 4.0, [(-6, 1, 0), (2, 1, 0)], [(-3, 0, 0), (0, 0, 0)], SLIDING, RESTING)
    hit = rows_of((2.0, BALL, 0, 1, 1.0))
    hit.numbers[:, 2], hit.numbers[:, 4:7] = 1.0, (-1, 0, 0)
    for t, x in ((1.0, (0, 5)), (3.0, (-3, 2))):
        position, velocity = interpolate(t, start, end, hit, world(2), True)
        assert position[:, 0] == pytest.approx(x)
        assert position[:, 1] == pytest.approx(1.0)
        assert velocity[:, 1] == pytest.approx(0.0)


SLOPE = """
duration = 2
frame_every = 0.5
gravity = [0, -10, 0]
engine = "events"
restitution = 0.5
[[plane]]
point = [0, 0, 0]
normal = [3, 4, 0]
[[ball]]
position = [0.3, 0.9, 0]
radius = 0.5
"""


@pytest.mark.compiled_only
def test_a_replayed_ball_slides_down_a_slope_as_its_closed_form_says(tmp_path):
    (tmp_path / "slope.toml").write_text(SLOPE)
    run_files(tmp_path / "slope.toml", 2.0, tmp_path / "run")
    run = Run.load(tmp_path / "run")
    landed = run.impacts.t[run.impacts.kind == "slide"][0]
    simulation, player = Simulation.load(tmp_path / "slope.toml"), play_run(run)
    simulation.run(until=landed)
    start, down = simulation.position[0].copy(), np.array([0.8, -0.6, 0.0])
    speed = simulation.velocity[0] @ down
    for time in np.linspace(landed, 2.0, 30):
        arrive(player, float(time))
        since = player.time - landed
        place = start + down * (speed * since + 3.0 * since**2)
        assert player.snapshot.position[0] == pytest.approx(place, abs=1e-9)
        assert player.snapshot.velocity[0] == pytest.approx(down * (speed + 6.0 * since), abs=1e-9)
        assert player.snapshot.states.tolist() == [SLIDING]


@pytest.fixture(scope="module")
def pile(tmp_path_factory):
    """The scene of a small pile, and a run of it."""
    folder = tmp_path_factory.mktemp("pile")
    source = write_pile(folder / "small_pile.toml")
    run_files(source, 8.0, folder / "run")
    return folder


@pytest.mark.cases(2)
@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limits", [Limits(), Limits(200_000, 5)])
def test_a_pile_that_is_rewound_settles_again_to_the_same_bits(pile, limits, engine):
    first, player = [], play_scene(load_scene(pile / "small_pile.toml"), engine, limits=limits)
    player.budget = math.inf
    for k in range(81):
        arrive(player, 0.1 * k)
        first.append(player.snapshot)
    for k in (4, 11, 43, 7, 80, 0, 42, 80):
        arrive(player, 0.1 * k)
        again, before = player.snapshot, first[k]
        assert again.position.tobytes() == before.position.tobytes()
        assert again.velocity.tobytes() == before.velocity.tobytes()
        if k > 0:
            assert again.states.tolist() == before.states.tolist()


@pytest.mark.compiled_only
def test_a_pile_that_is_rewound_falls_asleep_again(pile):
    player = play_scene(load_scene(pile / "small_pile.toml"))
    player.budget = math.inf
    first = []
    for k in range(81):
        arrive(player, 0.1 * k)
        first.append(player.snapshot)
    assert (first[-1].states == RESTING).all()
    asleep_at = next(k for k in range(81) if (first[k].states == RESTING).all())
    # The engine itself sleeps again, and no row follows.
    for time in (0.5, 0.1 * asleep_at + 0.05, 8.0, 0.1 * asleep_at, 8.0):
        arrive(player, time)
        assert (player.snapshot.states == RESTING).all() == (time >= 0.1 * asleep_at)
    assert len(player.impacts_at(8.0, 8.0 - 0.1 * asleep_at).t) == 0


@pytest.mark.compiled_only
def test_a_replayed_pile_shows_the_same_who_rest(pile):
    scene = load_scene(pile / "small_pile.toml")
    live, replay = play_scene(scene), play_run(Run.load(pile / "run"))
    live.budget = math.inf
    for time in (0.5, 1.0, 2.5, 4.0, 8.0):
        for player in (live, replay):
            arrive(player, time)
        assert live.snapshot.impacts == replay.snapshot.impacts
        here, there = live.snapshot.states == RESTING, replay.snapshot.states == RESTING
        assert np.array_equal(here, there), time
    # Between frames nothing that lies moves.
    arrive(replay, 7.85)
    assert replay.snapshot.position == pytest.approx(live.snapshot.position, abs=1e-15)
    total = replay.impact_counts(0.0, 8.0, 7).sum()
    assert total == live.snapshot.impacts == replay.snapshot.impacts
