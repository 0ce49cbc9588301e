"""Writing a run: frames and impacts as they come; its tables are valid whenever it ends."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.collision.flights import NO_FLIGHTS, Flights
from spheresim.collision.impacts import Impacts
from spheresim.contact.contact_table import COLUMNS as CONTACT_COLUMNS
from spheresim.model.state import State
from spheresim.record.atomic import atomic_write
from spheresim.record.checkpoint import Checkpoint, write_checkpoint
from spheresim.record.csv_lines import header, lines, numeric_lines, quoted
from spheresim.record.directory import begin_frames, own_files
from spheresim.record.files_and_columns import (
    BALLS,
    CHECKPOINT,
    CONTACTS,
    FLIGHTS,
    FRAMES,
    INFO,
    SCENE,
    RunError,
    ball_columns,
)
from spheresim.record.flights_file import FlightsFile
from spheresim.record.formats.catalogue import INCOMPLETE, RUN_FILES, WRITERS
from spheresim.record.formats.table_writer import Kept, Place, TableWriter
from spheresim.record.writing_thread import WritingThread
from spheresim.scene import Scene, SceneError, load_scene, scene_files
from spheresim.scene.write import holds


class RunWriter:
    """Writes a run's files into a prepared directory; a context manager that closes them.

    obstacles: their names; resumed: a checkpoint to go on from; checkpoints: whether there will
    be any; formats: of frames and impacts, see `checked_formats`. Frames and impacts are written
    by a thread, beside the simulation. If the disk refuses, all tables are left with whole lines,
    and a later call raises the OSError, `wait` at the latest.
    """

    def __init__(
        self,
        directory: Path,
        scene: Scene,
        obstacles: Sequence[str],
        resumed: Checkpoint | None = None,
        checkpoints: bool = False,
        formats: Sequence[str] = ("csv",),
    ) -> None:
        """Begin the files, or go on with them from their lengths at a checkpoint."""
        self.directory = directory
        contents = {**scene_files(scene), BALLS: _balls_csv(scene).encode()}
        kinds = [WRITERS[name] for name in formats]
        self._names = {INFO, *contents, *(name for kind in kinds for name in kind.files)}
        if checkpoints:
            self._names.add(CHECKPOINT)
        self._lock = begin_frames(directory) if resumed is None else resumed.frames
        place = Place(directory, scene, obstacles, self._lock)
        self._writers: list[TableWriter] = [kind(place) for kind in kinds]
        self._frame_every = scene.frame_every
        self._flights = FlightsFile(directory / FLIGHTS)
        self._is_open = True
        self._beside = WritingThread()
        self.frames_written = self._events_written = 0
        self._last_frame: float | None = None
        if resumed is None:
            self._begin(contents)
        else:
            self._go_on(contents[SCENE], resumed)

    def _begin(self, contents: Mapping[str, bytes]) -> None:
        """Create the files; of the scene's own files, those that hold the right bytes are kept."""
        self.info({"finished": False})
        for name, code in contents.items():
            if not holds(self.directory / name, code):
                with (self.directory / name).open("xb") as file:
                    file.write(code)
        for writer in self._writers:
            writer.begin()

    def _go_on(self, scene_file: bytes, resumed: Checkpoint) -> None:
        """Go on with the files that are there; all are checked before the first is changed."""
        self._names |= own_files(self.directory) & set(RUN_FILES) - {CONTACTS, FLIGHTS, FRAMES}
        self.frames_written, self._events_written, flights, *sizes = resumed.written
        if self.frames_written:
            self._last_frame = (self.frames_written - 1) * self._frame_every
        kept = []
        for writer in self._writers:
            mine, sizes = sizes[: writer.sizes_kept], sizes[writer.sizes_kept :]
            kept.append(Kept(self.frames_written, self._events_written, mine))
            writer.check(kept[-1])
        self._flights.check(flights)
        _renew_scene(self.directory / SCENE, scene_file)
        for name in (*INCOMPLETE, CONTACTS):  # which are of where the run was interrupted
            (self.directory / name).unlink(missing_ok=True)
        for writer, of_it in zip(self._writers, kept, strict=True):
            writer.go_on(of_it)
        self._flights.go_on(flights)

    @property
    def written(self) -> list[int]:
        """How many frames and impacts are written, then the sizes of growing files: of the flights,
        and by format."""
        sizes = [size for writer in self._writers for size in writer.sizes()]
        return [self.frames_written, self._events_written, self._flights.size, *sizes]

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(self, *_exception: object) -> None:
        try:
            self._close_tables()
        finally:
            if FRAMES not in self._names:  # it was there only to be locked
                with suppress(OSError):
                    (self.directory / FRAMES).unlink()
            self._lock.close()

    def _close_tables(self) -> None:
        if self._is_open:
            self._is_open = False
            with ExitStack() as each:  # the others, too, if the disk refuses one
                for writer in self._writers:
                    each.callback(writer.close)
                each.callback(self._flights.close)
                self._beside.end()

    def frame(self, state: State) -> None:
        """Write a frame: all balls at the time of a state."""
        number, kept = self.frames_written, state.copy()
        size = kept.position.nbytes + kept.velocity.nbytes
        self._beside.hand_over(partial(self._write_frame, number, kept), size)
        self.frames_written += 1

    def _write_frame(self, number: int, state: State) -> None:
        for writer in self._writers:
            writer.frame(number, state)
        self._last_frame = float(state.time[0])

    def impacts(self, batch: Impacts, flights: Flights = NO_FLIGHTS) -> None:
        """Write a batch of impacts, which no longer changes, and the flights with them."""
        if len(flights.names):
            flights.names[:, 0] += self._events_written
            size = flights.names.nbytes + flights.numbers.nbytes
            self._beside.hand_over(partial(self._flights.append, flights), size)
        if len(batch.names) == 0:
            return
        size = batch.names.nbytes + batch.numbers.nbytes
        self._beside.hand_over(partial(self._write_impacts, self._events_written, batch), size)
        self._events_written += len(batch.names)

    def _write_impacts(self, first: int, batch: Impacts) -> None:
        for writer in self._writers:
            writer.impacts(first, batch)

    def wait(self) -> None:
        """Return when all frames and impacts so far are in their tables."""
        self._beside.wait()

    def how_far(self) -> str:
        """Up to which frame the files of a run go that the disk ended."""
        if self._last_frame is None:
            return "before its first frame was written"
        parts = [writer.files[0] for writer in self._writers if writer.sizes_kept == 0]
        note = f" (earlier in {', '.join(parts)})" if parts else ""
        return f"after the frame at t = {self._last_frame:.10g}{note}"

    def info(self, info: dict[str, Any]) -> None:
        """Write `run.json` atomically, with the names of the run's files."""
        names = [name for name in RUN_FILES if name in self._names]
        text = json.dumps({**info, "files": names}, indent=2, ensure_ascii=False) + "\n"
        with atomic_write(self.directory / INFO) as file:
            file.write(text.encode())

    def end(self, info: dict[str, Any], contacts: Any) -> None:
        """Close the tables, and write `run.json`, and the contacts that last if there are any.

        For contacts see `contact_table`. Where the disk has refused a table, `run.json` stays as it
        was at the start: the files do not go as far as the simulation.
        """
        self._close_tables()
        if self._beside.has_failed:
            return
        if self._flights.size:
            self._names.add(FLIGHTS)
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

    def checkpoint(self, arrays: Mapping[str, np.ndarray], origin: Mapping[str, Any]) -> None:
        """Write a checkpoint, after all that was written before is on the disk."""
        self._beside.hand_over(partial(self._write_checkpoint, arrays, origin), 0)
        self.wait()

    def _write_checkpoint(
        self, arrays: Mapping[str, np.ndarray], origin: Mapping[str, Any]
    ) -> None:
        written = self.written
        self._flights.sync()
        for writer in self._writers:
            writer.sync()
        write_checkpoint(self.directory, arrays, origin, written)


def _renew_scene(path: Path, contents: bytes) -> None:
    """Bring `scene.toml` up to date, such as to a longer duration; RunError if it was edited."""
    if holds(path, contents):
        return
    if path.exists():
        try:
            made = holds(path, scene_files(load_scene(path, engine="events"))[SCENE])
        except SceneError:
            made = False
        if not made:
            raise RunError(f"{path}: is not what the run wrote, and would be replaced")
    with atomic_write(path) as file:
        file.write(contents)


def _balls_csv(scene: Scene) -> str:
    balls = scene.balls
    columns = [balls.radius, balls.mass, balls.restitution]
    if scene.has_spin:
        columns.append(balls.inertia)
    rows = zip(range(len(balls)), balls.name, *(c.tolist() for c in columns), strict=True)
    return header(ball_columns(scene.has_spin)) + lines(rows)
