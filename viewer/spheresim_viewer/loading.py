"""Opening a scene or a run, and compiling its kernels, in a thread beside the window."""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from spheresim.compiler.compile_time import (
    CompileTime,
    expected_seconds,
    say_on_terminal,
    watch_compilation,
)
from spheresim.record.files_and_columns import INFO, RunError
from spheresim.record.load import Run
from spheresim.scene import Scene, load_scene
from spheresim.scene.faults import one_line
from spheresim_viewer.timeline.live import Live
from spheresim_viewer.timeline.player import Player, play_run

_CHECK_EVERY = 0.5
"""Seconds between two looks at a file."""
_WAITS = "waiting for"
"""How the compiler's message begins where another process compiles the same."""

Watched = Scene | Run
"""What can be watched without a path: it is in memory already."""


@dataclass(frozen=True)
class Source:
    """A scene or a run, or the path of one, and the options that replace the scene's own.

    begins: the time of the simulation whose present state the scene is [time]; None for a scene,
    which begins at time 0, and for a run.
    """

    path: str | Watched
    engine: str | None = None
    toi: str | None = None
    slices: int | None = None
    begins: float | None = None

    def is_run(self) -> bool:
        """Whether it is a finished run."""
        if isinstance(self.path, str):
            return (Path(self.path) / INFO).is_file()
        return isinstance(self.path, Run)

    def scene(self) -> Scene:
        """The scene, with the engine that was asked for."""
        if isinstance(self.path, Scene):
            return self.path
        path = self.path.directory if isinstance(self.path, Run) else self.path
        return load_scene(path, **self.overrides)

    @property
    def overrides(self) -> dict[str, Any]:
        """The options that were given."""
        options = {"engine": self.engine, "toi": self.toi, "slices": self.slices}
        return {name: value for name, value in options.items() if value is not None}

    def open(self, scene: Scene | None = None) -> Player:
        """Load the scene, unless it is given, and compile. Raises SceneError or RunError."""
        if isinstance(self.path, Run):
            return play_run(self.path)
        if isinstance(self.path, str) and self.is_run():
            return play_run(Run.load(self.path))
        playback = Live.of_scene(scene or self.scene(), begins=self.begins or 0.0)
        playback.compile()
        return Player(playback)

    def with_path(self, path: str) -> "Source":
        """The same for another scene."""
        return replace(self, path=path, begins=None)


def keep_as_recorded(run: str | Path, overrides: Iterable[str]) -> None:
    """RunError if values of a finished run are to be replaced."""
    if words := " and ".join(sorted(overrides)):
        raise RunError(f"{one_line(run)}: is a finished run, whose {words} cannot be changed")


class Wait(NamedTuple):
    """A wait for the compiler: for how many seconds it has been at work on all kernels so far.

    expected: after how many the present kernel is expected to be done, None while that is not
    known; message: what the compiler said last.
    """

    seconds: float
    expected: float | None = None
    message: str = ""

    def words(self, what: str) -> str:
        """What is compiled, for how long, and about how long it will take.

        Past that nothing is said of it: the expectation is rough, and more kernels may follow.
        """
        if self.message.startswith(_WAITS):
            return f"{self.message}: {self.seconds:.0f} s"
        about = ""
        if self.expected is not None and self.seconds <= self.expected:
            about = f" of about {self.expected:.0f} s"
        return f"compiling {what}: {self.seconds:.0f} s{about}"

    @property
    def below(self) -> str:
        """What is gained by it."""
        if self.message.startswith(_WAITS):
            return "what it compiles serves this window too"
        return "once for worlds of this kind; it is kept for all later starts"


class Compiling(threading.Thread):
    """A thread that does what may compile kernels, and measures the wait for them."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._watch: CompileTime | None = None
        self._since: float | None = None
        self._message = ""

    def run(self) -> None:
        with watch_compilation(self._hear) as self._watch:
            self._work()

    def _hear(self, message: str) -> None:
        self._message = message
        say_on_terminal(message)

    @property
    def wait(self) -> Wait | None:
        """The wait for the compiler, from its first kernel on; None before that."""
        kernel = None if self._watch is None else self._watch.since
        if self._since is None:
            self._since = kernel
        if self._since is None:
            return None
        expected = expected_seconds()  # for the present kernel
        if kernel is None or expected is None:
            expected = None
        else:
            expected += kernel - self._since
        return Wait(perf_counter() - self._since, expected, self._message)


class Loading(Compiling):
    """A thread that opens a source. Once `done`, either `player` or `fault` is set."""

    def __init__(self, source: Source, scene: Scene | None = None) -> None:
        super().__init__(self._open)
        self.source = source
        self._scene = scene
        self.player: Player | None = None
        self.fault: Exception | None = None
        self.done = False

    def run(self) -> None:
        try:
            super().run()
        except Exception as fault:  # the thread that waits reports it
            self.fault = fault
        self.done = True

    def _open(self) -> None:
        self.player = self.source.open(self._scene)


def end_process() -> None:
    """End without waiting for the compiler: it cannot be interrupted, and nothing of it is lost."""
    sys.stdout.flush()
    os._exit(0)


def scene_file(scene: Scene | None) -> Path | None:
    """The file that a scene came from, which is watched for changes."""
    return scene.path if scene is not None and scene.path is not None else None


def modified(path: Path | None) -> Any:
    """When a file was last written, and its size; None if it does not exist."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class FileWatch:
    """Looks at a file from time to time, and tells when it was written anew."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._seen = modified(path)
        self._since = 0.0

    def has_changed(self, seconds: float) -> bool:
        """Let seconds pass; whether the file is there and is another than before."""
        self._since += seconds
        if self._since < _CHECK_EVERY:
            return False
        self._since = 0.0
        before, self._seen = self._seen, modified(self._path)
        return self._seen not in (before, None)
