"""Checkpoints: from which a run goes on as if it had never stopped, to the last byte.

An archive of numpy's with the engine's arrays, what the run was made of (`origin`), how far
its files were, and a checksum of all that.
"""

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.record.directory import resume_frames
from spheresim.record.drafts import drafted
from spheresim.record.layout import CHECKPOINT, RunError

_ORIGIN, _WRITTEN, _CHECKSUM = "origin", "written", "sha256"


@dataclass(frozen=True)
class Checkpoint:
    """What a run goes on from.

    path: the file; arrays: the engine's and others, by name; origin: see `origin`; written:
    frames, impacts, and the bytes of their two files; frames: `frames.csv`, open and locked.
    """

    path: Path
    arrays: dict[str, Any]
    origin: dict[str, Any]
    written: tuple[int, int, int, int]
    frames: FileIO


def write_checkpoint(
    directory: Path, arrays: Mapping[str, Any], origin: Mapping[str, Any], written: Sequence[int]
) -> None:
    """Write a checkpoint, at once and whole."""
    text = json.dumps(origin).encode()
    contents = {
        **arrays,
        _ORIGIN: np.frombuffer(text, dtype=np.uint8),
        _WRITTEN: np.array(written, dtype=np.int64),
    }
    with drafted(directory / CHECKPOINT) as file:
        np.savez(file, allow_pickle=False, **contents, **{_CHECKSUM: _checksum(contents)})


def read_checkpoint(directory: Path) -> Checkpoint:
    """The last checkpoint of a run, which from now on is this process's to write.

    RunError if there is none that is whole, or if the run still lives.
    """
    path = directory / CHECKPOINT
    if not path.is_file():
        raise RunError(
            f"{path}: there is no checkpoint to resume from; --checkpoint-every makes one"
        )
    frames = resume_frames(directory)
    try:
        contents = _contents(path)
        origin = json.loads(contents.pop(_ORIGIN).tobytes())
        first, second, third, fourth = map(int, contents.pop(_WRITTEN))
    except BaseException:
        frames.close()
        raise
    return Checkpoint(path, contents, origin, (first, second, third, fourth), frames)


def _contents(path: Path) -> dict[str, Any]:
    """All arrays of a checkpoint but its checksum, which is right."""
    try:
        with zipfile.ZipFile(path) as archive:  # packed, a few bytes could unpack to anything
            packed = any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist())
        if packed:
            raise ValueError
        with np.load(path, allow_pickle=False) as file:
            contents = {name: file[name] for name in file.files}
    except Exception:  # numpy and zipfile raise a dozen kinds for what somebody may put there
        raise RunError(f"{path}: is no checkpoint that can be read") from None
    if _CHECKSUM not in contents:
        raise RunError(
            f"{path}: is a checkpoint of another version of spheresim, or none; --force begins anew"
        )
    if not np.array_equal(contents.pop(_CHECKSUM), _checksum(contents)):
        raise RunError(f"{path}: was changed or damaged after the run wrote it")
    return contents


def _checksum(contents: Mapping[str, Any]) -> Any:
    """SHA-256 over names, types, shapes and bytes."""
    total = hashlib.sha256()
    for name in sorted(contents):
        array = np.ascontiguousarray(contents[name])
        total.update(f"{name}:{array.dtype.descr}:{array.shape};".encode())
        total.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(total.digest(), dtype=np.uint8)
