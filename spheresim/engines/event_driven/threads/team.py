"""What the threads of an engine share: slabs, calendars, logs, and the plan of the next job."""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.engines.event_driven.engine_state import EngineState
from spheresim.engines.event_driven.threads.rollback import Log
from spheresim.engines.event_driven.threads.slab import Slabs
from spheresim.engines.event_driven.threads.window import Window
from spheresim.numerics.arrays import Floats, Integers

LINE = 8
"""Numbers in a cache line: what one thread writes and another waits for has one of its own."""

# Jobs: the events of a window in the slabs, then those at the borders; and what starts a turn of
# the calendars: the earliest event, times from the new epoch on, and the calendars.
NO_JOB, EVENTS, BORDERS, EARLIEST, EPOCH, CALENDARS = range(6)

# Places in `Team.signal`: jobs begun, and 1 when all is done.
BEGUN, STOP = 0, LINE


class Plan:
    """The fields of `Team.plan`, which the first thread writes between two jobs."""

    job: int
    first: int  # bucket of the window
    end: int  # the bucket behind its last
    buckets: int  # that a window has
    has_overflowed: int  # 1 if a row of neighbours has
    windows: int  # so far
    rolled_back: int  # of them
    in_order: int  # windows that one thread handled from the start
    limit: float  # the time of the end
    shift: float  # how far the epoch is moved
    span: float  # of the last turn


class Team(NamedTuple):
    """What threads work with: slabs; states: the engine's balls with a calendar, counts and scratch
    of their own, for each slab, then for each border, whose calendar is a heap; ordered: the same
    for the first thread between windows, with the calendar of each slab; logs: for each of
    `states`; plan: one record; signal: see `BEGUN`; done, found: for each thread, a cache line
    apart, how many jobs it has done, and the earliest event that it has found."""

    slabs: Slabs
    states: tuple[EngineState, ...]
    ordered: tuple[EngineState, ...]
    logs: tuple[Log, ...]
    plan: Plan
    signal: Integers
    done: Integers
    found: Floats


@inlined
def window_of(team: Team) -> Window:
    """The present window."""
    return Window(team.plan.end, team.plan.limit)
