"""Ctrl-C and SIGTERM: a run ends at once, with complete files, however fast its impacts come."""

import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired

import pytest
from command_line import GAS, PATIENCE, has_bytes, python, started, typed, wait_until

from spheresim.commands import resample, run, sweep
from spheresim.parameter_sweeps import rows
from spheresim.record.formats.csv_tables import CsvTables
from spheresim.record.load import Run
from spheresim.record.write import RunWriter

pytestmark = pytest.mark.compiled_only

FAST = """
duration = 1000
frame_every = 1000
[[plane]]
point = [0, 0, 0]
normal = [1, 0, 0]
[[plane]]
point = [10, 0, 0]
normal = [-1, 0, 0]
[[ball]]
position = [3, 0, 0]
velocity = [1e8, 0, 0]
radius = 1
[[ball]]
position = [7, 0, 0]
velocity = [-1e8, 0, 0]
radius = 1
"""
"""Some 1e10 impacts before the first frame."""

SLOW = FAST.replace("1e8", "1").replace("1000", "2\nstep = 0.5", 1).replace("1000", "0.5")
"""The same balls at a speed of 1, with five frames."""


def memory(process):
    """What a process holds, in MB."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise AssertionError


@pytest.mark.cases(1)
@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_fast_box_ends_at_once_and_holds_no_impacts_back(tmp_path, engine, number):
    (tmp_path / "fast.toml").write_text(FAST)
    words = ["--engine", engine, "--out", "out", "--step", "1"]
    with started("run", "fast.toml", *words, cwd=tmp_path) as process:
        events = tmp_path / "out" / "events.csv"
        wait_until(lambda: has_bytes(events, 1_000_000), process)
        before = memory(process)
        wait_until(lambda: has_bytes(events, 8_000_000), process)
        assert memory(process) - before < 20
        process.send_signal(number)
        _, stderr = process.communicate(timeout=PATIENCE)  # all impacts would take hours
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert events.read_bytes().endswith(b"\n")
    done = Run.load(tmp_path / "out")
    assert done.info["finished"] is False
    assert len(done.impacts) == done.info["impacts"] > 10_000
    assert done.info["time"] >= done.impacts.t[-1]


def interrupted(process):
    """What a program says that Ctrl-C has ended. Python loses one that comes in a finalizer or a
    callback, some in thousands; then it is pressed again, as anybody would."""
    for _ in range(100):
        process.send_signal(signal.SIGINT)
        with suppress(TimeoutExpired):
            return process.communicate(timeout=PATIENCE / 100)[1]
    process.kill()
    raise AssertionError("Ctrl-C does not end it")


@pytest.fixture
def ctrl_c_is_not_ignored():
    """Where the suite runs in the background, it is handed down that this signal is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def press_in(monkeypatch, module, name):
    """Let Ctrl-C be pressed where a function is called; it goes on if that is held back."""
    really = getattr(module, name)

    def pressed(*arguments, **named):
        signal.raise_signal(signal.SIGINT)
        return really(*arguments, **named)

    monkeypatch.setattr(module, name, pressed)


@pytest.mark.usefixtures("ctrl_c_is_not_ignored")
@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize(
    ("module", "name"),
    [(run, "prepare_directory"), (run, "RunWriter"), (CsvTables, "begin"), (RunWriter, "__exit__")],
)
def test_a_run_interrupted_at_the_opening_of_its_files_ends_with_whole_files(
    tmp_path, monkeypatch, engine, module, name
):
    (tmp_path / "slow.toml").write_text(SLOW)
    words = ["--engine", engine, "--out", "out", "--format", "xyz,csv"]
    typed("run", "slow.toml", *words, cwd=tmp_path)
    press_in(monkeypatch, module, name)
    told = typed("run", "slow.toml", *words, "--force", cwd=tmp_path)
    is_late = name == "__exit__"
    assert (told.returncode, told.stderr) == (0 if is_late else 130, "")
    assert f"{'finished' if is_late else 'interrupted'} at t = " in told.stdout
    found = Run.load(tmp_path / "out")
    assert found.info["finished"] is is_late
    assert {path.name for path in (tmp_path / "out").iterdir()} >= set(found.info["files"])
    assert found.frames.t[0] == 0.0
    assert len(found.impacts) == found.info["impacts"]
    assert len(found.frames) == (10 if is_late else 2)


