"""Checkpoints: when they are written, that they resume to the same bytes, and with what only."""

import json
import os
import shutil
from io import FileIO
from pathlib import Path

import command_line
import numpy as np
import pytest

from spheresim.record.checkpoint import read_checkpoint, write_checkpoint
from spheresim.record.layout import RunError

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
pytestmark = pytest.mark.compiled_only
WRITTEN = ("frames.csv", "events.csv", "balls.csv", "scene.toml", "balls_start.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gas.toml").write_text(GAS)


def run(out="out", source="gas.toml", **options):
    """Run the gas; the exit code."""
    return command_line.run(source, out, engine="events", **options)


def written(directory):
    """The files of a run that are the same bytes for the same input."""
    return {name: (Path(directory) / name).read_bytes() for name in WRITTEN if
            (Path(directory) / name).exists()}  # fmt: skip


def contents(directory):
    return {path.name: path.read_bytes() for path in Path(directory).iterdir()}


@pytest.fixture
def times(monkeypatch):
    """The times of the checkpoints that are written from now on."""
    found = []
    from spheresim.record.write import RunWriter

    really = RunWriter.checkpoint

    def note(writer, arrays, origin):
        found.append(float(arrays["time"][0]))
        really(writer, arrays, origin)

    monkeypatch.setattr(RunWriter, "checkpoint", note)
    return found


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (0.5, [0.0, 0.5, 1.0, 1.5, 2.0]),
        (1.0, [0.0, 1.0, 2.0]),
        (0.25, [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0]),
        (0.3, [0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8]),
        (1.25, [0.0, 1.25]),
        (7.7, [0.0]),
        (float("inf"), [0.0]),
    ],
)
def test_checkpoints_are_at_the_multiples_of_what_was_asked_for(times, every, expected):
    assert run(checkpoint_every=every) == 0
    assert times == pytest.approx(expected, rel=1e-9)
    assert run("plain") == 0
    assert written("out") == written("plain")


def test_frames_of_a_tenth_and_checkpoints_of_three_tenths_meet(times):
    run(frame_every=0.1, checkpoint_every=0.3)
    assert times == pytest.approx([0.3 * k for k in range(7)], rel=1e-9)


@pytest.mark.parametrize("every", [0.2, 0.5, 0.77])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_wherever_a_run_is_killed_it_resumes_to_the_same_bytes(monkeypatch, every):
    """The process ends without any warning at, and half way through, each write to a file."""
    assert run("whole", checkpoint_every=every) == 0
    for at in [0, 1, 2, *range(3, 45, 4)]:
        shutil.rmtree("out", ignore_errors=True)
        pid = os.fork()
        if pid == 0:
            _die_at(monkeypatch, at)
            run(checkpoint_every=every)
            os._exit(0)
        os.waitpid(pid, 0)
        if not Path("out/checkpoint.npz").exists():
            with pytest.raises(RunError, match="there is no checkpoint to resume from"):
                run(resume=True)
            assert run(force=True) == 0
        else:
            assert run(resume=True, checkpoint_every=every) == 0
        assert written("out") == written("whole"), at
        assert json.loads(Path("out/run.json").read_text())["finished"] is True


