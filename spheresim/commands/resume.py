"""Going on from a checkpoint: only with what the run began with, and not from beyond its end."""

from spheresim.analysis.energy import Drift
from spheresim.record.checkpoint import Checkpoint
from spheresim.record.layout import RunError
from spheresim.record.origin import differences, origin_of
from spheresim.scene import Scene
from spheresim.simulation import Simulation


def check_resumed(saved: Checkpoint, scene: Scene, events: bool) -> None:
    """Refuse to go on with anything but what the run began with."""
    if differ := differences(saved.origin, origin_of(scene, events)):
        raise RunError(f"{saved.path}: a run goes on only as it began, but {differ}")


def resume(
    simulation: Simulation, drift: Drift, saved: Checkpoint, scene: Scene, end: int | None
) -> None:
    """Bring a simulation to its checkpoint, which is not past the time or impact of its end."""
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