@pytest.mark.usefixtures("ctrl_c_is_not_ignored")
@pytest.mark.parametrize("command", ["run", "resample", "sweep"])
def test_what_is_interrupted_before_its_files_says_so_and_leaves_none(
    tmp_path, monkeypatch, command
):
    (tmp_path / "gas.toml").write_text(GAS)
    typed("run", "gas.toml", "--engine", "events", "--out", "old", cwd=tmp_path)
    module, name, words = {
        "run": (run, "load_scene", ["gas.toml"]),
        "resample": (resample.Run, "load", ["old", "--every", 0.1]),
        "sweep": (sweep, "open_rows", ["gas.toml", "--vary", "seed=1,2"]),
    }[command]
    press_in(monkeypatch, module, name)
    told = typed(command, *words, "--out", "new", cwd=tmp_path)
    assert (told.returncode, told.stdout, told.stderr) == (130, "", "interrupted\n")
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("ctrl_c_is_not_ignored")
@pytest.mark.parametrize("name", ["prepare_directory", "RunWriter"])
def test_resampling_interrupted_at_the_opening_of_its_files_has_the_first_frame(
    tmp_path, monkeypatch, name
):
    (tmp_path / "gas.toml").write_text(GAS)
    typed("run", "gas.toml", "--engine", "events", "--out", "old", cwd=tmp_path)
    press_in(monkeypatch, resample, name)
    told = typed("resample", "old", "--every", 0.1, "--out", "new", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (130, "")
    assert told.stdout == "interrupted: 1 frame until t = 0; written to new\n"
    found = Run.load(tmp_path / "new")
    assert found.info["finished"] is False
    assert len(found.frames) == 30


@pytest.mark.usefixtures("ctrl_c_is_not_ignored")
def test_a_sweep_interrupted_as_it_makes_its_files_begins_again(tmp_path, monkeypatch):
    (tmp_path / "gas.toml").write_text(GAS)
    words = ["sweep", "gas.toml", "--vary", "seed=1,2", "--out", "out", "--workers", 1]
    with monkeypatch.context() as patch:
        press_in(patch, rows, "atomic_write")
        told = typed(*words, cwd=tmp_path)
    assert (told.returncode, told.stderr) == (130, "interrupted\n")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["rows.csv"]
    told = typed(*words, cwd=tmp_path)
    assert (told.returncode, told.stdout) == (0, "2 rows; written to out/rows.csv\n")


@pytest.mark.parametrize("after", [0.05, 0.1, 0.2, 0.4, 0.7])
def test_an_interruption_while_it_is_still_being_imported_is_quiet(tmp_path, after):
    (tmp_path / "fast.toml").write_text(FAST)
    with Popen(
        [sys.executable, "-c", _READY, "run", "fast.toml"], cwd=tmp_path, stdout=PIPE, stderr=PIPE
    ) as process:
        process.stdout.read(1)  # Python is up, and the rest is about to be imported
        time.sleep(after)
        stderr = interrupted(process)
    assert process.returncode == 130, stderr
    assert b"Traceback" not in stderr


_READY = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from spheresim.__main__ import main
os.write(1, b".")
main()
"""


_IN_A_FINALIZER = """
import signal, sys, time
from spheresim.__main__ import interrupt_again
sys.unraisablehook = interrupt_again
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
class Finalized:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
try:
    Finalized()
    for _ in range(600):
        time.sleep(0.1)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interruption_that_python_drops_comes_again():
    """Python only prints one that comes in a finalizer, or in a callback of the compiler."""
    done = python("-c", _IN_A_FINALIZER)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
