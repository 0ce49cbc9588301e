"""Resuming from a checkpoint, with the same scene and options as the run."""

import numpy as np

from spheresim.analysis.drift import Drift
from spheresim.record.checkpoint import Checkpoint
from spheresim.record.checkpoint_compatibility import differences, origin_of
from spheresim.record.files_and_columns import RunError
from spheresim.scene import Scene
from spheresim.simulation import Simulation


def check_resumed(saved: Checkpoint, scene: Scene, events: bool, formats: tuple[str, ...]) -> None:
    """RunError if the scene or the options differ from those that the run began with."""
    if differ := differences(saved.origin, origin_of(scene, events, formats)):
        raise RunError(
            f"{saved.path}: a run continues only with its own scene and options, but {differ}"
        )


def resume(
    simulation: Simulation, drift: Drift, saved: Checkpoint, scene: Scene, end: int | None
) -> None:
    """Set a simulation and its drift to the state of a checkpoint.

    RunError if the checkpoint is after the scene's duration, or after `end` impacts.
    """
    try:
        # At the start the simulation is there already, with the digits of the scene. An engine
        # keeps places relative to a box, which rounds them.
        if not np.array_equal(saved.arrays["time"], [0.0]):
            simulation.resume(saved.arrays)
        drift.restore(saved.arrays["drift"].tolist())
    except (ValueError, KeyError) as fault:
        raise RunError(f"{saved.path}: {fault}") from None
    if scene.duration < simulation.time:
        raise RunError(
            f"{saved.path}: the run is already at t = {simulation.time!r}, after the duration, "
            f"{scene.duration!r}"
        )
    done = simulation.tally.impacts
    if end is not None and done >= end:
        raise RunError(f"{saved.path}: the run already has {done} impacts, not less than {end}")
