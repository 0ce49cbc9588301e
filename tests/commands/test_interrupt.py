"""Ctrl-C and SIGTERM: a run ends at once, with complete files, however fast its impacts come."""

import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired

import pytest
from command_line import PATIENCE, has_bytes, python, started, wait_until

from spheresim.record.load import Run

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
