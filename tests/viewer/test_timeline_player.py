"""What the keys do to time: step, stop at impacts, seek, go back, and never hold the window up."""

import math
from time import perf_counter

import numpy as np
import pytest
from spheresim_viewer.timeline import Limits, Player, play_scene
from spheresim_viewer.timeline.impact_counts import ImpactCounts
from spheresim_viewer.timeline.live import Live
from spheresim_viewer.timeline.segments import Change
from timelines import (
    arrive,
    box_player,
    boxed,
    step,
    to_next_impact,
    to_previous_impact,
    wait,
)

from spheresim import Ball, Plane, Simulation
from spheresim.simulation.saving import scene_of

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("folder")]


@pytest.fixture
def player():
    return box_player()


def simulated(until):
    simulation = Simulation.from_scene(boxed())
    simulation.run(until=until)
    return simulation


def test_at_first_it_stands_at_the_start(player):
    player.update(0.1)
    assert (player.time, player.running, player.lagging, player.seeking) == (0.0, False) + (
        False,
    ) * 2
    snapshot = player.snapshot
    assert snapshot.position.tobytes() == Simulation.from_scene(boxed()).position.tobytes()
    assert (snapshot.impacts, snapshot.names[2]) == (0, "ball 2")
    start, now, *changes = snapshot.energy_rows
    assert start[1] == now[1]
    assert {number for _, number in changes} == {"0"}  # by restitution and the fixed step
    assert snapshot.obstacle_names[2] == "floor"
    with pytest.raises(ValueError, match="read-only"):
        snapshot.position[0, 0] = 1.0


def test_time_goes_on_by_the_seconds_that_pass_and_no_more_than_a_tenth(player):
    player.speed, player.budget = 2.0, 10.0  # kernels may have to be loaded first
    player.toggle()
    player.update(0.05)
    assert player.time == pytest.approx(0.1)
    player.update(60.0)
    assert player.time == pytest.approx(0.3)
    player.toggle()
    player.update(0.05)
    assert player.time == pytest.approx(0.3)


def test_the_figures_are_those_of_the_library(player):
    arrive(player, 5.6)
    simulation = simulated(5.6)
    snapshot = player.snapshot
    assert snapshot.kinetic + snapshot.potential == pytest.approx(simulation.energy(), rel=1e-14)
    assert snapshot.impacts == len(simulation.impacts)
    arrive(player, 5.65)
    assert player.snapshot.kinetic == snapshot.kinetic  # of the state at the step's start


def test_a_step_goes_to_the_next_border_and_back(player):
    player.toggle()
    arrive(player, 0.1)
    for count, border in ((1, 2), (1, 3), (-1, 2), (-1, 1), (-1, 0), (-1, 0), (5, 5)):
        step(player, count)
        assert (player.time, player.running) == (border * 0.07, False)
        assert player.snapshot.position.tobytes() == simulated(border * 0.07).position.tobytes()
    arrive(player, 0.1)
    step(player, -1)
    assert player.time == 0.07


def test_it_stops_exactly_at_every_impact_and_on_the_way_back_too(player):
    impacts = simulated(7.0).impacts
    times = np.unique(impacts.t)
    radius = player.snapshot.world.radius
    stops = []
    for time in times:
        to_next_impact(player)
        stops.append(player.time)
        here = player.impacts_now()
        assert here.t.tolist() == impacts.t[impacts.t == time].tolist()
        position, i, j = player.snapshot.position, here.i[0], here.other[0]
        if here.kind[0] == 0:
            gap = np.linalg.norm(position[i] - position[j]) - radius[i] - radius[j]
        else:
            gap = np.linalg.norm(position[i] - here.point[0]) - radius[i]
        assert abs(gap) < 1e-12
    assert stops == times.tolist()
    arrive(player, 7.0)
    back = []
    for _ in times:
        to_previous_impact(player)
        back.append(player.time)
    assert back[::-1] == times.tolist()
    to_previous_impact(player)  # there is none before the first
    wait(player)
    assert player.time == times[0]


