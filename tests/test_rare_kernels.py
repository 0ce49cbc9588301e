"""Kinds of worlds whose kernels `make test` does not compile hold as plain Python."""

from pathlib import Path

import pytest
from command_line import python

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
    options = ["--quiet", "-p", "no:cacheprovider", "-m", chosen]
    here = Path(__file__).parents[1]
    done = python("-m", "pytest", *options, *marked, cwd=here, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
