"""One run of a sweep: from settings to a row. It runs in any process, on any machine."""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spheresim.analysis.drift import Drift
from spheresim.analysis.outcome import outcome
from spheresim.scene import SceneError
from spheresim.scene.load import scene_from
from spheresim.simulation import Simulation


class Source(NamedTuple):
    """A scene file as it was read, so that it need not be there where the runs are made."""

    data: bytes
    path: Path


class Batch(NamedTuple):
    """Some runs that are made one after another: their indices in the sweep, and settings."""

    source: Source
    runs: Sequence[tuple[int, Mapping[str, Any]]]
    until_impacts: int | None


class BatchResult(NamedTuple):
    """The figures of the runs of a batch, by index, and how many seconds they took."""

    rows: dict[int, dict[str, Any]]
    seconds: float


def run_batch(batch: Batch) -> BatchResult:
    """Make the runs of a batch."""
    started = time.perf_counter()
    rows = {index: _run(batch, settings) for index, settings in batch.runs}
    return BatchResult(rows, time.perf_counter() - started)


def _run(batch: Batch, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of one run; with a `fault` in words if it could not be made, or not go on."""
    try:
        scene = scene_from(*batch.source, settings)
        simulation = Simulation.from_scene(scene)
    except SceneError as fault:
        return {"fault": "; ".join(fault.faults)}
    simulation.log_impacts(False)
    drift = Drift(simulation.world, simulation.state, simulation.field)
    limit = math.inf if batch.until_impacts is None else batch.until_impacts
    for _ in simulation.batches(scene.duration, limit):
        pass
    return {**outcome(simulation, drift), "fault": simulation.fault}
