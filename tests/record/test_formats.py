"""Runs in Parquet, extended XYZ and GSD: real readers find what was written, killed or not."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import GAS, run, started, typed, wait_until

from spheresim import Run
from spheresim.record.formats import parquet_tables

ALL = "csv,parquet,xyz,gsd"
pytest.importorskip("pyarrow")
pytest.importorskip("gsd")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    recorded = tmp_path_factory.mktemp("formats")
    (recorded / "gas.toml").write_text(GAS)
    run(recorded / "gas.toml", recorded / "out", format=ALL)
    return recorded


@pytest.fixture(scope="module")
def csv(recorded):
    run(recorded / "gas.toml", recorded / "csv")
    return Run.load(recorded / "csv")


def files(directory: Path) -> dict[str, bytes]:
    """All files below a folder but those with times in them, by path."""
    every = (path for path in directory.rglob("*") if path.is_file())
    there = {str(path.relative_to(directory)): path.read_bytes() for path in every}
    return {name: there[name] for name in there if name not in ("run.json", "checkpoint.npz")}


def test_other_formats_beside_it_change_no_byte_of_the_csv(recorded, csv):
    for name in ("frames.csv", "events.csv", "balls.csv", "scene.toml"):
        assert (recorded / "out" / name).read_bytes() == (recorded / "csv" / name).read_bytes()


@pytest.mark.parametrize("until", [2.0, 1.1])  # the second ends between two flushes of GSD
def test_files_of_all_formats_have_the_same_permissions(recorded, tmp_path, until):
    run(recorded / "gas.toml", tmp_path / "out", format=ALL, duration=until, checkpoint_every=0.9)
    paths = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len({path.stat().st_mode for path in paths}) == 1


def test_parquet_alone_reads_as_the_csv_does(recorded, csv, monkeypatch):
    monkeypatch.setattr(parquet_tables, "ROWS", 40)
    run(recorded / "gas.toml", recorded / "parts", format="parquet")
    found = Run.load(recorded / "parts")
    assert not list((recorded / "parts").glob("*s.csv.part")) + list(
        recorded.glob("parts/frames.csv")
    )
    assert len(list((recorded / "parts" / "frames.parquet").iterdir())) == 4
    for one, other in ((found.frames, csv.frames), (found.impacts, csv.impacts)):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    assert found.at(0.7).position.tolist() == csv.at(0.7).position.tolist()


def test_parquet_is_read_where_the_csv_beside_it_was_deleted(recorded, csv):
    run(recorded / "gas.toml", recorded / "both", format="csv,parquet")
    for name in ("frames.csv", "events.csv"):
        (recorded / "both" / name).unlink()
    loaded = Run.load(recorded / "both")
    assert loaded.rows.numbers.tolist() == csv.rows.numbers.tolist()
    assert loaded.frames.tolist() == csv.frames.tolist()
    assert loaded.impacts.tolist() == csv.impacts.tolist()
    told = typed("resample", "both", "--every", 0.3, "--out", "finer", cwd=recorded)
    assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.parametrize("reader", ["pandas", "polars", "duckdb"])
def test_readers_of_parquet_find_the_columns_of_the_csv(recorded, csv, reader):
    library = pytest.importorskip(reader)
    for name, table in (("frames", csv.frames), ("events", csv.impacts)):
        path = str(recorded / "out" / f"{name}.parquet")
        if reader == "duckdb":
            found = library.sql(f"select * from '{path}/*.parquet'").fetchnumpy()
        else:
            frame = library.read_parquet(path)
            found = {column: frame[column].to_numpy() for column in frame.columns}
        assert list(found) == list(table.dtype.names)
        for column in ("t", "x", "vx", "impulse"):
            if column in found:
                assert np.asarray(found[column]).tolist() == table[column].tolist()
        if name == "events":
            hit = [word if isinstance(word, str) else "" for word in found["obstacle"]]
            assert hit == table.obstacle.tolist()


def test_ase_opens_the_extended_xyz(recorded, csv):
    ase_io = pytest.importorskip("ase.io")
    frames = ase_io.read(recorded / "out" / "frames.xyz", index=":")
    assert len(frames) == 5
    for k, atoms in enumerate(frames):
        rows = csv.frames[k * 30 : (k + 1) * 30]
        assert atoms.info["Time"] == rows.t[0]
        assert atoms.positions.tolist() == csv.position(k).tolist()
        assert atoms.arrays["velo"][:, 2].tolist() == rows.vz.tolist()
        assert atoms.arrays["radius"].tolist() == csv.balls.radius.tolist()
        assert atoms.arrays["mass"].tolist() == csv.balls.mass.tolist()
        assert atoms.pbc.tolist() == [True, True, False]
        assert atoms.cell.lengths().tolist() == [8, 8, 8]


def test_gsd_holds_frames_of_the_hoomd_schema(recorded, csv):
    hoomd = pytest.importorskip("gsd.hoomd")
    with hoomd.open(str(recorded / "out" / "frames.gsd"), "r") as trajectory:
        assert len(trajectory) == 5
        for k, frame in enumerate(trajectory):
            rows = csv.frames[k * 30 : (k + 1) * 30]
            place, image = frame.particles.position, frame.particles.image
            across = place[:, :2] + 8.0 * image[:, :2] + 4.0
            assert across == pytest.approx(csv.position(k)[:, :2], abs=1e-5)
            assert place[:, 2] == pytest.approx(rows.z, abs=1e-5)
            assert frame.particles.velocity[:, 0] == pytest.approx(rows.vx, abs=1e-6)
            assert frame.particles.diameter == pytest.approx(2 * csv.balls.radius)
            assert frame.log["time"][0] == rows.t[0]
            assert np.abs(place[:, :2]).max() <= 4.0


@pytest.mark.parametrize(("sizes", "types"), [(3, ["A", "B", "C"]), (40, ["A"])])
def test_gsd_has_a_type_for_each_radius_and_mass(folder, sizes, types):
    hoomd = pytest.importorskip("gsd.hoomd")
    ball = "[[ball]]\nposition = [{}, 0, 0]\nradius = {}\nmass = {}\n"
    kinds = [(0.4 - 0.005 * kind, 1 + kind % 2) for kind in (0, *range(sizes), 0)]
    balls = "".join(ball.format(2 * place, *kind) for place, kind in enumerate(kinds))
    Path("balls.toml").write_text(f"duration = 1\nframe_every = 0.5\n{balls}")
    run("balls.toml", format="gsd")
    with hoomd.open("out/frames.gsd", "r") as trajectory:
        for frame in trajectory:
            assert frame.particles.types == types
            found = frame.particles.typeid.tolist()
            assert found == ([0, 0, 1, 2, 0] if sizes == 3 else [0] * 42)


@pytest.mark.parametrize("name", ["frames.xyz", "frames.gsd"])
def test_ovito_opens_both_with_radius_velocity_time_and_box(recorded, csv, name):
    import_file = pytest.importorskip("ovito.io").import_file
    pipeline = import_file(str(recorded / "out" / name))
    assert pipeline.source.num_frames == 5
    exact = name.endswith("xyz")
    for k in range(5):
        data = pipeline.compute(k)
        rows, found = csv.frames[k * 30 : (k + 1) * 30], data.particles
        assert np.array(found["Radius"]) == pytest.approx(csv.balls.radius)
        assert np.array(found["Velocity"])[:, 1] == pytest.approx(rows.vy, abs=1e-6)
        assert data.attributes["Time" if exact else "time"] == rows.t[0]
        place, low = np.array(found["Position"]), data.cell[:, 3]
        if exact:  # but for the last bit, which its parser rounds in its own way
            assert place == pytest.approx(csv.position(k), rel=1e-14)
            assert (low.tolist(), list(data.cell.pbc)) == ([0, 0, 0], [True, True, False])
        else:  # within the box, about the origin, in seven digits
            expected = np.mod(csv.position(k)[:, :2], 8.0) - 4.0
            assert place[:, :2] == pytest.approx(expected, abs=1e-5)
            assert low[:2].tolist() == [-4, -4]


def test_a_format_that_there_is_not_is_told(recorded):
    for words, sentence in (
        ("csv,hdf5", "a format must be one of csv, parquet, xyz, gsd, not 'hdf5'"),
        ("", "a text that is not empty"),
    ):
        told = typed("run", "gas.toml", "--out", "none", "--format", words, cwd=recorded)
        assert told.returncode == 2
        assert sentence in told.stderr
        assert not (recorded / "none").exists()


def test_a_run_in_other_formats_is_replaced_whole(recorded, csv):
    for formats in (ALL, "gsd", "csv"):
        run(recorded / "gas.toml", recorded / "again", format=formats, force=True)
    assert {path.name for path in (recorded / "again").iterdir()} == {
        path.name for path in (recorded / "csv").iterdir()
    }


@pytest.mark.thorough
@pytest.mark.compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_a_killed_run_reads_and_goes_on_to_the_same_bytes_in_every_format(folder):
    Path("gas.toml").write_text(GAS)
    options = {"duration": 15, "frame_every": 0.02, "checkpoint_every": 2, "format": ALL}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    run("gas.toml", "whole", **options)
    with started("run", "gas.toml", "--out", "killed", "--quiet", *words) as process:
        wait_until(Path("killed/checkpoint.npz").exists, process)
    found, whole = Run.load("killed"), Run.load("whole")
    n = len(found.frames)
    assert n == 0 or found.frames.tolist() == whole.frames[:n].tolist()
    import gsd.hoomd
    from pyarrow import parquet

    assert parquet.read_table("killed/events.parquet").num_rows <= len(whole.impacts)
    with gsd.hoomd.open("killed/frames.gsd", "r") as trajectory:
        assert len(trajectory) <= 751
    run("gas.toml", "killed", resume=True, **options)
    assert files(Path("killed")) == files(Path("whole"))


def test_a_run_that_stopped_goes_on_to_the_same_bytes_though_parts_were_begun(folder, monkeypatch):
    monkeypatch.setattr(parquet_tables, "ROWS", 100)
    Path("gas.toml").write_text(GAS)
    options = {"frame_every": 0.02, "checkpoint_every": 0.3}
    for formats in (ALL, "parquet"):
        run("gas.toml", "whole", format=formats, force=True, **options)
        # A run of half the time, with its last checkpoint somewhere in a part, goes on.
        run("gas.toml", "out", format=formats, force=True, duration=1.1, **options)
        run("gas.toml", "out", format=formats, resume=True, **options)
        assert files(Path("out")) == files(Path("whole"))
    told = typed("run", "gas.toml", "--out", "out", "--resume", "--engine", "events", cwd=folder)
    assert told.returncode == 2


def test_a_run_goes_on_to_the_same_bytes_though_no_checkpoint_comes_any_more(folder):
    Path("gas.toml").write_text(GAS)
    options = {"frame_every": 0.02, "checkpoint_every": 0.9, "format": ALL}
    run("gas.toml", "whole", duration=1.5, **options)
    run("gas.toml", "out", duration=1.1, **options)  # its checkpoint is between two flushes of GSD
    run("gas.toml", "out", duration=1.5, resume=True, **options)
    assert files(Path("out")) == files(Path("whole"))


@pytest.mark.cases(2)
@pytest.mark.compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="has no limits on files")
@pytest.mark.parametrize("word", ["csv", "parquet", "xyz", "gsd", ALL])
def test_a_full_disk_leaves_what_reads_and_goes_on_to_the_same_bytes(folder, word):
    import resource

    Path("gas.toml").write_text(GAS)
    options = {"duration": 6, "frame_every": 0.02, "checkpoint_every": 1, "format": word}
    run("gas.toml", "whole", **options)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, before[1]))
    try:
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        told = typed("run", "gas.toml", "--out", "full", "--quiet", *words, cwd=folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert told.returncode == 2
    end = re.fullmatch(
        r"full/\S+: file too large; the run stopped after the frame at t = (\S+)"
        r"( \(earlier in .*\))?, and the rows in its files are complete\n",
        told.stderr,
    )
    assert end
    assert (end[2] is None) == (word in {"csv", "xyz"})
    assert read_whole_rows(Path("full"), Path("whole")) > 30
    if word == "csv":
        assert float(end[1]) == pytest.approx(Run.load("full").frames.t[-1])
    info = json.loads(Path("full/run.json").read_text())
    assert [info[key] for key in ("finished", "time", "impacts")] == [False, None, None]
    run("gas.toml", "full", resume=True, **options)
    assert files(Path("full")) == files(Path("whole"))


def read_whole_rows(cut: Path, whole: Path) -> int:
    """Read the frames of a run that was cut, compare them with those of the whole run, count."""
    counts = []
    if (cut / "frames.csv").exists() or (cut / "frames.parquet").exists():
        found, there = Run.load(cut), Run.load(whole)
        n = len(found.frames)
        assert found.frames.tolist() == there.frames[:n].tolist()
        middle = 0.5 * float(found.frames.t[-1])
        assert found.at(middle).position.tolist() == there.at(middle).position.tolist()
        counts.append(n)
    if (cut / "frames.xyz").exists():
        text = (cut / "frames.xyz").read_bytes()
        assert (whole / "frames.xyz").read_bytes().startswith(text)
        assert text.endswith(b"\n")
        counts.append(text.count(b"\n") // 32 * 30)
        assert text.count(b"\n") % 32 == 0
    if (cut / "frames.gsd").exists():
        import gsd.hoomd

        with gsd.hoomd.open(str(cut / "frames.gsd"), "r") as trajectory:
            counts.append(sum(frame.particles.N for frame in trajectory))
    return min(counts)


def test_frames_of_a_killed_run_in_parquet_end_where_its_impacts_are_known(folder, monkeypatch):
    monkeypatch.setattr(parquet_tables, "ROWS", 10)
    Path("gas.toml").write_text(GAS)
    run("gas.toml", "out", format="parquet", frame_every=0.1)
    whole = Run.load("out")
    # As a kill leaves it: `run.json` as at the start, the last parts of impacts not written.
    info = json.loads(Path("out/run.json").read_text())
    Path("out/run.json").write_text(
        json.dumps({**info, "finished": False, "time": None, "impacts": None})
    )
    parts = sorted(Path("out/events.parquet").iterdir())
    parts[-1].unlink()
    killed = Run.load("out")
    last = whole.impacts.t[10 * (len(parts) - 1) - 1]
    assert len(killed.impacts) == 10 * (len(parts) - 1)
    assert 0.0 <= last - killed.frames.t[-1] < 0.1
    middle = 0.5 * float(killed.frames.t[-1])
    assert killed.at(middle).position.tolist() == whole.at(middle).position.tolist()


@pytest.mark.parametrize("word", ["xyz", "gsd"])
def test_a_run_for_other_programs_alone_says_so_where_it_is_asked_for(tmp_path, word):
    (tmp_path / "gas.toml").write_text(GAS)
    run(tmp_path / "gas.toml", tmp_path / "out", format=word)
    for words in (("analyse", "out"), ("resample", "out", "--every", 1, "--out", "new")):
        told = typed(*words, cwd=tmp_path)
        assert told.returncode == 2
        assert told.stderr == (
            f"out: was written as frames.{word} alone, which is for other programs; run it with "
            "--format csv or parquet, too\n"
        )
    told = typed("analyse", "gas.toml", cwd=tmp_path)
    assert told.stderr == "gas.toml: is a file, not the directory of a run\n"
