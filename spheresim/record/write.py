"""Writing a run: frames and impacts as they come, complete and valid whenever it ends."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.impacts import BALL, COLUMNS, KINDS, Impacts
from spheresim.record.layout import (
    BALL_COLUMNS,
    BALLS,
    CHECKPOINT,
    EVENTS,
    FRAME_COLUMNS,
    FRAMES,
    INFO,
    RunError,
)
from spheresim.record.rows import header, lines, numeric_lines, quoted
from spheresim.scene import Scene, write_scene
from spheresim.state import State


def check_directory(directory: Path, force: bool) -> None:
    """Refuse what is no directory, and one that holds a run unless `force` lets it be replaced."""
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory}: there is a file in the place of the run's directory")
    if _held(directory) and not force:
        raise RunError(
            f"{directory}: holds a run already; --force replaces it, --out names another"
        )


def prepare_directory(directory: Path, force: bool) -> None:
    """Check the directory, make it, and take away the run that `force` replaces."""
    check_directory(directory, force)
    directory.mkdir(parents=True, exist_ok=True)
    for path in _held(directory):
        path.unlink()


def _held(directory: Path) -> list[Path]:
    names = (INFO, FRAMES, EVENTS, CHECKPOINT)
    return [directory / name for name in names if (directory / name).exists()]


class RunWriter:
    """Writes a run's files; a context manager that closes them.

    Each file grows by whole lines at once. If the disk refuses, what was cut is taken
    back, and the OSError goes on.
    """

    def __init__(
        self,
        directory: Path,
        scene: Scene,
        obstacles: Sequence[str],
        resumed: Sequence[int] | None = None,
    ) -> None:
        """Begin the files, or go on with them from where `written` once was."""
        self.directory = directory
        self._obstacles = [quoted(name) for name in obstacles]
        if resumed is None:
            write_scene(scene, directory)
            (directory / BALLS).write_text(_balls_csv(scene), encoding="utf-8", newline="\n")
        self.frames_written, self._events_written, frame_bytes, event_bytes = resumed or [0] * 4
        self._frames = _LineFile(directory / FRAMES, header(FRAME_COLUMNS), frame_bytes)
        self._events = _LineFile(directory / EVENTS, header(COLUMNS), event_bytes)

    @property
    def written(self) -> list[int]:
        """Frames, events, and the bytes of either file: whereto a checkpoint goes back."""
        sizes = [self._frames.size(), self._events.size()]
        return [self.frames_written, self._events_written, *sizes]

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(self, *_exception: object) -> None:
        self._frames.close()
        self._events.close()

    def frame(self, state: State) -> None:
        """Write all balls as they are."""
        start = f"{self.frames_written},{float(state.time[0])!r}"
        leading = [f"{start},{ball}" for ball in range(len(state.position))]
        self._frames.append(numeric_lines(leading, np.hstack([state.position, state.velocity])))
        self.frames_written += 1

    def impacts(self, batch: Impacts) -> None:
        """Write a batch of impacts."""
        first = self._events_written
        leading = []
        for row, (t, kind, i, other) in enumerate(
            zip(
                batch.t.tolist(),
                batch.kind.tolist(),
                batch.i.tolist(),
                batch.other.tolist(),
                strict=True,
            )
        ):
            partner = f"{other}," if kind == BALL else f",{self._obstacles[other]}"
            leading.append(f"{first + row},{t!r},{KINDS[kind]},{i},{partner}")
        speeds = np.stack([batch.vn_before, batch.vn_after, batch.impulse], axis=1)
        self._events.append(numeric_lines(leading, np.hstack([batch.point, batch.normal, speeds])))
        self._events_written += len(leading)

    def info(self, info: dict[str, Any]) -> None:
        """Write `run.json`, at once and whole."""
        draft = self.directory / (INFO + ".part")
        draft.write_text(
            json.dumps(info, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
        )
        os.replace(draft, self.directory / INFO)


class _LineFile:
    """A text file that holds whole lines even where the disk is full."""

    def __init__(self, path: Path, first_line: str, keep: int = 0) -> None:
        """A new file with its first line; or one that is there, of which so many bytes stay."""
        if not keep:
            self._file = path.open("wb", buffering=0)
            self.append(first_line)
            return
        self._file = path.open("r+b", buffering=0)
        if path.stat().st_size < keep:
            raise RunError(f"{path}: is shorter than when the checkpoint was made")
        self._file.truncate(keep)
        self._file.seek(keep)

    def size(self) -> int:
        """The bytes written so far."""
        return self._file.tell()

    def append(self, lines: str) -> None:
        """Write all the lines, or none of them and raise OSError."""
        start = self._file.tell()
        left = memoryview(lines.encode())
        try:
            while left:
                left = left[self._file.write(left) :]
        except BaseException:  # an interruption, too, must not cut a line
            self._file.truncate(start)
            self._file.seek(start)
            raise

    def close(self) -> None:
        self._file.close()


def _balls_csv(scene: Scene) -> str:
    balls = scene.balls
    columns = (column.tolist() for column in (balls.radius, balls.mass, balls.restitution))
    return header(BALL_COLUMNS) + lines(zip(range(len(balls)), balls.name, *columns, strict=True))
