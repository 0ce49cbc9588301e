"""Opening a scene or a run, and compiling its kernels, in a thread beside the window."""

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spheresim.compiler.compile_time import CompileTime, say_on_terminal, watch_compilation
from spheresim.record.layout import INFO
from spheresim.record.load import Run
from spheresim.scene import Scene, load_scene
from spheresim_viewer.timeline.live import Live
from spheresim_viewer.timeline.player import Player, play_run

_CHECK_EVERY = 0.5
"""Seconds between two looks at a file."""

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
        return load_scene(path, engine=self.engine, toi=self.toi, slices=self.slices)

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


class Loading(threading.Thread):
    """A thread that opens a source. Once `done`, either `player` or `fault` is set."""

    def __init__(self, source: Source, scene: Scene | None = None) -> None:
        super().__init__(daemon=True)
        self.source = source
        self._scene = scene
        self.player: Player | None = None
        self.fault: Exception | None = None
        self._compiling: CompileTime | None = None
        self.message = ""
        """What the compiler said last."""
        self.done = False

    def run(self) -> None:
        try:
            with watch_compilation(self._hear) as self._compiling:
                self.player = self.source.open(self._scene)
        except Exception as fault:  # the thread that waits reports it
            self.fault = fault
        self.done = True

    def _hear(self, message: str) -> None:
        self.message = message
        say_on_terminal(message)

    @property
    def compiling_since(self) -> float | None:
        """Since when the compiler is at work; None if it is not."""
        return None if self._compiling is None else self._compiling.since


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