def _die_at(monkeypatch, at):
    """Let this process end at a certain one of its writes, renames and removals."""
    count = 0

    class Dying(FileIO):
        def write(self, data):
            nonlocal count
            count += 1
            if count > at:
                super().write(data[: len(data) // 2])
                os._exit(9)
            return super().write(data)

    really_open, really_replace = Path.open, os.replace

    def opened(path, mode="r", *arguments, buffering=-1, **options):
        if buffering == 0:
            return Dying(path, mode.replace("b", ""))
        return really_open(path, mode, *arguments, buffering=buffering, **options)

    def replaced(old, new):
        nonlocal count
        count += 1
        if count > at:
            os._exit(9)
        really_replace(old, new)

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr(os, "replace", replaced)


@pytest.mark.parametrize("duration", [2.0, 2.2, 3.0])
@pytest.mark.parametrize("first", [1.0, 1.3])
def test_a_run_may_go_on_for_longer_as_if_it_had_always_been_so_long(first, duration):
    # At 1.3 there is a frame that is on no grid: it was the end, and is none any more.
    assert run("out", duration=first, checkpoint_every=0.65) == 0
    assert run("out", duration=duration, resume=True) == 0
    assert run("whole", duration=duration) == 0
    assert written("out") == written("whole")


def test_a_run_does_not_end_before_it_is_resumed():
    assert run(checkpoint_every=0.5) == 0
    before = contents("out")
    with pytest.raises(RunError, match=r"run is at t = 2.0 already, past the duration, 1.5"):
        run(duration=1.5, resume=True)
    with pytest.raises(RunError, match="impacts are behind it, not less than 3"):
        run(resume=True, until_impacts=3)
    assert contents("out") == before


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("frame_every = 0.5", "frame_every = 0.7", "frame_every was 0.5, is 0.7"),
        ("frame_every = 0.5", "frame_every = 0.25", "frame_every was 0.5, is 0.25"),
        ("size = [8, 8, 8]", "size = [8, 9, 8]", "the box was [[0.0, 0.0, 0.0], [8.0, 8.0, 8.0]"),
        ("[true, true, false]", "[true, false, false]", "the box was"),
        ("radius = 0.5", "radius = 0.4", "the balls' radius was 0.5, is 0.4"),
        ("radius = 0.5", "radius = 0.5\nmass = 2", "the balls' mass was 1.0, is 2.0"),
        ("duration = 2", "duration = 2\nrestitution = 0.9", "restitution was 1.0, is 0.9"),
        ("temperature = 1", "temperature = 2", "the balls' velocity was from -"),
        ("seed = 3", "seed = 4", "the seed was 3, is 4"),
        ("count = 30", "count = 31", "the number of balls was 30, is 31"),
        ("duration = 2", "duration = 2\ngravity = [0, 0, -1]", "gravity was [0.0, 0.0, 0.0], is"),
        ('"lid"', '"roof"', "lid was Plane"),
        ("[0, 0, 8]", "[0, 0, 8.5]", "lid was Plane"),
        ('"lid"', '"lid"\nrestitution = 0.5', "restitution 0.5"),
        ("seed = 3", 'seed = 3\ncolor = "red"', "the balls' color is not what it was"),
    ],
)
def test_a_run_goes_on_only_with_what_it_began_with(old, new, sentence):
    assert run(checkpoint_every=0.5) == 0
    before = contents("out")
    assert GAS.count(old) == 1
    Path("gas.toml").write_text(GAS.replace(old, new))
    with pytest.raises(RunError) as refused:
        run(resume=True)
    assert "a run goes on only as it began, but " in str(refused.value)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert contents("out") == before


def test_impacts_are_written_from_the_beginning_or_not_at_all():
    assert run(checkpoint_every=0.5) == 0
    with pytest.raises(RunError, match="but --events was all, is none"):
        run(resume=True, events="none")


def test_a_title_a_comment_and_a_name_of_the_file_make_no_other_run():
    assert run(checkpoint_every=0.5) == 0
    Path("other.toml").write_text(f'# "A gas"\ntitle = "gas"\n{GAS}')
    assert run(source="other.toml", resume=True) == 0


def test_a_run_resumes_from_its_own_directory():
    assert run(checkpoint_every=0.7) == 0
    assert run("whole", duration=3.0) == 0
    assert run(source="out", duration=3.0, resume=True) == 0
    whole, resumed = written("whole"), written("out")
    assert whole == resumed


def test_a_scene_that_somebody_wrote_into_is_not_replaced_by_going_on():
    assert run(checkpoint_every=0.5) == 0
    path = Path("out/scene.toml")
    path.write_text(path.read_text() + "# mine\n")
    before = contents("out")
    with pytest.raises(RunError, match=r"scene\.toml: is not what the run wrote"):
        run(resume=True, duration=3.0)
    assert contents("out") == before


@pytest.mark.parametrize("name", ["frames.csv", "events.csv"])
@pytest.mark.parametrize("text", [b"", b"a,b\n" * 100_000, None])
def test_files_that_are_not_those_of_the_checkpoint_are_left_alone(name, text):
    assert run(checkpoint_every=0.5) == 0
    path = Path("out") / name
    path.write_bytes(path.read_bytes()[:1000] if text is None else text)
    before = contents("out")
    with pytest.raises(RunError, match="is not what it was when the checkpoint was made"):
        run(resume=True)
    assert contents("out") == before


def test_a_run_that_lives_is_not_resumed():
    assert run(checkpoint_every=0.5) == 0
    held = read_checkpoint(Path("out"))
    before = contents("out")
    with pytest.raises(RunError, match="another run is being written there"):
        run(resume=True)
    with pytest.raises(RunError, match="another run is being written there"):
        run(force=True)
    assert contents("out") == before
    held.frames.close()
    assert run(resume=True) == 0


@pytest.mark.parametrize("every", [1e-300, 1e-12])
def test_more_checkpoints_than_can_be_counted_are_refused(every):
    with pytest.raises(RunError, match="--checkpoint-every must be at least 2e-09"):
        run(checkpoint_every=every)
    assert not Path("out").exists()


# --- Made-up and damaged checkpoints -----------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run with checkpoints."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("gas.toml").write_text(GAS)
        assert run(checkpoint_every=0.5) == 0
    return folder / "out"


def arrays_of(path):
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def refused(finished, make):
    """What is said of a run whose checkpoint was made into something else."""
    shutil.copytree(finished, "out")
    path = Path("out/checkpoint.npz")
    make(path)
    before = contents("out")
    with pytest.raises(RunError) as sentence:
        run(resume=True)
    assert contents("out") == before
    assert "\n" not in str(sentence.value)
    return str(sentence.value)


