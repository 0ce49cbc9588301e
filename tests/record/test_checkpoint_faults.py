"""Checkpoints that are cut, changed or made up: one sentence, and nothing is touched."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from command_line import GAS, contents, run_gas

from spheresim.record.checkpoint import read_checkpoint, write_checkpoint
from spheresim.record.files_and_columns import RunError

pytestmark = pytest.mark.compiled_only


@pytest.fixture(autouse=True)
def _files(folder):
    Path("gas.toml").write_text(GAS)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run with checkpoints."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("gas.toml").write_text(GAS)
        assert run_gas(checkpoint_every=0.5) == 0
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
        run_gas(resume=True)
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
            "is no checkpoint of this version",
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
        _field("calendar.turn", "open_bucket", -1),
        _field("calendar.turn", "heap_size", 10**6),
        _field("count", "recorded", 10**6),
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
        run_gas(resume=True)
    assert contents("out") == before
