"""A run on disk: valid whenever it ends, and read back as it was."""

import csv

import numpy as np
import pytest
from one_sentence import told

from spheresim import Run, Simulation
from spheresim.record.directory import prepare_directory
from spheresim.record.files_and_columns import RunError
from spheresim.record.write import RunWriter
from spheresim.scene import load_scene

SCENE = """
title = "a ball and a 'floor', \\"quoted\\""
duration = 1.0
step = 0.01
gravity = [0, -10, 0]
[[plane]]
name = "floor, \\"the\\" one"
point = [0, 0, 0]
normal = [0, 1, 0]
[[ball]]
name = "drop, first"
position = [0.1, 0.7, -0.0]
radius = 0.1
restitution = 0.474  # contact begins shortly before the end
"""


FRAMES = "frame,t,ball,x,y,z,vx,vy,vz\n"
LINE = "0,0,0,0,0,0,0,0,0\n"


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "drop.toml"
    path.write_text(SCENE, encoding="utf-8")
    return load_scene(path)


def record(scene, directory):
    """Run a scene into a directory, a frame every tenth."""
    simulation = Simulation.from_scene(scene)
    prepare_directory(directory, force=False)
    with RunWriter(directory, scene, simulation.obstacle_names) as writer:
        writer.frame(simulation.state)
        for k in range(1, 11):
            for batch in simulation.advance(k / 10):
                writer.impacts(batch)
            writer.frame(simulation.state)
        writer.info({"finished": True})
    return simulation


def test_a_run_reads_back_to_the_last_bit(scene, tmp_path):
    simulation = record(scene, tmp_path / "run")
    run = Run.load(tmp_path / "run")
    assert run.info == {
        "finished": True,
        "files": ["run.json", "scene.toml", "balls.csv", "frames.csv", "events.csv"],
    }
    assert run.position(10).tobytes() == simulation.position.tobytes()
    assert run.frames.frame.tolist() == list(range(11))
    assert run.balls.name.tolist() == ["drop, first"]
    assert run.impacts.obstacle.tolist() == ['floor, "the" one'] * len(run.impacts)
    assert run.impacts.j.tolist() == [-1] * len(run.impacts)
    assert len(run.impacts) > 0
    again = Simulation.from_scene(run.scene)
    again.run(until=1.0)
    assert again.impacts.t.tolist() == run.impacts.t.tolist()


def test_floats_are_written_by_shortest_repr_and_no_zero_is_negative(scene, tmp_path):
    record(scene, tmp_path / "run")
    text = (tmp_path / "run" / "frames.csv").read_bytes()
    assert text.startswith(b"frame,t,ball,x,y,z,vx,vy,vz\n0,0.0,0,0.1,0.7,0.0,0.0,0.0,0.0\n")
    assert b"\r" not in text
    assert b"-0.0," not in text


