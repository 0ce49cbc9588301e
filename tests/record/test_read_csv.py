"""Tables read back: the same by pyarrow and without it, and whole lines only."""

import builtins
from pathlib import Path

import numpy as np
import pytest
from command_line import run

from spheresim import Run

DROP = """
duration = 1.0
gravity = [0, -10, 0]
[[plane]]
name = 'the "floor", flat'
point = [0, 0, 0]
normal = [0, 1, 0]
[[ball]]
position = [0, 0.7, 0]
radius = 0.1
[[ball]]
position = [0, 0.9, 0]
radius = 0.1
"""


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "drop.toml").write_text(DROP)
    run(tmp_path / "drop.toml", tmp_path / "out", engine="events", frame_every=0.05)
    return tmp_path / "out"


@pytest.fixture
def no_pyarrow(monkeypatch):
    really = builtins.__import__

    def refuse(name, *rest, **more):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return really(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)


def tables(directory):
    found = Run.load(directory)
    return found.frames, found.impacts, found.balls


def test_both_ways_of_reading_give_the_same(directory, request):
    pytest.importorskip("pyarrow")
    fast = tables(directory)
    request.getfixturevalue("no_pyarrow")
    slow = tables(directory)
    assert {"ball", "obstacle"} <= set(fast[1].kind)
    for one, other in zip(fast, slow, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("cut", [1, 2, 30])
def test_of_a_killed_run_the_whole_lines_are_read(directory, request, by_numpy, cut):
    if by_numpy:
        request.getfixturevalue("no_pyarrow")
    _kill(directory, cut)
    whole, found = Run.load(directory.parent / "whole"), Run.load(directory)
    assert found.frames.tolist() == whole.frames[:-1].tolist()
    assert found.impacts.tolist() == whole.impacts[:-1].tolist()


def _kill(directory: Path, cut: int) -> None:
    """Keep the run, and leave its directory as a process does that ends within a line."""
    whole = directory.parent / "whole"
    whole.mkdir()
    for file in directory.iterdir():
        (whole / file.name).write_bytes(file.read_bytes())
    for name in ("frames.csv", "events.csv"):
        (directory / name).write_bytes((directory / name).read_bytes()[:-cut])
    info = directory / "run.json"
    info.write_text(info.read_text().replace('"finished": true', '"finished": false'))


def test_a_line_without_its_end_counts_where_the_run_is_finished(directory):
    frames = directory / "frames.csv"
    before = Run.load(directory).frames
    frames.write_bytes(frames.read_bytes().rstrip(b"\n"))
    assert np.array_equal(Run.load(directory).frames, before)
