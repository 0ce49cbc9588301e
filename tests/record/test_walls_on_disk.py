"""Runs with obstacles that move and are warm: what is written, read and gone on with."""

from pathlib import Path

import pytest
from command_line import run
from kinds_of_scenes import WALLS
from spheresim_viewer.timeline import play_run, play_scene
from timelines import arrive

from spheresim import Run, Simulation
from spheresim.scene import load_scene

pytestmark = pytest.mark.compiled_only


@pytest.fixture(autouse=True)
def _in_a_folder(folder):
    Path("room.toml").write_text(WALLS)


def test_the_viewer_shows_obstacles_where_they_are_in_runs_and_in_simulations():
    assert run("room.toml", engine="events") == 0
    for player in (play_scene(load_scene("room.toml", engine="events")), play_run(Run.load("out"))):
        for time in (2.75, 0.6):
            arrive(player, time)
            simulation = Simulation.load("room.toml", engine="events")
            simulation.run(until=time)
            frames = player.snapshot.frames
            assert sorted(frames) == [0, 2]
            for index, row in ((0, simulation.walls[0]), (2, simulation.walls[2])):
                assert tuple(frames[index].offset) == pytest.approx((row.x, row.y, row.z), abs=1e-9)
