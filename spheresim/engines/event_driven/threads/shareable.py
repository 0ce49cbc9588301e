"""Which worlds several threads can share, and when that is faster."""

from spheresim.compiler.processors import processors
from spheresim.engines.event_driven.bounces import Bounces
from spheresim.engines.event_driven.engine_state import EngineState, Environment
from spheresim.engines.event_driven.lees_edwards import NoShear
from spheresim.engines.event_driven.motion import Straight
from spheresim.engines.event_driven.threads.slab import slabs_of

LEAST_BALLS = 100_000
"""Balls from which on two threads were measured to be faster than one."""


def shared_among(
    environment: Environment, state: EngineState, threads: int, has_thermostat: bool
) -> tuple[int, str | None]:
    """How many threads of so many can share a world, and a sentence that says why not all."""
    balls = len(state.ball)
    if what := _not_covered(environment, state, has_thermostat):
        return 1, f"one thread is used, not {threads}: several cannot share a world with {what}"
    if balls < LEAST_BALLS:
        return 1, (
            f"one thread is used, not {threads}: with {balls:,} balls several would be slower, "
            f"they are faster from {LEAST_BALLS:,} on"
        )
    # Threads wait for each other: without a processor for each they are far slower than one.
    free = min(threads, processors())
    many = len(slabs_of(state, free).first) - 1
    if many == threads:
        return threads, None
    used = "one thread is used" if many == 1 else f"{many} threads are used"
    return many, f"{used}, not {threads}: " + (
        "each needs a slab across x, and the balls extend too little along x for more"
        if many < free
        else "each needs a processor, and this process may not use more"
    )


def _not_covered(environment: Environment, state: EngineState, has_thermostat: bool) -> str | None:
    """What a world has that threads cannot share, or None."""
    uncovered = {
        "gravity or contact that lasts": not isinstance(environment.contact, Bounces),
        "a field of force": not isinstance(environment.motion, Straight),
        "a thermostat": has_thermostat,
        "obstacles that move or are warm": environment.walls.exist(),
        "a sheared box": not isinstance(environment.shear, NoShear),
        "rough surfaces or materials": state.spin is not None,
        "growing balls": environment.growth.grows(),
        "balls of very different sizes": len(state.cells.level) > 1,
    }
    return next((what for what, is_there in uncovered.items() if is_there), None)
