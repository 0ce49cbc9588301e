"""Runs with more triangles than a scene file holds: they open, replay, run and resume again."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import contents, run

from spheresim import Mesh, Run
from spheresim.obstacles.mesh_files import archive_of
from spheresim.record.files_and_columns import RunError

SCENE = """
duration = 1
gravity = [0, -3, 0]
engine = "events"
[[mesh]]
name = "floor"
path = "floor.npz/0"
[[ball]]
position = [0.5, 0.4, 0.45]
radius = 0.2
"""
WRITTEN = ("frames.csv", "events.csv", "balls.csv", "scene.toml", "meshes.npz")


def floor(many=30):
    """Hills, of 2·many² triangles."""
    u, w = np.meshgrid(np.linspace(0, 1, many + 1), np.linspace(0, 1, many + 1), indexing="ij")
    vertices = np.stack([u, 0.1 * np.sin(9 * u + 4 * w), w], axis=-1).reshape(-1, 3)
    a = (np.arange(many)[:, None] * (many + 1) + np.arange(many)).reshape(-1)
    halves = [a, a + 1, a + many + 2], [a, a + many + 2, a + many + 1]
    return vertices, np.concatenate([np.stack(corners, axis=1) for corners in halves])


@pytest.fixture(autouse=True)
def _files(folder):
    Path("floor.npz").write_bytes(archive_of([floor()]))
    Path("hilly.toml").write_text(SCENE)


def written(directory):
    found = contents(directory)
    return {name: found[name] for name in WRITTEN}


@pytest.mark.compiled_only
def test_a_run_with_a_large_mesh_opens_runs_and_resumes_again():
    assert run("hilly.toml", "out", checkpoint_every=0.5) == 0
    first = written("out")
    assert "meshes.npz" in json.loads(Path("out/run.json").read_text())["files"]
    assert len(first["scene.toml"]) < 2000
    # It is replayed, and is a scene of its own, wherever its folder lies.
    (obstacle,) = Run.load("out").scene.obstacles
    assert obstacle.shape.features().kind.size == Mesh(*floor()).features().kind.size
    Path("floor.npz").unlink()
    Path("out").rename("moved")
    assert run("moved", "again") == 0
    assert written("again") == first
    # It replaces itself, and goes on for longer.
    assert run("moved", "moved", force=True, checkpoint_every=0.5) == 0
    assert written("moved") == first
    assert run("moved", "moved", resume=True, duration=2) == 0
    assert written("moved")["meshes.npz"] == first["meshes.npz"]
    assert run("moved", "twice") == 0
    assert written("twice") == written("moved")


@pytest.mark.compiled_only
def test_a_run_is_not_resumed_with_another_mesh():
    assert run("hilly.toml", "out", checkpoint_every=0.5, duration=0.5) == 0
    vertices, triangles = floor()
    vertices[500] += 1e-9
    Path("floor.npz").write_bytes(archive_of([(vertices, triangles)]))
    with pytest.raises(RunError, match="floor was <Mesh of 1,800 triangles, sha256"):
        run("hilly.toml", "out", resume=True)


def test_a_file_of_meshes_that_no_run_wrote_is_never_replaced():
    Path("out").mkdir()
    Path("out/meshes.npz").write_text("mine")
    with pytest.raises(RunError, match=r"holds meshes\.npz, which no run wrote"):
        run("hilly.toml")
    assert Path("out/meshes.npz").read_text() == "mine"
