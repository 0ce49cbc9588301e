"""Spins in the files of a run: written, read back, resumed, replayed; and none where none turn."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from command_line import contents, run, typed
from kinds_of_scenes import ROUGH

from spheresim import Run, Simulation

ENGINES = pytest.mark.parametrize("engine", ["steps", "events"])


@pytest.fixture(autouse=True)
def _files(folder):
    Path("rough.toml").write_text(ROUGH)


def written(directory):
    """The files that are the same bytes for the same input."""
    return {k: v for k, v in contents(directory).items() if not k.endswith((".json", ".npz"))}


@ENGINES
def test_a_run_is_read_back_and_run_again_from_its_own_scene(engine):
    assert run("rough.toml", "whole", engine=engine) == 0
    whole = Run.load("whole")
    simulation = Simulation.load("rough.toml", engine=engine)
    assert list(whole.frames.dtype.names[-3:]) == ["wx", "wy", "wz"]
    assert list(whole.impacts.dtype.names[-3:]) == ["tx", "ty", "tz"]
    assert whole.balls.inertia.tolist() == [0.4 * 0.25, 0.6 * 2 * 0.4**2]
    simulation.run(until=3)
    assert len(whole.impacts) == len(simulation.impacts) == 5
    for name in ("t", "impulse", "tx", "ty", "tz"):
        assert (whole.impacts[name] == simulation.impacts[name]).all()
    last = whole.frames[-2:]
    assert (np.stack([last.wx, last.wy, last.wz], axis=1) == simulation.angular_velocity).all()
    assert run("whole", "again") == 0
    assert written("again") == written("whole")


@ENGINES
def test_a_run_is_resampled_and_analysed(engine):
    assert run("rough.toml", engine=engine) == 0
    found = Run.load("out")
    assert typed("resample", "out", "--every", "0.05", "--out", "fine", cwd=".").returncode == 0
    fine = Run.load("fine").frames
    assert fine[::10].wz.tolist()[:4] == pytest.approx(found.frames[::2].wz.tolist()[:4], rel=1e-12)
    assert typed("analyse", "out", cwd=".").returncode == 0


def test_parquet_holds_what_the_csv_holds():
    pytest.importorskip("pyarrow")
    assert run("rough.toml", "tables", engine="events", format="parquet", checkpoint_every=1) == 0
    assert run("rough.toml", "lines", engine="events") == 0
    tables, lines = Run.load("tables"), Run.load("lines")
    assert (tables.frames == lines.frames).all()
    assert (tables.impacts == lines.impacts).all()
    assert np.array_equal(tables.rows.numbers, lines.rows.numbers)
    shutil.copytree("tables", "more")
    assert (
        run("rough.toml", "more", engine="events", format="parquet", resume=True, duration=4) == 0
    )
    assert Run.load("more").impacts.tx[: len(lines.impacts)].tolist() == lines.impacts.tx.tolist()


def test_energy_that_surfaces_take_is_accounted_for():
    assert run("rough.toml", engine="events") == 0
    info = Run.load("out").info
    assert info["energy_dissipated"] > 1.0
    assert abs(info["energy_remainder"]) < 1e-12 * info["energy_start"]


def test_another_surface_is_another_scene_and_smooth_runs_have_no_columns_of_spins():
    assert run("rough.toml", engine="events", checkpoint_every=1) == 0
    Path("rough.toml").write_text(ROUGH.replace("tangential_restitution = 0.8", ""))
    told = typed("run", "rough.toml", "--out", "out", "--engine", "events", "--resume", cwd=".")
    assert told.returncode == 2
    assert "what surfaces do was" in told.stderr
    smooth = ROUGH[: ROUGH.index("[[material]]")].replace("tangential_restitution = 0.5", "")
    Path("smooth.toml").write_text(smooth + "[[ball]]\nposition = [0, 0, 0]\nradius = 1\n")
    assert run("smooth.toml", "smooth", engine="events") == 0
    tables = [Path(f"smooth/{name}.csv").read_text() for name in ("frames", "events", "balls")]
    heads = [table.partition("\n")[0] for table in tables]
    assert [head.rpartition(",")[2] for head in heads] == ["vz", "impulse", "restitution"]


def test_xyz_and_gsd_have_the_spins():
    ase_io, hoomd = pytest.importorskip("ase.io"), pytest.importorskip("gsd.hoomd")
    assert run("rough.toml", format="csv,xyz,gsd") == 0
    table = Run.load("out")
    spins = np.stack([table.frames.wx, table.frames.wy, table.frames.wz], axis=1).reshape(-1, 2, 3)
    frames = ase_io.read("out/frames.xyz", index=":")
    assert len(frames) == len(spins) > 5
    assert len(np.unique(spins[:, 0, 2])) > 2
    for atoms, spin in zip(frames, spins, strict=True):
        assert atoms.arrays["angular_velocity"].tolist() == spin.tolist()
    with hoomd.open("out/frames.gsd", "r") as trajectory:
        for frame, spin in zip(trajectory, spins, strict=True):
            inertia, angmom = frame.particles.moment_inertia, frame.particles.angmom
            assert inertia == pytest.approx(np.repeat(table.balls.inertia[:, None], 3, axis=1))
            # The angular momentum is half the product of the orientation's conjugate and this.
            assert angmom[:, 0].tolist() == [0, 0]
            assert 0.5 * angmom[:, 1:] / inertia == pytest.approx(spin, rel=1e-6)
