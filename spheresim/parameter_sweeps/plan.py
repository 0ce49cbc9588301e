"""The plan of a sweep: which runs it has, with which settings, and the columns of its rows."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.collision.gas_sums import STRESS_COMPONENTS
from spheresim.parameter_sweeps.one_run import Source
from spheresim.parameter_sweeps.parameter_grid import Grid
from spheresim.scene import Scene, find_scene
from spheresim.scene.load import check_settings, scene_from
from spheresim.scene.read_toml import read_bytes
from spheresim.version import __version__

COUNTS = (
    *("steps", "impacts", "ball_impacts", "obstacle_impacts", "collapse_answers"),
    *("asleep", "sliding", "measured_impacts"),
)
"""Figures of a run that are whole numbers."""

_AVERAGES = (
    *("collision_rate", "mean_free_time", "mean_free_path", "temperature", "pressure"),
    "compressibility_factor",
    *(f"stress_{axes}" for axes in STRESS_COMPONENTS),
    "shear_viscosity",
)

FIGURES = (
    *("time", "steps", "impacts", "ball_impacts", "obstacle_impacts", "collapse_answers"),
    *("energy_start", "energy_end", "energy_drift", "energy_dissipated"),
    *("work_of_shear", "energy_remainder"),
    *("momentum_drift", "asleep", "sliding", "deepest_overlap"),
    *("measured_from", "measured_impacts"),
    *(name for average in _AVERAGES for name in (average, f"{average}_error")),
    *("packing_fraction", "compressibility_factor_published", "collision_rate_published"),
    "shear_viscosity_published",
)
"""The columns of figures, which mean what they mean in `run.json`."""


class Plan:
    """A sweep before anything is run: SceneError if a value does not fit the scene.

    source: the scene file as it was read; grid: what is varied; scene: that of the first run;
    root: the number from which each run gets a seed of its own, unless seeds are varied or the
    scene has nothing that takes one.
    """

    def __init__(
        self, source: str | Path, grid: Grid, root: int, until_impacts: int | None
    ) -> None:
        path = find_scene(source)
        self.source = Source(read_bytes(path), path)
        self.grid = grid
        self.root = root
        self.until_impacts = until_impacts
        for name, values in grid.values.items():
            for value in _telling(values):
                check_settings(*self.source, {name: value})
        self._gives_seeds = False
        first = scene_from(*self.source, self.settings(0))
        self._gives_seeds = "seed" not in grid.values and first.seed is not None
        self.scene: Scene = scene_from(*self.source, self.settings(0))

    def __len__(self) -> int:
        return len(self.grid)

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the rows."""
        given = ["seed"] if self._gives_seeds else []
        return ["run", *self.grid.values, *given, *FIGURES, "fault"]

    def settings(self, run: int) -> dict[str, Any]:
        """What replaces the values of the scene file in a run."""
        settings = self.grid.point(run)
        if self._gives_seeds:
            settings["seed"] = seed_of_run(self.root, run)
        return settings

    def info(self) -> dict[str, Any]:
        """What decides the rows, as JSON: rows of equal plans are equal."""
        hashes = hashlib.sha256(self.source.data)
        for path in self.scene.files:
            hashes.update(path.read_bytes())
        return {
            "spheresim": __version__,
            "scene": self.source.path.name,
            "scene_sha256": hashes.hexdigest(),
            "vary": {name: list(values) for name, values in self.grid.values.items()},
            "seed": self.root,
            "until_impacts": self.until_impacts,
        }


def _telling(values: Iterable[Any]) -> Iterator[Any]:
    """Values that are sound only if all are: of numbers of a type the least and the largest."""
    kinds: dict[type, list[Any]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    for kind, alike in kinds.items():
        yield from dict.fromkeys((min(alike), max(alike)) if kind in (int, float) else alike)


def seed_of_run(root: int, run: int) -> int:
    """The seed of a run, independent of those of all others.

    That of the child number `run` of numpy's `SeedSequence(root).spawn(…)`, cut to 62 bits,
    which leaves room for the seeds of further fills.
    """
    child = np.random.SeedSequence(root, spawn_key=(run,))
    return int(child.generate_state(1, np.uint64)[0]) >> 2


def typed_row(columns: list[str], row: list[str], varied: Mapping[str, Any]) -> dict[str, Any]:
    """A row of text as values; None for what is not known."""
    typed: dict[str, Any] = {}
    for name, text in zip(columns, row, strict=True):
        if name in varied:
            typed[name] = varied[name]
        elif not text:
            typed[name] = None
        elif name == "fault":
            typed[name] = text
        else:
            typed[name] = int(text) if name in ("run", "seed", *COUNTS) else float(text)
    return typed
