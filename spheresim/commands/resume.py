"""Going on from a checkpoint: only with the scene and options that the run began with."""

from spheresim.analysis.energy import Drift
from spheresim.record.checkpoint import Checkpoint
from spheresim.record.layout import RunError
from spheresim.record.origin import differences, origin_of
from spheresim.scene import Scene
from spheresim.simulation import Simulation


def check_resumed(saved: Checkpoint, scene: Scene, events: bool, formats: tuple[str, ...]) -> None:
    """RunError if the scene or the options differ from those that the run began with."""
    if differ := differences(saved.origin, origin_of(scene, events, formats)):
        raise RunError(f"{saved.path}: a run goes on only as it began, but {differ}")


def resume(
    simulation: Simulation, drift: Drift, saved: Checkpoint, scene: Scene, end: int | None
) -> None:
    """Bring a simulation and its drift to a checkpoint.

    RunError if the run is to end before that: by the scene's duration, or after `end` impacts.
    """
    try:
        simulation.resume(saved.arrays)
        drift.restore(saved.arrays["drift"].tolist())
    except (ValueError, KeyError) as fault:
        raise RunError(f"{saved.path}: {fault}") from None
    if scene.duration < simulation.time:
        raise RunError(
            f"{saved.path}: the run is at t = {simulation.time!r} already, past the duration, "
            f"{scene.duration!r}"
        )
    tally = simulation.tally
    done = tally.ball_impacts + tally.obstacle_impacts
    if end is not None and done >= end:
        raise RunError(f"{saved.path}: {done} impacts are behind it, not less than {end}")
