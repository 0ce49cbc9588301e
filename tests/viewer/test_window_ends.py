"""The program ends well: while it compiles, while it shows a scene, by a signal.

Its window is found by its title, so it has a screen of its own: a browser's may bear it, too.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
from viewer_window import DEADLINE, VirtualScreen, need_opengl, xdotool

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts the program as its user does; it is ended afterwards, whatever happens."""
    need_opengl()
    screen, processes = VirtualScreen(), []
    monkeypatch.setenv("DISPLAY", screen.display)
    # Where the suite runs in the background, it is handed down that this signal is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def start_one(*arguments: str, **environment: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-m", "spheresim", "view", *arguments],
            cwd=tmp_path,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start_one
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.wait()
    screen.close()


def window_of(process: subprocess.Popen) -> str:
    """The window of a program, once it is there."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "spheresim|t ="],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        if found:
            return found[-1]
        time.sleep(0.1)
    raise AssertionError("no window")


def shown(process: subprocess.Popen) -> str:
    """The window of a program, once it shows its scene."""
    window = window_of(process)
    deadline = time.monotonic() + DEADLINE
    while "t =" not in xdotool("getwindowname", window):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return window


def ended(process: subprocess.Popen) -> tuple[int, str]:
    _, stderr = process.communicate(timeout=DEADLINE)
    return process.returncode, stderr


def quit_by_key(process: subprocess.Popen, window: str) -> None:
    """Press the key until the program has ended: before the window has the focus it is lost."""
    deadline = time.monotonic() + DEADLINE
    while process.poll() is None and time.monotonic() < deadline:
        press = ["xdotool", "windowfocus", window, "key", "ctrl+q"]
        subprocess.run(press, capture_output=True, check=False)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)


def test_closed_in_the_middle_of_compiling_it_ends_at_once(start, tmp_path):
    process = start("magic_room", NUMBA_CACHE_DIR=str(tmp_path / "empty"))
    window = window_of(process)
    time.sleep(0.5)  # into the compilation
    assert "t =" not in xdotool("getwindowname", window)
    quit_by_key(process, window)
    code, stderr = ended(process)
    assert (code, stderr.replace("\n", "")) == (0, "")


def test_closed_while_it_shows_a_scene_it_ends_well(start):
    process = start("two_balls", "--size", "320x240")
    window = shown(process)
    quit_by_key(process, window)
    assert ended(process) == (0, "")


@pytest.mark.cases(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_without_a_traceback(start, number):
    process = start("two_balls", "--size", "320x240")
    shown(process)
    process.send_signal(number)
    code, stderr = ended(process)
    assert code in (0, 130, -signal.SIGTERM)
    assert "Traceback" not in stderr
