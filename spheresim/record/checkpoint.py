"""Checkpoints, from which a run goes on and writes the same bytes as if it had never stopped.

A checkpoint is a numpy archive (.npz) of the engine's arrays, of what the run was made from
(`origin`), of how long its tables were, and a checksum of all that.
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
import numpy.typing as npt

from spheresim.record.atomic import atomic_write
from spheresim.record.directory import resume_frames
from spheresim.record.files_and_columns import CHECKPOINT, RunError

_ORIGIN, _WRITTEN, _CHECKSUM = "origin", "written", "sha256"


@dataclass(frozen=True)
class Checkpoint:
    """What a run goes on from.

    path: the file; arrays: of the engine and the energy drift, by name; origin: see `origin_of`;
    written: how many frames and impacts, then the sizes of growing files, by format;
    frames: `frames.csv`, open and locked.
    """

    path: Path
    arrays: dict[str, np.ndarray]
    origin: dict[str, Any]
    written: tuple[int, ...]
    frames: FileIO


def write_checkpoint(
    directory: Path,
    arrays: Mapping[str, np.ndarray],
    origin: Mapping[str, Any],
    written: Sequence[int],
) -> None:
    """Write a checkpoint, which replaces the last one only when it is complete on the disk."""
    text = json.dumps(origin).encode()
    contents = {
        **arrays,
        _ORIGIN: np.frombuffer(text, dtype=np.uint8),
        _WRITTEN: np.array(written, dtype=np.int64),
    }
    with atomic_write(directory / CHECKPOINT) as file:
        np.savez(file, allow_pickle=False, **contents, **{_CHECKSUM: _checksum(contents)})


def read_checkpoint(directory: Path) -> Checkpoint:
    """The last checkpoint of a run, whose files are locked for this process from now on.

    RunError if there is none, if it is damaged, or if another process still writes the run.
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
        written = tuple(map(int, contents.pop(_WRITTEN)))
    except BaseException:
        frames.close()
        raise
    return Checkpoint(path, contents, origin, written, frames)


def _contents(path: Path) -> dict[str, np.ndarray]:
    """All arrays of a checkpoint but its checksum; RunError if that is wrong or missing."""
    try:
        # Refuse compressed archives, which a run never writes: a small one could fill the memory.
        with zipfile.ZipFile(path) as archive:
            packed = any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist())
        if packed:
            raise ValueError
        with np.load(path, allow_pickle=False) as file:
            contents = {name: file[name] for name in file.files}
    except Exception:  # numpy and zipfile raise a dozen kinds for what may lie there
        raise RunError(f"{path}: is no checkpoint that can be read") from None
    if _CHECKSUM not in contents:
        raise RunError(
            f"{path}: is no checkpoint of this version of spheresim; --force starts the run again"
        )
    if not np.array_equal(contents.pop(_CHECKSUM), _checksum(contents)):
        raise RunError(f"{path}: was changed or damaged after the run wrote it")
    return contents


def _checksum(contents: Mapping[str, np.ndarray]) -> npt.NDArray[np.uint8]:
    """SHA-256 over names, types, shapes and bytes."""
    total = hashlib.sha256()
    for name in sorted(contents):
        array = np.ascontiguousarray(contents[name])
        total.update(f"{name}:{array.dtype.descr}:{array.shape};".encode())
        total.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(total.digest(), dtype=np.uint8)
