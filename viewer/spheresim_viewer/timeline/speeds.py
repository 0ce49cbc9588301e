"""Playback speeds: 1, 2, 5, 10, … times the natural one, three decades up and down."""

from spheresim_viewer.timeline.playback import Playback

FRAMES_A_SECOND = 50.0
"""At the natural speed so many frames of a scene are shown a second."""

LADDER = [m * 10.0**e for e in range(-3, 3) for m in (1.0, 2.0, 5.0)] + [1000.0]


def natural_speed(playback: Playback) -> float:
    """The natural speed of a playback, in simulated time per second."""
    scene = playback.population.scene
    return FRAMES_A_SECOND * (scene.frame_every if scene else playback.step)


def next_speed(speed: float, natural: float, direction: int) -> float:
    """The next faster (1) or slower (−1) speed; at either end of the ladder, the same."""
    rungs = [natural * rung for rung in LADDER]
    if direction > 0:
        return next((rung for rung in rungs if rung > speed * (1.0 + 1e-9)), rungs[-1])
    return next((rung for rung in reversed(rungs) if rung < speed * (1.0 - 1e-9)), rungs[0])
