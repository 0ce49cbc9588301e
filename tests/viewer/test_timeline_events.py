"""The exact engine in the viewer's timeline: rewound to the same bytes, exact in between."""

import math
from pathlib import Path

import numpy as np
import pytest
from spheresim_viewer.loading import Source
from spheresim_viewer.saving import save_scene
from spheresim_viewer.timeline import Limits, play_scene
from spheresim_viewer.timeline.segments import Change

from spheresim import Simulation
from spheresim.commands.run import Options, run_scene
from spheresim.scene import load_scene

PERIODIC = """
duration = 10
step = 0.05
[box]
[[fill]]
count = 60
radius = 0.5
arrangement = "fcc"
packing_fraction = 0.2
temperature = 1
"""

FALLING = """
duration = 10
step = 0.05
gravity = [0, -9.81, 0]
restitution = 0.8
[[plane]]
point = [0, 0, 0]
normal = [0, 1, 0]
[[cylinder]]
point = [0, 1, 0]
axis = [0, 0, 1]
radius = 0.4
[[fill]]
count = 12
radius = 0.2
region = { low = [-1, 2, -1], high = [1, 4, 1] }
"""

SCENES = pytest.mark.parametrize("text", [PERIODIC, FALLING], ids=["periodic", "falling"])


def scene_of(tmp_path, text):
    path = tmp_path / "scene.toml"
    path.write_text(text)
    return load_scene(path, engine="events")


def arrive(player, time):
    player.seek(time)
    while player.seeking:
        player.update(0.0)
    return player.snapshot


@SCENES
def test_what_is_seen_is_what_a_run_gives_and_comes_out_again_after_a_rewind(tmp_path, text):
    scene = scene_of(tmp_path, text)
    player = play_scene(scene, "events", limits=Limits(bytes=2_000_000, kept=8))
    run = Simulation.from_scene(scene, engine="events")
    playback = player.segments.current.playback
    seen = []
    for k in range(60):
        run.advance(playback.time_of(k))
        snapshot = arrive(player, playback.time_of(k))
        assert snapshot.position.tobytes() == run.position.tobytes()
        assert snapshot.velocity.tobytes() == run.velocity.tobytes()
        seen.append(snapshot.position.tobytes())
    for k in (31, 12, 50, 3, 59):
        assert arrive(player, playback.time_of(k)).position.tobytes() == seen[k]


@SCENES
def test_between_two_steps_it_is_where_the_engine_says(tmp_path, text):
    scene = scene_of(tmp_path, text)
    player = play_scene(scene, "events")
    run = Simulation.from_scene(scene, engine="events")
    for time in np.arange(1, 40) * 0.0371:
        run.advance(float(time))
        snapshot = arrive(player, float(time))
        assert np.abs(snapshot.position - run.position).max() < 1e-9


def test_it_stops_at_impacts_in_a_periodic_box(tmp_path):
    scene = scene_of(tmp_path, PERIODIC)
    player = play_scene(scene, "events")
    run = Simulation.from_scene(scene, engine="events")
    for _ in range(10):
        row = run.next_impact()
        player.next_impact()
        while player.seeking:
            player.update(0.0)
        assert player.time == pytest.approx(row.t, abs=1e-12)
        here = player.impacts_now()
        assert {int(here.i[0]), int(here.other[0])} == {int(row.i), int(row.j)}


def test_a_periodic_scene_and_its_run_open_without_naming_an_engine(folder):
    text = "duration = 4\nframe_every = 0.7\n[box]\nsize = [9, 9, 9]\n"
    for x, v in ((1, -1), (5, 0)):
        text += f"[[ball]]\nposition = [{x}, 4, 4]\nvelocity = [{v}, 0, 0]\nradius = 1\n"
    Path("gas.toml").write_text(text)
    assert run_scene("gas.toml", {}, Options(Path("run"), force=False, quiet=True)) == 0
    for path in ("gas.toml", "run"):
        player = Source(path).open()
        player.budget = math.inf
        assert player.settings.engine == "events"
        player.seek(3.5)
        assert player.snapshot.impacts == 1
        save_scene(player, Path(f"saved-{path}"))
        assert load_scene(f"saved-{path}").engine == "events"


def test_a_state_of_another_engine_is_saved_with_it(folder):
    text = 'engine = "events"\nduration = 4\nframe_every = 0.025\n'
    Path("room.toml").write_text(f"{text}[[ball]]\nposition = [0, 0, 0]\nradius = 1\n")
    player = Source("room.toml").open()
    player.change(Change(settings=player.settings._replace(engine="steps", toi="sliced", slices=9)))
    save_scene(player, Path("saved"))
    scene = load_scene("saved")
    assert (scene.engine, scene.toi, scene.slices, scene.frame_every) == (
        "steps",
        "sliced",
        9,
        0.02,
    )
