"""Checkpoints: when they are written, that they resume to the same bytes, and with what only."""

import json
import os
import shutil
from io import FileIO
from pathlib import Path

import pytest
from command_line import GAS, contents, run_gas

from spheresim.record.checkpoint import read_checkpoint
from spheresim.record.files_and_columns import RunError

pytestmark = pytest.mark.compiled_only
WRITTEN = ("frames.csv", "events.csv", "balls.csv", "scene.toml", "balls_start.csv")


@pytest.fixture(autouse=True)
def _files(folder):
    Path("gas.toml").write_text(GAS)


def written(directory):
    """The files of a run that are the same bytes for the same input."""
    return {name: (Path(directory) / name).read_bytes() for name in WRITTEN if
            (Path(directory) / name).exists()}  # fmt: skip


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
    assert run_gas(checkpoint_every=every) == 0
    assert times == pytest.approx(expected, rel=1e-9)
    assert run_gas("plain") == 0
    assert written("out") == written("plain")


def test_frames_of_a_tenth_and_checkpoints_of_three_tenths_meet(times):
    run_gas(frame_every=0.1, checkpoint_every=0.3)
    assert times == pytest.approx([0.3 * k for k in range(7)], rel=1e-9)


@pytest.mark.cases(1)
@pytest.mark.parametrize(("every", "first"), [(0.2, 3), (0.5, 5), (0.77, 7)])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_wherever_a_run_is_killed_it_resumes_to_the_same_bytes(monkeypatch, every, first):
    """The process ends without any warning at, and half way through, each write to a file."""
    assert run_gas("whole", checkpoint_every=every) == 0
    for at in [(first - 3) // 2, *range(first, 45, 8)]:
        shutil.rmtree("out", ignore_errors=True)
        pid = os.fork()
        if pid == 0:
            _die_at(monkeypatch, at)
            run_gas(checkpoint_every=every)
            os._exit(0)
        os.waitpid(pid, 0)
        if not Path("out/checkpoint.npz").exists():
            with pytest.raises(RunError, match="there is no checkpoint to resume from"):
                run_gas(resume=True)
            assert run_gas(force=True) == 0
        else:
            assert run_gas(resume=True, checkpoint_every=every) == 0
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
    assert run_gas("out", duration=first, checkpoint_every=0.65) == 0
    assert run_gas("out", duration=duration, resume=True) == 0
    assert run_gas("whole", duration=duration) == 0
    assert written("out") == written("whole")


def test_a_run_does_not_end_before_it_is_resumed():
    assert run_gas(checkpoint_every=0.5) == 0
    before = contents("out")
    with pytest.raises(RunError, match=r"run is already at t = 2.0, after the duration, 1.5"):
        run_gas(duration=1.5, resume=True)
    with pytest.raises(RunError, match=r"the run already has \d+ impacts, not less than 3"):
        run_gas(resume=True, until_impacts=3)
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
    assert run_gas(checkpoint_every=0.5) == 0
    before = contents("out")
    assert GAS.count(old) == 1
    Path("gas.toml").write_text(GAS.replace(old, new))
    with pytest.raises(RunError) as refused:
        run_gas(resume=True)
    assert "a run continues only with its own scene and options, but " in str(refused.value)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert contents("out") == before


@pytest.mark.parametrize("options", [{"events": "none"}, {"format": "csv,xyz"}])
def test_what_is_written_is_known_from_the_checkpoint(options):
    assert run_gas("whole", **options) == 0
    assert run_gas(checkpoint_every=0.5, duration=1, **options) == 0
    assert run_gas(resume=True) == 0
    whole, out = contents("whole"), contents("out")
    for name in ("frames.csv", "events.csv", "frames.xyz"):
        assert whole.get(name) == out.get(name)


def test_impacts_are_written_from_the_beginning_or_not_at_all():
    assert run_gas(checkpoint_every=0.5) == 0
    with pytest.raises(RunError, match="but --events was all, is none"):
        run_gas(resume=True, events="none")


def test_a_title_a_comment_and_a_name_of_the_file_make_no_other_run():
    assert run_gas(checkpoint_every=0.5) == 0
    Path("other.toml").write_text(f'# "A gas"\ntitle = "gas"\n{GAS}')
    assert run_gas(source="other.toml", resume=True) == 0


def test_a_run_resumes_from_its_own_directory():
    assert run_gas(checkpoint_every=0.7) == 0
    assert run_gas("whole", duration=3.0) == 0
    assert run_gas(source="out", duration=3.0, resume=True) == 0
    whole, resumed = written("whole"), written("out")
    assert whole == resumed


def test_a_scene_that_somebody_wrote_into_is_not_replaced_by_going_on():
    assert run_gas(checkpoint_every=0.5) == 0
    path = Path("out/scene.toml")
    path.write_text(path.read_text() + "# mine\n")
    before = contents("out")
    with pytest.raises(RunError, match=r"scene\.toml: is not what the run wrote"):
        run_gas(resume=True, duration=3.0)
    assert contents("out") == before


@pytest.mark.parametrize("name", ["frames.csv", "events.csv"])
@pytest.mark.parametrize("text", [b"", b"a,b\n" * 100_000, None])
def test_files_that_are_not_those_of_the_checkpoint_are_left_alone(name, text):
    assert run_gas(checkpoint_every=0.5) == 0
    path = Path("out") / name
    path.write_bytes(path.read_bytes()[:1000] if text is None else text)
    before = contents("out")
    with pytest.raises(RunError, match="is not what it was when the checkpoint was made"):
        run_gas(resume=True)
    assert contents("out") == before


def test_a_run_that_lives_is_not_resumed():
    assert run_gas(checkpoint_every=0.5) == 0
    held = read_checkpoint(Path("out"))
    before = contents("out")
    with pytest.raises(RunError, match="another run is being written there"):
        run_gas(resume=True)
    with pytest.raises(RunError, match="another run is being written there"):
        run_gas(force=True)
    assert contents("out") == before
    held.frames.close()
    assert run_gas(resume=True) == 0


@pytest.mark.parametrize("every", [1e-300, 1e-12])
def test_more_checkpoints_than_can_be_counted_are_refused(every):
    with pytest.raises(RunError, match="--checkpoint-every must be at least 2e-09"):
        run_gas(checkpoint_every=every)
    assert not Path("out").exists()
