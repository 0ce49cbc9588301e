"""The command line as its user meets it: files, exit codes, one sentence a fault."""

import csv
import json
import os
import signal
import subprocess
import sys

import pytest
from command_line import PATIENCE, has_bytes, python, spheresim, started, typed, wait_until
from scene_files import TWO_BALLS

SMALL = f"""
title = "two balls"
duration = 5.0
step = 0.05
frame_every = 0.5
{TWO_BALLS}"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def run(scene, tmp_path):
    done = typed("run", "small.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "runs" / "small", done


def test_a_run_writes_its_files_and_tells_how_it_went(run):
    directory, done = run
    names = sorted(path.name for path in directory.iterdir())
    assert names == ["balls.csv", "events.csv", "frames.csv", "run.json", "scene.toml"]
    for word in ("impacts", "energy remainder", "momentum drift", "deepest overlap", "speed"):
        assert word in done.stdout
    with (directory / "events.csv").open() as file:
        (impact,) = csv.DictReader(file)
    assert float(impact["t"]) == pytest.approx(3.4, abs=1e-12)
    assert (impact["kind"], impact["i"], impact["j"]) == ("ball", "0", "1")


KEYS = """
spheresim python numpy numba scene scene_sha256 engine toi slices step frame_every duration seed
events finished time steps impacts ball_impacts obstacle_impacts collapse_answers energy_start
energy_end energy_drift energy_dissipated energy_remainder momentum_drift asleep sliding
deepest_overlap work wall_seconds cpu_seconds compile_seconds files
"""


@pytest.mark.compiled_only
def test_run_json_has_every_key_of_the_contract(run):
    info = json.loads((run[0] / "run.json").read_text())
    assert list(info) == KEYS.split()
    assert info["finished"] is True
    assert (info["steps"], info["impacts"], info["time"]) == (100, 1, 5.0)
    assert abs(info["energy_drift"]) < 1e-15
    assert info["momentum_drift"] < 1e-15


@pytest.mark.compiled_only
def test_the_last_frame_is_at_the_end_and_the_last_step_may_be_shorter(scene, tmp_path):
    done = typed("run", scene, "--duration", "1.23", "--out", "out", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with (tmp_path / "out" / "frames.csv").open() as file:
        times = sorted({float(row["t"]) for row in csv.DictReader(file)})
    assert times == [0.0, 0.5, 1.0, 1.23]


@pytest.mark.compiled_only
def test_the_same_scene_gives_the_same_bytes_and_a_run_runs_again(run, tmp_path):
    directory, _ = run
    assert spheresim("run", directory, "--out", "again", cwd=tmp_path).returncode == 0
    for name in ("frames.csv", "events.csv", "balls.csv"):
        assert (directory / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


@pytest.mark.compiled_only
def test_a_run_is_replaced_only_by_force(run, tmp_path):
    refused = typed("run", "small.toml", cwd=tmp_path)
    assert refused.returncode == 2
    assert "runs/small: holds a run already" in refused.stderr
    assert typed("run", "small.toml", "--force", cwd=tmp_path).returncode == 0


@pytest.mark.compiled_only
def test_sliced_is_early_by_less_than_a_slice(scene, tmp_path):
    arguments = ("--toi", "sliced", "--slices", "10", "--out", "sliced", "--quiet")
    assert typed("run", scene, *arguments, cwd=tmp_path).returncode == 0
    with (tmp_path / "sliced" / "events.csv").open() as file:
        (impact,) = csv.DictReader(file)
    assert 3.4 - 0.05 / 10 - 1e-12 <= float(impact["t"]) <= 3.4 + 1e-12


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (SMALL + "mass = -1\nradius = 2\n", ["small.toml"]),
        (SMALL.replace("duration = 5.0", 'duration = "5"'), ["small.toml: duration"]),
        (SMALL.replace("[0, 1.2, 0]", "[-5, 1.2, 0]"), ["overlap", "ball 0", "ball 1"]),
        ("\x00\x01\x02", ["small.toml"]),
    ],
)
def test_a_faulty_scene_ends_in_sentences_and_leaves_nothing(scene, tmp_path, text, sentences):
    scene.write_text(text)
    done = typed("run", "small.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for sentence in sentences:
        assert sentence in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "no_such_scene"),
        ("run", "small.toml", "--out", "small.toml"),
        ("run", "small.toml", "--out", "/proc/nowhere"),
        ("run", "small.toml", "--toi", "guess"),
        ("run", "small.toml", "--step", "-1"),
        ("run", "small.toml", "--slices", "0"),
        ("run", "small.toml", "--frame-every", "0.07"),
        ("run", "small.toml", "--duration", "nan"),
        ("compare", "no_such_scene"),
        ("no-such-command",),
    ],
)
def test_what_cannot_be_done_is_said_without_a_traceback(scene, tmp_path, arguments):
    done = typed(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["run", ""], "run"),
        (["run", "small.toml", "--out", ""], "--out"),
        (["run", "small.toml", "--out="], "--out"),
        (["compare", "small.toml", "--out", ""], "--out"),
    ],
)
def test_an_empty_word_is_refused(scene, tmp_path, words, name):
    done = typed(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f'{name} must be followed by a text that is not empty, not ""\n'
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("words", "warning"),
    [
        (["--slices", "3"], "--slices 3 changes nothing without --toi sliced"),
        (["--slices", "3", "--toi", "sliced"], ""),
        (["--step", "0.1"], ""),
        (["--step", "0.1", "--engine", "events"],
         '--step 0.1 changes nothing with the engine "events"'),
        (["--threads", "2"],
         'one thread is used, not 2: several are for the engine "events" alone'),
    ],
)  # fmt: skip
def test_options_without_effect_are_warned_of(scene, tmp_path, words, warning):
    done = typed("run", "small.toml", "--quiet", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (f"warning: {warning}\n" if warning else "")


@pytest.mark.compiled_only
@pytest.mark.thorough
def test_interrupted_it_ends_with_complete_files(scene, tmp_path):
    scene.write_text(SMALL.replace("duration = 5.0", "duration = 5e6"))
    frames = tmp_path / "runs" / "small" / "frames.csv"
    with started("run", "small.toml", cwd=tmp_path) as process:
        wait_until(lambda: has_bytes(frames, 10_000), process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "interrupted at t =" in stdout
    assert "Traceback" not in stderr
    info = json.loads((frames.parent / "run.json").read_text())
    assert info["finished"] is False
    lines = frames.read_text().splitlines()
    assert {line.count(",") for line in lines} == {8}
    assert float(lines[-1].split(",")[1]) <= info["time"]


def test_help_is_instant_for_it_does_not_import_the_compiler(tmp_path):
    done = python("-X", "importtime", "-m", "spheresim", "run", "--help", cwd=tmp_path)
    assert "--frame-every" in done.stdout
    for heavy in ("numba", "numpy", "pyglet"):
        assert f" {heavy}\n" not in done.stderr


@pytest.mark.compiled_only
def test_version_scenes_and_schema_print_what_they_say(tmp_path):
    from spheresim import __version__

    assert spheresim("--version", cwd=tmp_path).stdout == f"spheresim {__version__}\n"
    scenes = spheresim("scenes", cwd=tmp_path).stdout
    assert "magic_room" in scenes
    assert "pi_by_collisions" in scenes
    schema = json.loads(spheresim("schema", cwd=tmp_path).stdout)
    assert "ball" in schema["properties"]


@pytest.mark.compiled_only
def test_a_reader_that_goes_away_is_no_fault(tmp_path):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as nobody:
        done = subprocess.run(
            [sys.executable, "-m", "spheresim", "schema"],
            cwd=tmp_path,
            stdout=nobody,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_compare_tells_error_and_missed_impacts_and_faster_balls_are_missed_more(tmp_path):
    done = spheresim("compare", "gas_in_a_box", "--duration", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "runs" / "gas_in_a_box-compare.csv").open() as file:
        rows = list(csv.DictReader(file))
    missed = {(float(row["speed"]), int(row["slices"])): float(row["missed_share"]) for row in rows}
    assert missed[100.0, 3] > missed[10.0, 3] > missed[1.0, 3]
    assert missed[100.0, 3] > missed[100.0, 30] > missed[100.0, 1000]
    assert all(float(row["max_error"]) >= float(row["mean_error"]) >= 0 for row in rows)


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--duration", "abc", "a number"),
        ("--slices", "1.5", "a whole number"),
        ("--until-impacts", "0", "at least 1"),
        ("--slices", "2000000000", "at most 1e+09"),
        ("--events", "some", "one of all, none"),
    ],
)
def test_a_wrong_value_of_an_option_is_told_with_what_is_expected(
    scene, tmp_path, option, value, expected
):
    told = typed("run", scene, option, value, cwd=tmp_path)
    assert told.returncode == 2
    assert told.stderr.endswith(f"'{option}': must be {expected}, not '{value}'\n")
    assert not (tmp_path / "runs").exists()
