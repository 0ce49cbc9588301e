"""Runs with obstacles that move and are warm: what is written, read and gone on with."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from spheresim_viewer.timeline import play_run, play_scene
from timelines import arrive

from spheresim import Run, Simulation
from spheresim.scene import load_scene

pytestmark = pytest.mark.compiled_only

SCENE = """
duration = 4
step = 0.02
frame_every = 0.5
gravity = [0, -2, 0]
restitution = 0.9
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 1, 0]
motion = { kind = "oscillation", amplitude = 0.1, frequency = 1, axis = [0, 1, 0] }
[[plane]]
name = "lid"
point = [0, 2, 0]
normal = [0, -1, 0]
thermal = { temperature = 3, seed = 1 }
[[plane]]
name = "left"
point = [-1, 0, 0]
normal = [1, 0, 0]
motion = { kind = "piston", mass = 2, force = 4 }
[[plane]]
name = "right"
point = [1, 0, 0]
normal = [-1, 0, 0]
[[ball]]
position = [-0.5, 1, 0]
velocity = [1, 2, 0]
radius = 0.1
[[ball]]
position = [0.5, 1.5, 0.1]
velocity = [-1, 3, 0]
radius = 0.2
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("room.toml").write_text(SCENE)


def tables(directory):
    names = ("frames.csv", "events.csv", "scene.toml")
    return {name: (Path(directory) / name).read_bytes() for name in names}


def test_a_run_that_is_resumed_writes_the_same_bytes():
    assert run("room.toml", "whole", engine="events") == 0
    assert run("room.toml", engine="events", checkpoint_every=1.0, until_impacts=10) == 0
    assert run("room.toml", engine="events", checkpoint_every=1.0, resume=True) == 0
    assert tables("out") == tables("whole")
    one, other = (json.loads(Path(f"{name}/run.json").read_text()) for name in ("out", "whole"))
    assert one["walls"] == other["walls"]
    assert one["work_of_walls"] == sum(wall["work"] for wall in one["walls"])
    assert [wall["name"] for wall in one["walls"]] == ["floor", "lid", "left"]
    assert abs(one["energy_remainder"]) < 1e-9 * one["energy_end"]


def test_a_run_is_read_back_at_any_time_as_it_was_simulated():
    assert run("room.toml", engine="events") == 0
    replayed, simulation = Run.load("out"), Simulation.load("room.toml", engine="events")
    for time in np.linspace(0.05, 3.95, 14).tolist():
        simulation.run(until=time)
        there = replayed.at(time)
        assert there.position == pytest.approx(simulation.position, abs=1e-12)
        assert there.velocity == pytest.approx(simulation.velocity, abs=1e-12)


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
