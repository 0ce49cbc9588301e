"""Taking hold of time: what was stays, what comes is another course from there on."""

import math

import numpy as np
import pytest
from spheresim_viewer.timeline import Change, Limits
from spheresim_viewer.timeline.population import Population
from timelines import (
    arrive,
    box_player,
    boxed,
    step,
    to_next_impact,
    to_previous_impact,
)

from spheresim import Ball, Simulation

pytestmark = [pytest.mark.compiled_only, pytest.mark.usefixtures("folder")]


@pytest.fixture
def player():
    """At the start of step 20."""
    player = box_player()
    arrive(player, 20 * 0.07)
    return player


def going_on(snapshot, steps, **other):
    """A simulation that is made from a moment's state, so many steps later."""
    playback = snapshot.playback
    balls = playback.population.balls(snapshot.world, snapshot.position, snapshot.velocity)
    obstacles = [o._replace(restitution=0.95) for o in playback.population.obstacles]
    obstacles = [o._replace(**other.pop("obstacle", {})) for o in obstacles]
    options = {"gravity": snapshot.world.gravity, "step": 0.07} | other
    simulation = Simulation(balls, obstacles, **options)
    for _ in range(steps):
        simulation.step_once()
    return simulation, snapshot.impacts


def same(snapshot, gone_on):
    simulation, impacts_before = gone_on
    assert snapshot.position.tobytes() == simulation.position.tobytes()
    assert snapshot.velocity.tobytes() == simulation.velocity.tobytes()
    assert snapshot.impacts == impacts_before + len(simulation.impacts)


def test_a_ball_is_dragged_and_thrown_and_all_goes_on_from_there(player):
    was = player.snapshot
    arrive(player, 40 * 0.07)
    later = player.snapshot.position.tobytes()
    arrive(player, was.time)
    for x in (0.0, 0.1, 0.2):  # while it is dragged: no course is simulated yet
        player.change(Change(position={4: (x, -1.6, 1.5)}, velocity={4: (0, 3, 0)}))
    now = player.snapshot
    assert now.time == was.time
    assert len(player.segments.all) == 2
    assert now.position[4].tolist() == [0.2, -1.6, 1.5]
    assert now.velocity[4].tolist() == [0, 3, 0]
    others = [0, 1, 2, 3, 5]
    assert now.position[others].tobytes() == was.position[others].tobytes()
    simulation = going_on(now, 20)
    step(player, 20)
    assert player.time == 40 * 0.07  # time is counted as before
    same(player.snapshot, simulation)
    assert player.snapshot.position.tobytes() != later


def test_what_was_before_is_still_there(player):
    original = Simulation.from_scene(boxed())
    states = []
    for _ in range(20):
        states.append(original.position.tobytes())
        original.step_once()
    impacts = original.impacts.t
    player.change(Change(position={4: (0.2, -1.6, 1.5)}))
    step(player, 30)
    for k in reversed(range(20)):
        arrive(player, k * 0.07)
        assert player.snapshot.position.tobytes() == states[k]
    arrive(player, 20 * 0.07)
    stops = []
    for _ in np.unique(impacts):
        to_previous_impact(player)
        stops.append(player.time)
    assert stops[::-1] == np.unique(impacts).tolist()


def test_a_ball_comes_in_and_there_is_one_more_from_then_on(player):
    ball = Ball((0.0, -1.7, 1.7), (0, 5, 0), radius=0.2, mass=2.0, color="#123456")
    player.change(Change(balls=[ball]))
    now = player.snapshot
    assert now.position.shape == (7, 3)
    assert (now.names[6], now.colors[6], now.world.mass[6]) == ("ball 6", "#123456", 2.0)
    step(player, 10)
    same(player.snapshot, going_on(now, 10))
    arrive(player, 10 * 0.07)
    assert player.snapshot.position.shape == (6, 3)
    arrive(player, 1.41)
    assert player.snapshot.position.shape == (7, 3)


def test_a_ball_that_comes_in_has_a_name_of_its_own():
    there = [Ball((3 * k, 0, 0), radius=1, name=f"ball {k}") for k in (1, 2)]
    more = Population.of_balls(there).joined_by([Ball((9, 0, 0), radius=1)])
    assert more.names == ("ball 1", "ball 2", "ball 3")


def test_gravity_restitution_and_method_change_from_now_on(player):
    settings = player.settings
    player.change(Change(settings=settings._replace(gravity=(0.0, 5.0, 0.0))))
    now = player.snapshot
    assert tuple(now.world.gravity) == (0, 5, 0)
    step(player, 10)
    same(player.snapshot, going_on(now, 10))
    player.change(Change(settings=player.settings._replace(restitution=0.5, toi="sliced")))
    now = player.snapshot
    assert set(now.world.restitution) == set(now.world.obstacles.restitution) == {0.5}
    step(player, 10)
    same(player.snapshot, going_on(now, 10, toi="sliced", obstacle={"restitution": 0.5}))
    player.change(Change(settings=player.settings._replace(restitution=None)))
    assert set(player.snapshot.world.restitution) == {0.95}
    arrive(player, 0.7)
    assert player.settings == settings


