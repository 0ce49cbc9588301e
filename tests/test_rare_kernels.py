"""Kinds of worlds whose kernels `make test` does not compile hold as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MARK = "rare_kernels"


@pytest.mark.compiled_only
def test_worlds_of_rare_kinds_hold_without_the_compiler():
    """What is marked runs in a process of its own, which takes half as long as to compile."""
    marked = [
        path
        for path in sorted(Path(__file__).parent.rglob("test_*.py"))
        if f"mark.{MARK}" in path.read_text(encoding="utf-8")
    ]
    chosen = f"{MARK} and not compiled_only and not thorough and not study"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--quiet",
            "-p",
            "no:cacheprovider",
            "-m",
            chosen,
            *marked,
        ],
        cwd=Path(__file__).parents[1],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