def test_any_csv_reader_finds_the_columns_of_the_contract(scene, tmp_path):
    record(scene, tmp_path / "run")
    with (tmp_path / "run" / "events.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = "event t kind i j obstacle x y z nx ny nz vn_before vn_after impulse"
    assert list(rows[0]) == columns.split()
    assert {row["kind"] for row in rows} == {"obstacle", "slide"}
    assert all(row["j"] == "" and abs(float(row["y"])) < 1e-14 for row in rows)


def test_a_full_disk_leaves_whole_lines(scene, tmp_path, monkeypatch):
    directory = tmp_path / "run"
    simulation = Simulation.from_scene(scene)
    prepare_directory(directory, force=False)
    with RunWriter(directory, scene, simulation.obstacle_names) as writer:
        writer.frame(simulation.state)
        writer.wait()
        frames = writer._writers[0]._frames
        monkeypatch.setattr(frames, "_file", _Room(frames._file, 80))
        with pytest.raises(OSError, match="No space"):
            _write_frames(writer, simulation.state, 3)
    text = (directory / "frames.csv").read_text()
    assert text.endswith("\n")
    assert {len(line.split(",")) for line in text.splitlines()} == {9}
    assert len(text.splitlines()) >= 3


def _write_frames(writer, state, count):
    for _ in range(count):
        writer.frame(state)
    writer.wait()


class _Room:
    """A raw file on a disk with room for so many bytes more."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, data):
        if self._room == 0:
            raise OSError(28, "No space left on device")
        written = self._file.write(data[: self._room])
        self._room -= written
        return written


def test_a_directory_that_holds_a_run_is_not_written_over(scene, tmp_path):
    record(scene, tmp_path / "run")
    before = (tmp_path / "run" / "frames.csv").read_bytes()
    with pytest.raises(RunError, match="holds a run already; --force"):
        prepare_directory(tmp_path / "run", force=False)
    assert (tmp_path / "run" / "frames.csv").read_bytes() == before
    (tmp_path / "run" / "notes.txt").write_text("mine")
    prepare_directory(tmp_path / "run", force=True)
    assert (tmp_path / "run" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "run" / "frames.csv").exists()


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("run.json", "{", "no JSON object"),
        ("frames.csv", "a,b\n", "does not begin with frame,t,ball"),
        (
            "frames.csv",
            FRAMES + LINE.replace("0", "zero", 1),
            'frame must be a whole number, not "zero"',
        ),
        ("balls.csv", "ball,name,radius,mass,restitution\n0,a,1\n", "line 2 has 3 fields, not 5"),
        ("run.json", "[" * 100_000, "no JSON object"),
        ("frames.csv", FRAMES + "0,0,0,0,0,0,0,0\n", "line 2 has 8 fields, not 9"),
        ("frames.csv", FRAMES + LINE + "0,0,0,0,0,0,0,0\n", "line 3 has 8 fields, not 9"),
        (
            "frames.csv",
            FRAMES + LINE.replace("0", "1.5", 1),
            "line 2: frame must be a whole number",
        ),
        ("frames.csv", FRAMES + LINE.replace("0", "9" * 30, 1), "frame must be a whole number"),
        ("frames.csv", FRAMES + "\0" * 20, "line 2 has 1 fields|NUL"),
        ("frames.csv", FRAMES + "1" * 200_000, "field"),
        (
            "balls.csv",
            "ball,name,radius,mass,restitution\n0,a,b,1,1\n",
            'radius must be a number, not "b"',
        ),
    ],
)
def test_a_damaged_run_is_told_in_one_sentence(scene, tmp_path, name, text, sentence):
    record(scene, tmp_path / "run")
    (tmp_path / "run" / name).write_text(text)
    run = Run.load(tmp_path / "run")
    table = {"run.json": "info"}.get(name, name.partition(".")[0])
    with pytest.raises(RunError, match=sentence):
        getattr(run, table)


def test_what_is_no_run_is_none(tmp_path):
    with pytest.raises(RunError, match=r"holds no run, for it has no run\.json"):
        Run.load(tmp_path)


@pytest.mark.parametrize("frame", ["a", None, 1.0, True, [1], b"1"])
def test_what_is_no_whole_number_is_no_frame(scene, tmp_path, frame):
    record(scene, tmp_path / "run")
    with pytest.raises(TypeError, match=r"^frame must be a whole number of at least 0, not "):
        Run.load(tmp_path / "run").position(frame)


def test_there_are_so_many_frames_and_no_others(scene, tmp_path):
    record(scene, tmp_path / "run")
    run = Run.load(tmp_path / "run")
    assert run.position(np.int64(10)).shape == (1, 3)
    for frame in (11, 10**30):
        with pytest.raises(
            IndexError, match=f"^there are 11 frames, so none has the index {frame}"
        ):
            run.position(frame)
    with pytest.raises(ValueError, match=r"^frame must be a whole number of at least 0, not -1$"):
        run.position(-1)


def test_a_run_without_frames_has_none(scene, tmp_path):
    record(scene, tmp_path / "run")
    (tmp_path / "run" / "frames.csv").write_text(FRAMES)
    run = Run.load(tmp_path / "run")
    assert len(run.frames) == 0
    with pytest.raises(IndexError, match="there are 0 frames"):
        run.position(0)


@pytest.mark.parametrize("directory", [None, 5, b"run", ["run"]])
def test_what_is_no_path_is_no_run(directory):
    with pytest.raises(TypeError, match=r"^a run's directory must be a path, not "):
        Run.load(directory)


@pytest.mark.parametrize("directory", ["", "nowhere", "a\0b", "two\nlines"])
def test_where_there_is_no_run_is_said_on_one_line(folder, directory):
    told(lambda: Run.load(directory), r"holds no run, for it has no run\.json", RunError)


def test_a_path_that_can_be_none_is_told_on_one_line():
    with pytest.raises(RunError, match="xxx: File name too long"):
        Run.load("x" * 5000)
