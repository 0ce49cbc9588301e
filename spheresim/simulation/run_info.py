"""What `run.json` says of a run."""

import platform
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spheresim.analysis.drift import Drift
from spheresim.analysis.outcome import outcome
from spheresim.compiler.compile_time import CompileTime
from spheresim.compiler.decorators import COMPILER_VERSION
from spheresim.scene import Scene
from spheresim.simulation.batched import BatchedSimulation
from spheresim.version import __version__


class Clock:
    """Accumulates wall and CPU seconds spent inside its `with` blocks, by this thread alone."""

    def __init__(self) -> None:
        self.wall = 0.0
        self.cpu = 0.0

    def __enter__(self) -> None:
        self._started = time.perf_counter(), time.thread_time()

    def __exit__(self, *_exception: object) -> None:
        self.wall += time.perf_counter() - self._started[0]
        self.cpu += time.thread_time() - self._started[1]


@dataclass
class RunInfo:
    """A run as it goes on, and all that `run.json` says of it.

    source: the scene as the user named it; clock: times the simulating alone; compiling: how
    long it took to compile, before; events: whether impacts are written.
    """

    source: str
    scene: Scene
    simulation: BatchedSimulation
    drift: Drift
    compiling: CompileTime
    clock: Clock = field(default_factory=Clock)
    events: bool = True

    def __post_init__(self) -> None:
        self._before = self.simulation.tally

    def done_here(self) -> tuple[int, int]:
        """Steps and impacts since the clock began: in a run that was resumed, those since then."""
        now, before = self.simulation.tally, self._before
        return now.steps - before.steps, now.impacts - before.impacts

    def begun(self) -> dict[str, Any]:
        """The keys of `figures` before the run, null where a value depends on how far it comes."""
        return {
            **dict.fromkeys(self.figures(False)),
            **_settings(self.scene, self.source),
            "events": self._events,
            "finished": False,
        }

    def figures(self, finished: bool) -> dict[str, Any]:
        """The keys and values of `run.json`, as of now, except `files`, which the writer adds."""
        simulation = self.simulation
        return {
            **_settings(self.scene, self.source),
            "events": self._events,
            "finished": finished,
            **outcome(simulation, self.drift),
            "work": simulation.tally.work._asdict(),
            **self._speed(),
            "wall_seconds": self.clock.wall,
            "cpu_seconds": self.clock.cpu,
            "compile_seconds": self.compiling.seconds,
        }

    @property
    def _events(self) -> str:
        return "all" if self.events else "none"

    def _speed(self) -> dict[str, float | None]:
        """Impacts a second, where the engine goes from impact to impact."""
        if self.simulation.snapshots is None:
            return {}
        seconds, (_, impacts) = self.clock.cpu, self.done_here()
        return {"impacts_per_second": impacts / seconds if seconds > 0.0 else None}


def _settings(scene: Scene, source: str) -> dict[str, Any]:
    """What the run was started with: programs, scene, method, times."""
    return {
        "spheresim": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": COMPILER_VERSION,
        "scene": source,
        "scene_sha256": scene.sha256,
        "engine": scene.engine,
        "toi": scene.toi,
        "slices": scene.slices,
        "step": scene.step,
        "frame_every": scene.frame_every,
        "duration": scene.duration,
        "seed": scene.seed,
    }