def test_time_that_is_no_border_goes_on_in_steps_of_its_own(player):
    to_next_impact(player)
    stopped = player.snapshot
    keyframe = stopped.playback.time_of(stopped.keyframe.number + 1)
    assert stopped.keyframe.time < stopped.time < keyframe
    player.change(Change(position={0: stopped.position[0]}))
    now = player.snapshot
    # What the step's kick gave in advance is taken back: the new step kicks on its own.
    assert now.velocity == pytest.approx(
        stopped.velocity - np.array(now.world.gravity) * (keyframe - now.time)
    )
    step(player, 3)
    assert player.time == now.time + 3 * 0.07
    same(player.snapshot, going_on(now, 3))
    step(player, -1)
    step(player, -1)
    step(player, -1)
    assert player.time == now.time
    step(player, -1)
    assert player.time == stopped.keyframe.time


def test_a_change_in_the_past_forgets_what_came_after(player):
    player.change(Change(velocity={0: (0, 0, 0)}))
    step(player, 20)
    player.change(Change(velocity={0: (0, 0, 0)}))
    step(player, 20)
    assert len(player.segments.all) == 3
    arrive(player, 10 * 0.07)
    player.change(Change(velocity={0: (0, 0, 0)}))
    assert [segment.start for segment in player.segments.all] == [0.0, 10 * 0.07]
    assert player.furthest == player.time == 10 * 0.07


def test_what_was_computed_beyond_a_change_and_is_void_is_not_shown(player):
    arrive(player, 60 * 0.07)
    impact = player.impacts_at(30 * 0.07, 10 * 0.07).t[0]
    arrive(player, impact - 1e-4)  # all turn back, right before it
    border = player.time
    velocity = player.snapshot.velocity
    player.change(Change(velocity={i: -velocity[i] for i in range(6)}))
    now = player.snapshot
    step(player, 30)
    new = going_on(now, 30)[0].impacts.t + border
    simulation = Simulation.from_scene(boxed())
    simulation.run(until=60 * 0.07)
    was = simulation.impacts.t
    assert (was > border).sum() > 10
    times = np.concatenate([was[was <= border], new])
    end = player.time
    player.budget = math.inf
    assert player.impacts_at(end, end + 1.0).t == pytest.approx(times, abs=1e-12)
    assert player.impact_counts(0.0, end, 1).tolist() == [len(times)]
    series = player.series()
    assert (np.diff(series[0]) > 0.0).all()
    assert series[3].tolist() == [np.sum(times <= time) for time in series[0]]
    step(player, -31)
    assert border - 0.07 < player.time < border
    step(player, 1)
    assert player.time == border
    arrive(player, border - 0.3)
    forwards = []
    while len(forwards) < 10:
        to_next_impact(player)
        forwards.append(player.time)
    assert forwards == pytest.approx(np.unique(times[times > border - 0.3])[:10], abs=1e-12)
    assert forwards[0] < border < forwards[-1]
    to_next_impact(player)
    for time in forwards[::-1]:
        to_previous_impact(player)
        assert player.time == time


@pytest.mark.thorough
def test_a_hundred_changes_leave_memory_bounded():
    player = box_player(Limits(bytes=200_000, kept=100))
    for _ in range(130):
        step(player, 7)
        player.change(Change(velocity={1: (1, 1, 1)}))
        arrive(player, max(player.segments.start, player.time - 3.0))
        arrive(player, player.segments.current.start)
    segments = player.segments.all
    assert len(segments) <= 100
    for segment in segments:
        arrive(player, (segment.start + min(segment.end, segment.start + 0.1)) / 2)
    assert sum(s.playback._simulation is not None for s in segments) <= 2
    used = sum(s.playback.history.bytes - s.playback.history.impact_counts.bytes for s in segments)
    assert used < 200_000 + 100 * 12 * 2000
    assert math.isfinite(player.snapshot.position.sum())
    assert player.segments.start > 0.0


def test_energies_before_a_change_are_compared_with_those_at_the_start(player):
    assert not player.segments.is_changed_before(player.time)
    player.change(Change(velocity={0: (0, 0, 1)}))
    assert player.segments.is_changed_before(player.time)
    player.restart()
    assert player.time == 0.0
    assert not player.segments.is_changed_before(player.time)


def test_wrong_changes_are_refused_and_nothing_is_changed(player):
    before = player.snapshot
    for wrong in (
        Change(position={0: (math.nan, 0, 0)}),
        Change(position={99: (0, 0, 0)}),
        Change(settings=player.settings._replace(restitution=2.0)),
        Change(settings=player.settings._replace(gravity=(0, math.inf, 0))),
        Change(settings=player.settings._replace(engine="magic")),
        Change(settings=player.settings._replace(toi="magic")),
    ):
        with pytest.raises((ValueError, IndexError)):
            player.change(wrong)
    assert player.snapshot.playback is before.playback
    assert len(player.segments.all) == 1
