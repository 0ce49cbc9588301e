"""Commands as they are typed, in this process: faults are exceptions, and the end is a code."""

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from spheresim.cli import app, main

PATIENCE = 600.0
"""Seconds after which a program is taken to hang: far more than any takes on a busy machine."""

GAS = """
duration = 2
frame_every = 0.5
[box]
low = [0, 0, 0]
size = [8, 8, 8]
periodic = [true, true, false]
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 0, 1]
[[plane]]
name = "lid"
point = [0, 0, 8]
normal = [0, 0, -1]
[[fill]]
count = 30
radius = 0.5
temperature = 1
seed = 3
"""
"""A gas between two walls, periodic along the others."""


def run(source: object, out: object = "out", **options: Any) -> int:
    """`spheresim run SOURCE --out OUT`, with other options by their names; the exit code."""
    words = ["run", str(source), "--out", str(out), "--quiet"]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        words += [option] if value is True else [option, str(value)]
    code: int = app(words, standalone_mode=False)
    return code


def run_gas(out: object = "out", source: object = "gas.toml", **options: Any) -> int:
    """`run` of a gas, with the exact engine."""
    return run(source, out, engine="events", **options)


def wait_until(is_so: Callable[[], bool], process: subprocess.Popen[Any] | None = None) -> None:
    """Wait for what a program at work brings about; it fails where the program ends before."""
    latest = time.monotonic() + PATIENCE
    while not is_so():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < latest, "it never happens"
        time.sleep(0.02)


def has_bytes(path: Path, size: int) -> bool:
    """Whether a file is there and has grown to a size."""
    return path.exists() and path.stat().st_size >= size


def contents(directory: object) -> dict[str, bytes]:
    """All files in a folder, by name."""
    return {path.name: path.read_bytes() for path in Path(str(directory)).iterdir()}


def python(*arguments, cwd=None, **environment):
    """Run Python in a process of its own, where there is no screen unless `environment` names one;
    what it tells is not cut into short lines."""
    bare = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**bare, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def spheresim(*arguments, cwd, **environment):
    """Run the command line as a user would."""
    return python("-m", "spheresim", *arguments, cwd=cwd, **environment)


@contextmanager
def started(*words, cwd=None):
    """The command line at work in a process of its own, which ends with the test at the latest."""
    command = [sys.executable, "-m", "spheresim", *map(str, words)]
    with subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def typed(*arguments, cwd):
    """As `spheresim`, in this process: what is typed, read and told, without a second to start, and
    without what the compiler says."""
    words = ["spheresim", *map(str, arguments)]
    told, complained, code = io.StringIO(), io.StringIO(), 0
    with (
        chdir(cwd),
        patch.object(sys, "argv", words),
        redirect_stdout(told),
        redirect_stderr(complained),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    # Whether a kernel was compiled before, or is by another test at this moment, is chance.
    says = r"compiling .*, once.*\n|waiting for .*, which compiles the same\n"
    stderr = re.sub(f"^(?:{says})", "", complained.getvalue(), flags=re.MULTILINE)
    return subprocess.CompletedProcess(words, code, told.getvalue(), stderr)
