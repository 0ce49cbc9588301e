"""Modules of somebody else that are called as ours are: they lie in the folder, and stay there."""

import sys
from pathlib import Path

import pytest
import spheresim_viewer
from command_line import python

import spheresim

pytestmark = pytest.mark.thorough

# Where a name is one of Python's own modules as well, Python itself would import the stranger's.
OURS = {
    path.stem
    for package in (spheresim, spheresim_viewer)
    for path in Path(package.__file__).parent.rglob("*.py")
} - {"__init__", "__main__", *sys.stdlib_module_names}


@pytest.mark.parametrize(
    "command", ["spheresim scenes", "spheresim view --help", "spheresim_viewer --help"]
)
def test_a_module_of_a_stranger_in_the_folder_is_not_imported(tmp_path, command):
    """`python -m` looks into the current folder first; a `viewer.py` there broke every command."""
    for name in ("viewer", *OURS):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger was imported')")
    done = python("-m", *command.split(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
