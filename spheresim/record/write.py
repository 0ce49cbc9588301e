"""Writing a run: frames and impacts as they come; its tables are valid whenever it ends."""

import json
import operator
from collections.abc import Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.collision.contact_table import COLUMNS as CONTACT_COLUMNS
from spheresim.collision.impacts import BALL, COLUMNS, KINDS, Impacts
from spheresim.model.state import State
from spheresim.record.atomic import atomic_write
from spheresim.record.checkpoint import Checkpoint, write_checkpoint
from spheresim.record.csv_lines import header, lines, numeric_lines, numeric_rows, quoted
from spheresim.record.directory import begin_frames, own_files
from spheresim.record.layout import (
    BALL_COLUMNS,
    BALLS,
    CHECKPOINT,
    CONTACTS,
    EVENTS,
    FRAME_COLUMNS,
    FRAMES,
    INCOMPLETE,
    INFO,
    NAMES,
    SCENE,
    RunError,
)
from spheresim.record.line_file import LineFile
from spheresim.scene import Scene, SceneError, load_scene, scene_texts
from spheresim.scene.write import holds

_KINDS = [kind.encode() for kind in KINDS]


class RunWriter:
    """Writes a run's files into a prepared directory; a context manager that closes them.

    obstacles: their names; resumed: a checkpoint to go on from; checkpoints: whether there will
    be any. Each table grows by whole lines: if the disk refuses, a line that was cut is removed,
    and the OSError goes on.
    """

    def __init__(
        self,
        directory: Path,
        scene: Scene,
        obstacles: Sequence[str],
        resumed: Checkpoint | None = None,
        checkpoints: bool = False,
    ) -> None:
        """Begin the files, or go on with them from their lengths at a checkpoint."""
        self.directory = directory
        # What stands for j and obstacle; the last, number -1, is neither.
        self._obstacles = [b",%b" % quoted(name).encode() for name in obstacles] + [b","]
        self._balls: list[bytes] = []
        texts = {**scene_texts(scene), BALLS: _balls_csv(scene)}
        self._names = {INFO, FRAMES, EVENTS, *texts} | ({CHECKPOINT} if checkpoints else set())
        if resumed is None:
            self._begin(texts)
        else:
            self._go_on(texts[SCENE], resumed)

    def _begin(self, texts: Mapping[str, str]) -> None:
        """Create the files; of the scene's own files, those that hold the right text are kept."""
        frames = begin_frames(self.directory)
        self.info({"finished": False})
        for name, text in texts.items():
            if not holds(self.directory / name, text):
                with (self.directory / name).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
        self.frames_written = self._events_written = 0
        self._frames = LineFile(frames, header(FRAME_COLUMNS))
        events = (self.directory / EVENTS).open("xb", buffering=0)
        self._events = LineFile(events, header(COLUMNS))

    def _go_on(self, scene_text: str, resumed: Checkpoint) -> None:
        """Go on with the files that are there; all are checked before the first is changed."""
        self._names |= own_files(self.directory) & set(NAMES) - {CONTACTS}
        self.frames_written, self._events_written, frame_bytes, event_bytes = resumed.written
        frames, events = resumed.frames, (self.directory / EVENTS).open("r+b", buffering=0)
        _check_lines(self.directory / FRAMES, frames, header(FRAME_COLUMNS), frame_bytes)
        _check_lines(self.directory / EVENTS, events, header(COLUMNS), event_bytes)
        _renew_scene(self.directory / SCENE, scene_text)
        for name in (*INCOMPLETE, CONTACTS):  # which are of where the run was interrupted
            (self.directory / name).unlink(missing_ok=True)
        self._frames = LineFile(frames, keep=frame_bytes)
        self._events = LineFile(events, keep=event_bytes)

    @property
    def written(self) -> list[int]:
        """How many frames and impacts are written, and how many bytes of their two files."""
        sizes = [self._frames.size(), self._events.size()]
        return [self.frames_written, self._events_written, *sizes]

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(self, *_exception: object) -> None:
        self._frames.close()
        self._events.close()

    def frame(self, state: State) -> None:
        """Write a frame: all balls at the time of a state."""
        numbers = np.hstack([state.position, state.velocity])
        if len(self._balls) != len(numbers):
            self._balls = [b"%d," % ball for ball in range(len(numbers))]
        start = f"{self.frames_written},{float(state.time[0])!r},".encode()
        rows = map(operator.add, self._balls, numeric_rows(numbers))
        self._frames.append(start + (b"\n" + start).join(rows) + b"\n")
        self.frames_written += 1

    def impacts(self, batch: Impacts) -> None:
        """Write a batch of impacts."""
        kinds, balls, others = batch.names.T.tolist()
        times = numeric_rows(batch.t[:, None])
        rows = numeric_rows(batch.numbers[:, 1:])
        lines = [
            b"%d,%b,%b,%d,%b,%b\n"
            % (
                event,
                t,
                _KINDS[kind],
                i,
                b"%d," % other if kind == BALL else self._obstacles[other],
                row,
            )
            for event, (t, kind, i, other, row) in enumerate(
                zip(times, kinds, balls, others, rows, strict=True), self._events_written
            )
        ]
        self._events.append(b"".join(lines))
        self._events_written += len(lines)

    def info(self, info: dict[str, Any]) -> None:
        """Write `run.json` atomically, with the names of the run's files."""
        names = [name for name in NAMES if name in self._names]
        text = json.dumps({**info, "files": names}, indent=2, ensure_ascii=False) + "\n"
        with atomic_write(self.directory / INFO) as file:
            file.write(text.encode())

    def end(self, info: dict[str, Any], contacts: Any) -> None:
        """Write `run.json`, and the contacts that last (see `contact_table`) if there are any."""
        if len(contacts) == 0:
            self.info(info)
            return
        self._names.add(CONTACTS)
        self.info(info)
        numbers = np.stack([contacts[name] for name, kind in CONTACT_COLUMNS[3:]], axis=1)
        leading = [
            f"{i},{j}," if j >= 0 else f"{i},,{quoted(obstacle)}"
            for i, j, obstacle in zip(contacts.i, contacts.j, contacts.obstacle, strict=True)
        ]
        with atomic_write(self.directory / CONTACTS) as file:
            file.write(header(CONTACT_COLUMNS).encode() + numeric_lines(leading, numbers))

    def checkpoint(self, arrays: Mapping[str, Any], origin: Mapping[str, Any]) -> None:
        """Write a checkpoint, after all that was written before is on the disk."""
        written = self.written
        self._frames.sync()
        self._events.sync()
        write_checkpoint(self.directory, arrays, origin, written)


def _check_lines(path: Path, file: FileIO, first_line: str, keep: int) -> None:
    """RunError unless a table has its header, and a line ends where it did at the checkpoint."""
    file.seek(0)
    begins = file.read(len(first_line)) == first_line.encode()
    file.seek(max(0, keep - 1))
    if not begins or keep < len(first_line) or file.read(1) != b"\n":
        raise RunError(f"{path}: is not what it was when the checkpoint was made")


def _renew_scene(path: Path, text: str) -> None:
    """Bring `scene.toml` up to date, such as to a longer duration; RunError if it was edited."""
    if holds(path, text):
        return
    if path.exists():
        try:
            made = holds(path, scene_texts(load_scene(path, engine="events"))[SCENE])
        except SceneError:
            made = False
        if not made:
            raise RunError(f"{path}: is not what the run wrote, and would be replaced")
    with atomic_write(path) as file:
        file.write(text.encode())


def _balls_csv(scene: Scene) -> str:
    balls = scene.balls
    columns = (column.tolist() for column in (balls.radius, balls.mass, balls.restitution))
    return header(BALL_COLUMNS) + lines(zip(range(len(balls)), balls.name, *columns, strict=True))
