"""Two processes that need the same kernel: one compiles it, and the other waits and loads it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import PATIENCE

import spheresim
from spheresim.compiler.compile_lock import compile_lock
from spheresim.compiler.compile_time import watch_compilation

pytestmark = [
    pytest.mark.compiled_only,
    pytest.mark.skipif(sys.platform == "win32", reason="no lock there: each compiles for itself"),
]


def start(script, site=Path(spheresim.__file__).parents[1], **environment):
    return subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=site,  # the first place that it imports from
        env={"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


KERNEL = """
from spheresim.compiler.decorators import kernel

@kernel
def double(x):
    return x + x
"""
CALL = """
from spheresim.compiler.probe import double
print(double(1.0), sum(double.stats.cache_misses.values()))
"""


@pytest.mark.thorough
def test_of_processes_that_start_at_once_one_compiles(tmp_path):
    shutil.copytree(Path(spheresim.__file__).parent / "compiler", tmp_path / "spheresim/compiler")
    (tmp_path / "spheresim" / "__init__.py").touch()
    (tmp_path / "spheresim" / "compiler" / "probe.py").write_text(KERNEL, encoding="utf-8")
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    processes = [start(CALL, tmp_path, **cache) for _ in range(3)]
    said = sorted(process.communicate(timeout=PATIENCE)[0] for process in processes)
    assert said == ["2.0 0\n", "2.0 0\n", "2.0 1\n"]


HOLD = """
import sys
from pathlib import Path
from spheresim.compiler.compile_lock import compile_lock

with compile_lock(Path(sys.stdin.readline().strip()), "a kernel"):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_who_waits_is_told_and_another_kernel_is_not_waited_for(tmp_path):
    holder = start(HOLD, HOME=os.environ.get("HOME", str(tmp_path)))
    holder.stdin.write(f"{tmp_path}\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "held\n"

    said = []

    def let_go(message):
        said.append(message)
        holder.stdin.write("\n")
        holder.stdin.flush()

    with watch_compilation(let_go) as watched:
        with compile_lock(tmp_path, "another kernel"):
            assert holder.poll() is None
        assert watched.seconds == 0.0
        with compile_lock(tmp_path, "a kernel"):
            pass
    assert watched.seconds > 0.0
    whom = f"process {holder.pid}" if sys.platform == "linux" else "another process"
    assert said == [f"waiting for {whom}, which compiles the same"]
    holder.communicate(timeout=PATIENCE)
    assert holder.returncode == 0


def test_a_process_that_is_killed_leaves_no_lock(tmp_path):
    holder = start(HOLD, HOME=os.environ.get("HOME", str(tmp_path)))
    holder.stdin.write(f"{tmp_path}\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "held\n"
    with (
        watch_compilation(lambda _message: holder.kill()) as watched,
        compile_lock(tmp_path, "a kernel"),
    ):
        pass
    assert watched.seconds > 0.0
    holder.communicate(timeout=PATIENCE)


def test_where_nothing_can_be_locked_it_goes_on(tmp_path):
    with compile_lock(tmp_path / "there is no such folder", "a kernel"):
        pass
