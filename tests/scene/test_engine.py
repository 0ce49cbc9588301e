"""The engine of a scene: what it says, what it is if nothing is said, what a run writes down."""

import pytest
from command_line import typed as spheresim
from scene_files import SMALLEST, faults_of

from spheresim import Ball, Run, Simulation
from spheresim.scene import load_scene, write_scene

PERIODIC = "[box]\nsize = [9, 9, 9]\n"
HALF = "[box]\nsize = [9, 9, 9]\nperiodic = [false, true, false]\n"
WALLED = "[box]\nsize = [9, 9, 9]\nperiodic = false\n"
PAIR = "[[ball]]\nposition = [1, 4, 4]\nvelocity = [-1, 0, 0]\nradius = 1\n"
GAS = (
    f"duration = 4\nframe_every = 0.7\n{PERIODIC}{PAIR}[[ball]]\nposition = [5, 4, 4]\nradius = 1\n"
)


def method(scene):
    return scene.engine, scene.toi, scene.slices


@pytest.mark.parametrize(
    ("head", "tail", "expected"),
    [
        ("", "", ("steps", "analytic", 150)),
        ("", WALLED, ("steps", "analytic", 150)),
        ("", PERIODIC, ("events", "analytic", 150)),
        ("", HALF, ("events", "analytic", 150)),
        ('engine = "events"\n', "", ("events", "analytic", 150)),
        ('engine = "events"\n', PERIODIC, ("events", "analytic", 150)),
        ('toi = "sliced"\nslices = 7\n', "", ("steps", "sliced", 7)),
        ("slices = 7\n", HALF, ("events", "analytic", 7)),
    ],
)
def test_a_scene_says_its_engine_or_space_does(room, tmp_path, head, tail, expected):
    scene = load_scene(room(head + SMALLEST + tail))
    assert method(scene) == expected
    write_scene(scene, tmp_path / "run")
    assert method(load_scene(tmp_path / "run")) == expected
    simulation = Simulation.load(tmp_path / "run")
    assert simulation.engine == expected[0]


def test_what_is_given_replaces_what_the_scene_says(room):
    path = room(f'engine = "events"\nslices = 9\nframe_every = 0.015\n{SMALLEST}')
    assert method(load_scene(path)) == ("events", "analytic", 9)
    assert "whole multiple" in faults_of(path, engine="steps")[0]
    other = load_scene(path, engine="steps", toi="sliced", slices=3, frame_every=0.02)
    assert method(other) == ("steps", "sliced", 3)
    simulation = Simulation.from_scene(other, engine="events", toi="analytic")
    assert method(simulation.scene) == ("events", "analytic", 3)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f'engine = "steps"\n{SMALLEST}{PERIODIC}', 'engine: must be "events", for the box is'),
        (f'engine = "steps"\n{SMALLEST}{HALF}', 'engine: must be "events", for the box is'),
        (
            f'engine = "events"\ntoi = "sliced"\n{SMALLEST}',
            'toi: must be "analytic" with the engine',
        ),
        (f'toi = "sliced"\n{SMALLEST}{PERIODIC}', 'toi: must be "analytic" with the engine'),
        (f'engine = "exact"\n{SMALLEST}', 'engine: must be "steps" or "events", not "exact"'),
        (f"engine = 3\n{SMALLEST}", 'engine: must be "steps" or "events", not 3'),
        (f'toi = "slices"\n{SMALLEST}', 'toi: must be "analytic" or "sliced", not "slices"'),
        (f"slices = 0\n{SMALLEST}", "slices: must be at least 1, not 0"),
        (f"slices = 1.5\n{SMALLEST}", "slices: must be a whole number, not 1.5"),
        (f"slices = true\n{SMALLEST}", "slices: must be a whole number, not true"),
        (
            f"slice = 3\n{SMALLEST}",
            "slice: is no field of a scene, its value is 3; did you mean sl",
        ),
        (
            f"seed = 3\n{SMALLEST}",
            "seed: is no field of a scene, its value is 3; it is a field of [[fill]], "
            "[thermostat]; the option --seed sets all seeds; the fields are title",
        ),
        (
            f"wake_height = 0.1\n{SMALLEST}",
            "wake_height: is no field of a scene, its value is 0.1; it is a field of [rest]; the",
        ),
    ],
)
def test_what_does_not_go_together_is_one_fault(room, text, fault):
    (found,) = faults_of(room(text))
    assert found.startswith(f"room.toml: {fault}")


def test_a_fault_of_the_box_is_not_followed_by_faults_of_the_engine(room):
    (found,) = faults_of(room(f"frame_every = 0.015\n{SMALLEST}[box]\nsize = [1, 1]\n"))
    assert found.startswith("room.toml: box.size: ")


def test_from_python_a_periodic_box_means_the_exact_engine():
    ball = Ball((0, 0, 0), radius=1)
    assert Simulation([ball], box=(9, 9, 9)).engine == "events"
    assert Simulation([ball]).engine == "steps"
    for method in ({"engine": "steps"}, {"toi": "sliced"}, {"engine": "events", "toi": "sliced"}):
        with pytest.raises(ValueError, match=r"engine must be|toi must be"):
            Simulation([ball], box=(9, 9, 9), **method)


@pytest.mark.compiled_only
def test_a_finished_periodic_run_opens_and_runs_again_on_its_own(room, tmp_path):
    room(GAS)
    assert spheresim("run", "room.toml", "--out", "out", cwd=tmp_path).returncode == 0
    run = Run.load("out")
    assert run.info["engine"] == "events"
    assert method(run.scene) == ("events", "analytic", 150)
    again = spheresim("run", "out", "--out", "again", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    for name in ("frames.csv", "events.csv", "scene.toml"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    simulation = Simulation.load("out")
    simulation.run(until=4)
    assert (
        simulation.impacts.t.tolist() == run.impacts.t.tolist() == [3.0]
    )  # through the face x = 0


@pytest.mark.compiled_only
@pytest.mark.parametrize("asked", [["--engine", "events"], ["--toi", "sliced", "--slices", "7"]])
def test_a_run_s_scene_says_what_ran(room, tmp_path, asked):
    room(SMALLEST)
    assert spheresim("run", "room.toml", *asked, "--out", "out", cwd=tmp_path).returncode == 0
    info, scene = Run.load("out").info, Run.load("out").scene
    assert (info["engine"], info["toi"], info["slices"]) == method(scene)
    assert set(map(str, method(scene))) & {"events", "sliced"}


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "--engine", "steps"], 'engine: must be "events", for the box is periodic'),
        (["run", "--toi", "sliced"], 'toi: must be "analytic" with the engine "events"'),
        (["view", "--engine", "steps"], 'engine: must be "events", for the box is periodic'),
        (["compare"], "box.periodic: must be false to compare"),
    ],
)
def test_what_does_not_suit_a_periodic_scene_is_refused_in_a_sentence(
    room, tmp_path, arguments, sentence
):
    room(GAS)
    command, *rest = arguments
    done = spheresim(command, "room.toml", *rest, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"room.toml: {sentence}")
    assert done.stderr.count("\n") == 1


@pytest.mark.compiled_only
def test_a_resumed_run_needs_the_exact_engine_which_the_scene_may_name(room, tmp_path):
    room(SMALLEST)
    done = spheresim("run", "room.toml", "--resume", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "--resume needs --engine events\n"
    room(f'engine = "events"\n{SMALLEST}')
    done = spheresim("run", "room.toml", "--resume", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no checkpoint to resume from" in done.stderr