def test_impacts_of_one_instant_are_one_stop():
    player = play_scene_of(
        "gravity = [0, 0, 0]\n"
        + "".join(
            f"[[ball]]\nposition = [{x}, {y}, 0]\nvelocity = [{v}, 0, 0]\nradius = 1\n"
            for x, y, v in ((0, 0, 1), (4, 0, -1), (0, 9, 1), (4, 9, -1))
        )
    )
    to_next_impact(player)
    assert (player.time, len(player.impacts_now().t)) == (1.0, 2)
    for end in (10.0, 20.0):  # nobody meets anybody any more
        player.next_impact()
        started = perf_counter()
        player.update(0.02)
        assert perf_counter() - started < 3.0
        wait(player)
        assert (player.time, player.in_vain) == (1.0, end)


def test_changes_are_undone_one_after_the_other():
    player = play_scene_of("[[ball]]\nposition = [0, 0, 0]\nvelocity = [1, 0, 0]\nradius = 1\n")
    arrive(player, 4.0)
    known = player.snapshot.position.tobytes()
    arrive(player, 2.0)
    player.change(Change(velocity={0: (0, 1, 0)}))
    arrive(player, 3.0)
    player.change(Change(balls=[Ball((9, 9, 9), radius=1)]))
    assert len(player.snapshot.position) == 2
    assert player.undo()
    wait(player)
    assert player.snapshot.position.tolist() == [[2.0, 1.0, 0.0]]
    assert player.undo()
    arrive(player, 4.0)
    assert player.snapshot.position.tobytes() == known
    assert not player.undo()


def play_scene_of(text):
    from scene_files import write_room

    from spheresim.scene import load_scene

    return play_scene(load_scene(write_room(f"duration = 10\nstep = 0.25\n{text}")))


def position_at(player, time):
    arrive(player, time)
    return player.snapshot.position.tobytes()


@pytest.mark.compiled_only
def test_memory_is_bounded_and_what_was_is_there_all_the_same():
    player = box_player(Limits(bytes=60_000, kept=16))
    player.toggle()
    player.speed = 100.0
    early = None
    for _ in range(300):
        player.update(0.1)
        player.snapshot  # noqa: B018
        early = early or player.snapshot
    history = player.segments.current.playback.history
    assert player.time > 1000.0
    assert len(history.states.entries) <= 16
    assert len(player.series().T) <= 16
    assert (
        history.bytes - history.impact_counts.bytes < 60_000 + 12 * 2000
    )  # some are kept in any case
    assert history.impact_counts.bytes < 1_000_000
    arrive(player, early.time)
    assert player.snapshot.position.tobytes() == early.position.tobytes()
    assert position_at(player, 700 * 0.07) == simulated(700 * 0.07).position.tobytes()


def test_backwards_it_shows_what_it_showed():
    player = box_player(Limits(40_000, 5))
    player.budget = math.inf
    player.speed, player.direction = 1.0, 1
    player.running = True
    shown = {}
    for _ in range(200):
        shown[round(player.time, 6)] = player.snapshot.position.copy()
        player.update(1 / 64)
    player.direction = -1
    for _ in range(199):
        player.update(1 / 64)
        assert player.snapshot.position == pytest.approx(shown[round(player.time, 6)], abs=1e-12)
    player.update(0.1)
    player.update(0.1)
    assert player.time == 0.0


@pytest.mark.compiled_only
def test_a_simulation_that_is_too_slow_runs_slower_and_says_so():
    player = box_player()
    player.speed = 1e7
    player.toggle()
    player.update(0.1)
    for _ in range(5):
        before, started = player.time, perf_counter()
        player.update(0.1)
        assert perf_counter() - started < 3.0
        assert player.lagging
        assert before < player.time < before + 1e6
    player.speed = 1.0
    player.update(0.05)
    assert not player.lagging


