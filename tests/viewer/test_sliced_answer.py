"""The answer of slices that is shown beside the exact one, against the tutorial's rule by hand."""

import math

import numpy as np
import pytest
from scene_files import write_room
from spheresim_viewer.hud.energy_rows import energy_rows, share_left
from spheresim_viewer.timeline.player import play_scene
from spheresim_viewer.timeline.sliced_answer import sliced_answer

from spheresim.scene import load_scene

HEAD_ON = """
duration = 4
step = 0.5
[[ball]]
position = [-3, {aside}, 0]
velocity = [{speed}, 0, 0]
radius = 1
[[ball]]
position = [0, 0, 0]
radius = 1
"""
FALLING = """
duration = 4
step = 0.01
gravity = [0, -10, 0]
restitution = 0.5
[[ball]]
position = [0, 6, 0]
radius = 1
"""
FLOOR = """
[[plane]]
point = [0, 0, 0]
normal = [0, 1, 0]
"""


@pytest.fixture
def at_impact(folder):
    """A player that stands at the first impact of two balls, of reach 2."""

    def stand(speed=1.0, aside=0.0, more="", **of_engine):
        scene = load_scene(write_room(more + HEAD_ON.format(speed=speed, aside=aside)))
        player = play_scene(scene, **of_engine)
        player.budget = 1e9
        player.next_impact()
        return player

    return stand


@pytest.mark.parametrize("engine", ["steps", "events"])
def test_it_is_early_by_less_than_a_slice_and_by_what_the_gap_takes(at_impact, engine):
    """They touch at t = 1.03, 0.03 after the step begins; ten slices of 0.05 find it at once."""
    player = at_impact(speed=1.0 / 1.03, engine=engine)
    assert player.time == pytest.approx(1.03)
    answer = sliced_answer(player, 10)
    assert answer.pair.tolist() == [0, 1]
    assert answer.early == pytest.approx(0.03)
    assert answer.gap == pytest.approx(0.03 / 1.03)
    assert answer.moved[0, 0] == pytest.approx([-0.03 / 1.03, 0, 0])
    assert answer.moved[0, 1] == pytest.approx([0, 0, 0])
    assert np.linalg.norm(answer.moved, axis=-1).max() * answer.magnified <= 1.5
    fine = sliced_answer(player, 150)
    assert 0.0 <= fine.early < 0.5 / 150 + 1e-9
    assert "early" in fine.words()


def test_what_touches_only_between_two_looks_is_missed_and_ghosts_are_both_looks(at_impact):
    """A near miss: the path inside the reach is 2·√(2² − 1.99²) = 0.4 long, a look is every 5."""
    player = at_impact(speed=10.0, aside=1.99)
    answer = sliced_answer(player, 1)
    assert answer.is_missed
    assert math.isinf(answer.early)
    assert "missed" in answer.words()
    assert "missed" in dict(answer.rows()).values()
    places = player.snapshot.position[answer.pair] + answer.moved
    apart = np.linalg.norm(places[:, 0] - places[:, 1], axis=1)
    assert (apart > 2.0).all()
    assert answer.gap == pytest.approx(apart.min() - 2.0)
    assert places[0, 0, 0] < player.snapshot.position[0, 0] < places[1, 0, 0]


def test_beside_a_run_in_slices_the_exact_impact_is_shown(at_impact):
    player = at_impact(speed=1.0 / 1.03, toi="sliced", slices=10)
    assert player.time == pytest.approx(1.0)
    answer = sliced_answer(player, 10)
    assert answer.is_own
    assert answer.early == pytest.approx(0.03)
    places = player.snapshot.position[answer.pair] + answer.moved[0]
    assert np.linalg.norm(places[0] - places[1]) == pytest.approx(2.0)


def test_slices_begin_anew_at_an_impact_in_the_same_step(at_impact):
    """Another pair meets at 1.01; what is left of the step is cut in ten from there."""
    others = "".join(
        f"\n[[ball]]\nposition = [{x}, 50, 0]\nvelocity = [{v}, 0, 0]\nradius = 1"
        for x, v in ((0, 0), (-3, 1.0 / 1.01))
    )
    player = at_impact(speed=1.0 / 1.03)
    alone = sliced_answer(player, 10).early
    scene = load_scene(write_room(HEAD_ON.format(speed=1.0 / 1.03, aside=0.0) + others))
    player = play_scene(scene)
    player.budget = 1e9
    player.next_impact()
    player.next_impact()
    assert player.time == pytest.approx(1.03)
    assert alone == pytest.approx(0.03)
    assert sliced_answer(player, 10).early == pytest.approx(0.02)


def test_where_no_two_balls_meet_there_is_none(at_impact):
    player = at_impact()
    player.seek(0.25)
    assert sliced_answer(player, 10) is None


def test_energy_that_restitution_took_is_told_as_the_share_that_is_left(folder):
    """A ball falls 5 to the floor, and rises a quarter as high: a quarter is left."""
    player = play_scene(load_scene(write_room(FALLING + FLOOR)), engine="events")
    player.budget = 1e9
    assert share_left(player.snapshot) == pytest.approx(1.0)
    player.seek(1.5)
    assert share_left(player.snapshot) == pytest.approx(0.25)
    told = dict(energy_rows(player.snapshot))
    assert told["energy above rest"] == "25 %"
    assert abs(float(told["energy remainder"].replace("−", "-"))) < 1e-12


def test_without_a_floor_nobody_says_a_share(folder):
    player = play_scene(load_scene(write_room(FALLING)), engine="events")
    player.budget = 1e9
    player.seek(1.0)
    assert share_left(player.snapshot) is None
    assert "energy above rest" not in dict(energy_rows(player.snapshot))
