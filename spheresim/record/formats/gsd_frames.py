"""The format `gsd`: frames.gsd, by HOOMD-blue's schema, which OVITO, freud and HOOMD open.

Its numbers are float32: seven digits, so it is for looking at and for analysis, never to go on
from. By the schema the box is about the origin: along periodic axes positions are counted from
its centre and wrapped into it, with `particles/image` saying how often it was left; along others
the box is as large as what it holds. Spins are angular momenta L of balls without an orientation:
the quaternion `particles/angmom` is (0, 2L).
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.model.periodic_wrap import slide
from spheresim.model.state import State
from spheresim.numerics.arrays import Floats
from spheresim.record.files_and_columns import FRAMES_GSD, PART, RunError
from spheresim.record.formats.gsd_disk_space import check_disk_space, restored
from spheresim.record.formats.table_writer import Kept, Place
from spheresim.version import __version__

if TYPE_CHECKING:
    from gsd.fl import GSDFile

Chunks: TypeAlias = dict[str, np.ndarray]
"""What is written of a frame, by its names in the format."""

_AT_ONCE = 64
"""Frames between two flushes. They decide where in the file its index lies, so flushes at other
times, for a checkpoint, are undone at the end: the same frames make the same bytes."""

_MOST_TYPES = 26
"""Types are letters; balls of more sizes and masses are all of one type."""

_NAMES = (
    *("configuration/step", "configuration/box", "particles/N", "particles/types"),
    "particles/typeid",
    *("particles/mass", "particles/diameter", "particles/moment_inertia"),
    *("particles/position", "particles/velocity", "particles/angmom"),
    *("particles/image", "log/time"),
)
"""What a frame may hold, in the order in which it is written."""


class GsdFrames:
    """See `TableWriter`."""

    files: ClassVar[tuple[str, ...]] = (FRAMES_GSD,)
    package: ClassVar[str | None] = "gsd"
    sizes_kept: ClassVar[int] = 0

    def __init__(self, place: Place) -> None:
        self._path = place.directory / FRAMES_GSD
        self._frames = 0  # that gsd has taken; its own count is of those that it has written
        self._waiting = 0  # bytes of those that it has not written
        self._is_broken = False
        balls, box = place.scene.balls, place.scene.box
        self._own = {
            "particles/N": np.array([len(balls)], dtype=np.uint32),
            **_types(balls.radius, balls.mass),
            "particles/mass": balls.mass.astype(np.float32),
            "particles/diameter": (2.0 * balls.radius).astype(np.float32),
        }
        self._inertia = balls.inertia
        if place.scene.has_spin:
            inertia = np.repeat(balls.inertia[:, np.newaxis], 3, axis=1)
            self._own["particles/moment_inertia"] = inertia.astype(np.float32)
        self._largest = float(balls.radius.max())
        self._box = box
        self._periodic = np.array(box.periodic if box else [False] * 3)
        self._size = np.array(box.size if box else [1.0] * 3)
        self._middle = (
            np.where(self._periodic, np.array(box.low) + 0.5 * self._size, 0.0)
            if box
            else np.zeros(3)
        )

    def begin(self) -> None:
        self._file = _created(self._path)
        self._is_regular = True

    def check(self, kept: Kept) -> None:
        import gsd.fl

        try:
            with gsd.fl.open(str(self._path), "r") as file:
                found = file.nframes
        except (OSError, RuntimeError):
            found = -1
        if found < kept.frames:
            raise RunError(f"{self._path}: is not what it was when the checkpoint was made")

    def go_on(self, kept: Kept) -> None:
        self._copy(kept.frames)
        self._frames = kept.frames
        self._file = _opened(self._path, "a")
        self._is_regular = kept.frames % _AT_ONCE == 0  # else the copy ended with another flush

    def frame(self, number: int, state: State) -> None:
        chunks: Chunks = {
            "configuration/step": np.array([number], dtype=np.uint64),
            **self._places(state),
            "particles/velocity": state.velocity.astype(np.float32),
            **self._spins(state),
            "log/time": np.array(state.time, dtype=np.float64),
            **({} if number else self._own),
        }
        _write(self._file, chunks)
        self._frames += 1
        self._waiting += sum(chunk.nbytes for chunk in chunks.values())
        if _is_flushed(number):
            self._flush(self._file.flush)

    def _flush(self, act: Callable[[], None]) -> None:
        """Let gsd write what it has taken, by `act`; where that fails, undo it and raise OSError.

        gsd does not notice if there is no room for the new, longer index that it copies to the
        end of the file now and then: it would overwrite the old one.
        """
        try:
            check_disk_space(self._path, self._waiting, 4 + 6 * self._frames)
            act()
            self._waiting = 0
        except OSError:
            self._is_broken = True
            with restored(self._path), suppress(OSError, RuntimeError):
                self._file.close()
            raise

    def _places(self, state: State) -> Chunks:
        """The box, and positions in it: along periodic axes wrapped, with their images.

        A sheared box is tilted in the plane of x and y, as far as the image above has slid.
        """
        slid = 0.0
        if self._box is not None and self._box.is_sheared:
            slid = float(slide(self._box, float(state.time[0])))
        tilt, from_middle = slid / self._size[1], state.position - self._middle
        upright = from_middle - np.outer(from_middle[:, 1], (tilt, 0.0, 0.0))
        image = np.where(self._periodic, np.floor(upright / self._size + 0.5), 0.0)
        inside = from_middle - image * self._size - np.outer(image[:, 1], (slid, 0.0, 0.0))
        around = 2.0 * (np.abs(inside).max(axis=0) + self._largest)
        sides = np.where(self._periodic, self._size, around)
        places = {
            "configuration/box": np.array([*sides, tilt, 0.0, 0.0], dtype=np.float32),
            "particles/position": inside.astype(np.float32),
        }
        if self._periodic.any():
            places["particles/image"] = image.astype(np.int32)
        return places

    def _spins(self, state: State) -> Chunks:
        """Angular momenta, as HOOMD-blue has them for the orientation (1, 0, 0, 0)."""
        if state.angular_velocity is None:
            return {}
        angmom = np.zeros((len(state.angular_velocity), 4), dtype=np.float32)
        angmom[:, 1:] = 2.0 * self._inertia[:, np.newaxis] * state.angular_velocity
        return {"particles/angmom": angmom}

    def impacts(self, first: int, batch: Impacts) -> None:
        """Nothing: the format has no place for them."""

    def sizes(self) -> list[int]:
        return []

    def sync(self) -> None:
        if self._frames % _AT_ONCE:
            self._is_regular = False
        self._flush(self._file.flush)

    def close(self) -> None:
        if self._is_broken:
            return
        self._flush(self._file.close)
        if not self._is_regular:
            self._copy(self._frames)

    def _copy(self, frames: int) -> None:
        """Write the file anew with its first frames, as it would be without other flushes."""
        draft = self._path.with_name(self._path.name + PART)
        draft.unlink(missing_ok=True)
        with _opened(self._path, "r") as old, _created(draft) as new:
            for number in range(frames):
                chunks = {
                    name: old.read_chunk(number, name)
                    for name in _NAMES
                    if old.chunk_exists(number, name)
                }
                _write(new, chunks)
                if _is_flushed(number):
                    new.flush()
        draft.replace(self._path)


def _types(radius: Floats, mass: Floats) -> Chunks:
    """The type of each ball by radius and mass, A for the first ball's; A for all if too many."""
    _, first, kind = np.unique(
        np.stack([radius, mass], axis=1), axis=0, return_index=True, return_inverse=True
    )
    if len(first) > _MOST_TYPES:
        first, kind = first[:1], np.zeros_like(kind)
    letters = [[ord("A") + rank, 0] for rank in range(len(first))]
    chunks = {"particles/types": np.array(letters, dtype=np.int8)}
    if len(first) > 1:  # all are of the first type where nothing is said
        chunks["particles/typeid"] = first.argsort().argsort()[kind.ravel()].astype(np.uint32)
    return chunks


def _created(path: Path) -> "GSDFile":
    """A new file, with the permissions of all others: gsd gives those it makes fewer."""
    path.touch(exist_ok=False)
    return _opened(path, "w")


def _opened(path: Path, mode: str) -> "GSDFile":
    import gsd.fl

    return gsd.fl.open(str(path), mode, f"spheresim {__version__}", "hoomd", [1, 4])


def _is_flushed(number: int) -> bool:
    """Whether a frame is the last before a flush."""
    return number % _AT_ONCE == _AT_ONCE - 1


def _write(file: "GSDFile", chunks: Chunks) -> None:
    for name in _NAMES:
        if name in chunks:
            file.write_chunk(name, chunks[name])
    file.end_frame()