@pytest.mark.compiled_only
def test_a_far_place_is_found_over_many_updates_and_the_search_can_be_stopped(player):
    player.seek(1e6)
    assert player.seeking
    while player.furthest <= 10.0:  # soon, but how soon depends on what else the machine does
        started = perf_counter()
        player.update(0.02)
        assert perf_counter() - started < 3.0
    assert player.time == 0.0
    player.cancel()
    player.toggle()
    player.update(0.05)
    assert 0.0 < player.time < 10.0


@pytest.mark.compiled_only
def test_however_little_work_an_update_may_take_the_way_back_is_found():
    player = box_player(Limits(40_000, 4))
    arrive(player, 1000 * 0.07)
    playback = player.segments.current.playback
    assert playback.history.states.spacing >= 256
    player.budget, player.speed, player.running, player.direction = 0.0, 20.0, True, -1
    for k in range(400):  # and asked ever further back
        playback._seconds_a_step = 1.0  # so one step at a time
        player.update(0.01 + 0.0002 * k)
    assert player.time < 995 * 0.07


def test_speeds_are_a_ladder_of_six_decades(player):
    assert player.speed == player.natural_speed == 50 * 0.14
    up = [player.speed]
    for _ in range(12):
        player.faster()
        up.append(player.speed)
    shares = [speed / player.natural_speed for speed in up]
    assert shares == pytest.approx([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1000, 1000, 1000])
    for _ in range(30):
        player.slower()
    assert player.speed == pytest.approx(player.natural_speed / 1000)


def test_ticks_count_impacts_where_they_are(player):
    arrive(player, 14.0)
    impacts = simulated(14.0).impacts
    t = impacts.t[np.isin(impacts.kind, ("ball", "obstacle"))]
    ticks = player.impact_counts(0.0, 14.0, 50)
    assert ticks.tolist() == np.histogram(t, bins=50, range=(0.0, 14.0))[0].tolist()
    assert player.impact_counts(2.0, 3.0, 1).tolist() == [np.count_nonzero((t > 2.0) & (t <= 3.0))]
    series = player.series()
    assert series.shape == (4, 201)
    assert (series[0, -1], series[3, -1]) == (200 * 0.07, len(t))


def test_many_ticks_are_counted_in_bins_and_none_is_lost():
    times = np.cumsum(np.random.default_rng(1).exponential(0.01, 50_000))
    ticks = ImpactCounts(exact=1000, bins=256)
    for batch in np.split(times, 500):
        ticks.add(batch)
    assert ticks.bytes < 10_000
    edges = np.linspace(0.0, times[-1], 11)
    exact = np.searchsorted(times, edges, side="right")
    assert ticks.count_until(edges) == pytest.approx(exact, abs=3 * 50_000 / 128)
    assert ticks.count_until([times[-1] * 2])[0] == 50_000
    assert ticks.count_until([-1.0])[0] == 0


def test_only_so_many_impacts_are_handed_out_and_they_are_the_newest(player):
    arrive(player, 14.0)
    t = player.impacts_at(14.0, 14.0, at_most=7).t
    assert t.tolist() == simulated(14.0).impacts.t[-7:].tolist()
    assert len(player.impacts_at(0.0, 5.0).t) == 0


@pytest.mark.parametrize("engine", ["steps", "events"])
def test_a_simulation_that_has_run_goes_on_at_its_own_time(engine):
    ball, floor = Ball((0, 1, 0), (1, 0, 0), radius=0.5), Plane((0, 0, 0), (0, 1, 0))
    simulation = Simulation([ball], [floor], (0, -1, 0), step=0.02, engine=engine)
    simulation.run(until=3)
    scene = scene_of(simulation, until=10)
    player = Player(Live.of_scene(scene, begins=simulation.time))
    assert (player.time, player.begins, player.end, player.duration) == (3, 3, 13, 10)
    arrive(player, 5.0)
    simulation.run(until=5)
    assert player.snapshot.position == pytest.approx(simulation.position, rel=1e-12)
    arrive(player, 3.0)
    assert player.time == 3.0
