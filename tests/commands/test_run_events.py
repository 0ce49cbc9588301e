"""The exact engine from the command line: boxes, limits, checkpoints, exit codes."""

import csv
import json
import os
import signal

import pytest
from command_line import PATIENCE, spheresim, started, typed, wait_until

from spheresim.commands.run import Options, run_scene
from spheresim.engines.event_driven.engine import Events
from spheresim.record.load import Run

pytestmark = pytest.mark.compiled_only

GAS = """
duration = 6
frame_every = 0.7
[box]
[[fill]]
count = 200
radius = 0.5
arrangement = "fcc"
packing_fraction = 0.3
temperature = 1
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "gas.toml").write_text(GAS)
    return tmp_path


def run(folder, *arguments, out="out"):
    return typed(*("run", "gas.toml", "--engine", "events", "--out", out, *arguments), cwd=folder)


@pytest.mark.thorough
def test_a_gas_in_a_periodic_box_runs_and_tells_its_figures(folder):
    done = run(folder)
    assert done.returncode == 0, done.stderr
    for words in ("compressibility factor", "published 3.98", "left out as settling"):
        assert words in done.stdout
    info = json.loads((folder / "out" / "run.json").read_text())
    for name in ("collision_rate", "mean_free_time", "mean_free_path", "temperature", "pressure"):
        assert info[name] > 0
        assert info[f"{name}_error"] >= 0
    assert info["engine"] == "events"
    assert info["impacts_per_second"] > 0
    assert abs(info["energy_drift"]) < 1e-13
    assert info["momentum_drift"] < 1e-13
    assert info["deepest_overlap"] < 1e-12
    frames = Run.load(folder / "out").frames
    assert sorted(set(frames.t)) == [k * 0.7 for k in range(9)] + [6.0]
    again = spheresim("run", "out", "--engine", "events", "--out", "again", cwd=folder)
    assert again.returncode == 0, again.stderr
    for name in ("frames.csv", "events.csv"):
        assert (folder / "out" / name).read_bytes() == (folder / "again" / name).read_bytes()


def test_frames_may_be_asked_for_at_any_times_without_changing_the_impacts(folder):
    run(folder)
    run(folder, "--frame-every", "0.013", out="other")
    impacts = [(folder / out / "events.csv").read_bytes() for out in ("out", "other")]
    assert impacts[0] == impacts[1]


def test_a_run_ends_after_so_many_impacts(folder):
    done = run(folder, "--until-impacts", "1234")
    assert done.returncode == 0, done.stderr
    rows = Run.load(folder / "out").impacts
    assert len(rows) == 1234
    frames = Run.load(folder / "out").frames
    assert frames.t[-1] == rows.t[-1] < 6.0
    assert json.loads((folder / "out" / "run.json").read_text())["impacts"] == 1234


def test_no_impacts_are_written_if_none_are_wanted(folder):
    run(folder)
    run(folder, "--events", "none", out="none")
    assert (folder / "none" / "events.csv").read_text().count("\n") == 1
    frames = [(folder / out / "frames.csv").read_bytes() for out in ("out", "none")]
    assert frames[0] == frames[1]


def test_a_resumed_run_has_the_bytes_of_one_that_was_never_interrupted(folder):
    assert run(folder, out="whole").returncode == 0
    assert run(folder, "--checkpoint-every", "1.25", "--duration", "4").returncode == 0
    assert (folder / "out" / "checkpoint.npz").is_file()
    # It was to end at 4; now it goes on from 3.75 to 6.
    resumed = spheresim(
        *("run", "gas.toml", "--engine", "events", "--out", "out", "--resume"), cwd=folder
    )
    assert resumed.returncode == 0, resumed.stderr
    for name in ("frames.csv", "events.csv"):
        whole, out = ((folder / d / name).read_bytes() for d in ("whole", "out"))
        assert whole == out
    info = [json.loads((folder / d / "run.json").read_text()) for d in ("whole", "out")]
    for name in ("impacts", "energy_end", "energy_drift", "pressure", "collision_rate_error"):
        assert info[0][name] == info[1][name]


@pytest.mark.thorough
def test_an_interrupted_run_resumes(folder):
    (folder / "gas.toml").write_text(GAS.replace("duration = 6", "duration = 200"))
    options = ["--engine", "events", "--out", "out", "--checkpoint-every", "0.5"]
    with started("run", "gas.toml", *options, cwd=folder) as process:
        wait_until((folder / "out" / "checkpoint.npz").exists, process)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
    words = "spheresim run gas.toml --resume --out out --engine events --checkpoint-every 0.5"
    assert str(said).splitlines()[-1] == f"continue with: {words}"
    end = json.loads((folder / "out" / "run.json").read_text())["time"]
    rest = ["--duration", f"{end + 1.0}"]
    assert run(folder, "--resume", *rest).returncode == 0
    assert run(folder, *rest, out="whole").returncode == 0
    impacts = [(folder / d / "events.csv").read_bytes() for d in ("whole", "out")]
    assert impacts[0] == impacts[1]


def test_the_speed_of_a_resumed_run_is_that_of_what_was_simulated_since(folder):
    assert run(folder, "--checkpoint-every", "3").returncode == 0
    resumed = run(folder, "--resume")
    assert "speed            0 impacts a second" in resumed.stdout
    assert json.loads((folder / "out" / "run.json").read_text())["impacts_per_second"] == 0.0


def test_rest_and_wake_are_among_the_events(folder):
    (folder / "ball.toml").write_text(
        "duration = 3\ngravity = [0, -10, 0]\nrestitution = 0.5\n"
        '[[plane]]\nname = "floor"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n'
        "[[ball]]\nposition = [0, 1, 0]\nradius = 0.5\n"
    )
    done = typed("run", "ball.toml", "--engine", "events", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    with (folder / "out" / "events.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["kind"] == "rest"
    assert rows[-1]["obstacle"] == "floor"
    assert rows[-1]["j"] == ""


def test_a_run_that_cannot_go_on_says_why_and_keeps_what_was_before(folder, monkeypatch, capsys):
    def fault(engine):
        return "it is stuck" if engine.tally.ball_impacts > 300 else None

    monkeypatch.setattr(Events, "fault", property(fault))
    monkeypatch.chdir(folder)
    options = Options(folder / "out", force=False, quiet=False)
    assert run_scene("gas.toml", {}, options) == 4
    assert "the run cannot go on: it is stuck" in capsys.readouterr().err
    done = Run.load(folder / "out")
    assert len(done.impacts) > 300
    assert done.info["finished"] is False
    assert done.frames.t[-1] == done.info["time"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--engine", "steps"], 'engine: must be "events"'),
        (["--engine", "events", "--toi", "sliced"], "sliced"),
        (["--engine", "events", "--checkpoint-every", "-1"], "--checkpoint-every must be greater"),
        (["--engine", "events", "--resume"], "there is no checkpoint to resume from"),
        (["--engine", "events", "--until-impacts", "0"], "--until-impacts"),
        (["--engine", "events", "--events", "some"], "--events"),
    ],
)
def test_what_cannot_be_asked_for_ends_in_one_sentence(folder, arguments, sentence):
    done = typed("run", "gas.toml", "--out", "out", *arguments, cwd=folder)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "out").exists()


def test_a_checkpoint_of_another_scene_or_one_that_is_cut_is_refused(folder):
    assert run(folder, "--checkpoint-every", "1").returncode == 0
    (folder / "gas.toml").write_text(GAS.replace("count = 200", "count = 108"))
    other = run(folder, "--resume")
    assert other.returncode == 2
    assert "the number of balls was 200, is 108" in other.stderr
    path = folder / "out" / "checkpoint.npz"
    path.write_bytes(path.read_bytes()[:1000])
    cut = run(folder, "--resume")
    assert cut.returncode == 2
    assert "is no checkpoint that can be read" in cut.stderr
    assert os.listdir(folder / "out")