def changed(name, change):
    def make(path):
        arrays = arrays_of(path)
        arrays[name] = change(arrays[name])
        np.savez(path, **arrays)

    return make


MADE_UP = {
    "nothing": lambda path: path.write_bytes(b""),
    "noise": lambda path: path.write_bytes(bytes(range(256)) * 100),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:1000]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one bit": lambda path: path.write_bytes(_one_bit(path.read_bytes())),
    "one array": lambda path: np.save(path.open("wb"), np.zeros(3)),
    "a pickle": lambda path: path.write_bytes(b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00N."),
    "objects": changed("time", lambda _: np.array([{}], dtype=object)),
    "another type": changed("image", lambda image: image.astype("f4")),
    "another shape": changed("row", lambda row: row[:5]),
    "wild neighbours": changed("row", lambda row: np.full_like(row, 2**31)),
    "a time of NaN": changed("time", lambda time: time * np.nan),
    "no time": changed("time", lambda _: np.zeros(0)),
    "far in the files": changed("written", lambda numbers: numbers * 1000),
    "before the files": changed("written", lambda numbers: -numbers),
    "another origin": changed("origin", lambda origin: origin[:5]),
    "packed": lambda path: np.savez_compressed(path, **arrays_of(path)),
    "without its sum": lambda path: np.savez(
        path, **{name: array for name, array in arrays_of(path).items() if name != "sha256"}
    ),
    "empty": np.savez,
}


def _one_bit(data):
    return data[:20_000] + bytes([data[20_000] ^ 1]) + data[20_001:]


@pytest.mark.parametrize("kind", MADE_UP)
def test_a_checkpoint_that_is_none_is_said_to_be_none(finished, kind):
    sentence = refused(finished, MADE_UP[kind])
    assert sentence.startswith("out/checkpoint.npz: ")
    assert any(
        words in sentence
        for words in (
            "is no checkpoint that can be read",
            "was changed or damaged after the run wrote it",
            "is a checkpoint of another version",
        )
    )


def test_random_damage_is_always_found(finished):
    rng = np.random.default_rng(1)
    whole = (finished / "checkpoint.npz").read_bytes()
    sound = arrays_of(finished / "checkpoint.npz")
    shutil.copytree(finished, "out")
    found = 0
    for _ in range(60):
        data = bytearray(whole)
        place, length = int(rng.integers(len(data))), int(rng.integers(1, 40))
        data[place : place + length] = rng.integers(0, 256, length, dtype=np.uint8).tobytes()
        if rng.random() < 0.3:
            del data[place:]
        Path("out/checkpoint.npz").write_bytes(data)
        try:
            saved = read_checkpoint(Path("out"))
        except RunError:
            found += 1
            continue
        # An archive has bytes besides its arrays: without harm only if these are what they were.
        saved.frames.close()
        assert all(np.array_equal(array, sound[name]) for name, array in saved.arrays.items())
    assert found > 50


def _field(name, field, value):
    def forge(arrays):
        arrays[name][field][:] = value

    return forge


def _all(name, value):
    def forge(arrays):
        arrays[name][...] = value

    return forge


def _but(name, place, value):
    def forge(arrays):
        arrays[name][place] = value

    return forge


@pytest.mark.parametrize(
    "forge",
    [
        _all("row", 2**31),
        _all("time", np.nan),
        _field("ball", "x", np.inf),
        _field("event", "other", 2**31),
        _field("event", "kind", 77),
        _field("event", "bucket", 10**6),
        _field("event", "heap_place", 10**6),
        _field("event", "time", np.nan),
        _field("body", "name", 0),
        _field("body", "cell", -1),
        _field("body", "place", 2**31),
        _field("body", "level", 40),
        _field("body", "mass", 7.0),
        _field("cells.level", "cells_x", 2**40),
        _all("cells.ball", 2**31),
        _all("cells.after", 2**31),
        _all("cells.spares", 10**6),
        _all("calendar.row", 2**31),
        _all("calendar.heap", 2**31),
        _but("calendar.count", 0, -1),
        _but("calendar.count", 1, 10**6),
        _but("count", 0, 10**6),
        lambda arrays: arrays.pop("time"),
        lambda arrays: arrays.pop("row"),
        lambda arrays: arrays.update(time=np.zeros(0)),
        lambda arrays: arrays.update(row=arrays["row"].astype("i8")),
    ],
)
def test_a_forged_checkpoint_leads_nowhere_outside_of_itself(finished, forge):
    """The checksum is right, but what it is of was made up."""
    shutil.copytree(finished, "out")
    saved = read_checkpoint(Path("out"))
    saved.frames.close()
    forge(saved.arrays)
    write_checkpoint(Path("out"), saved.arrays, saved.origin, saved.written)
    before = contents("out")
    with pytest.raises(RunError, match=r"^out/checkpoint\.npz: "):
        run(resume=True)
    assert contents("out") == before
