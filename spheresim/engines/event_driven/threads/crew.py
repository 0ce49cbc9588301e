"""The threads of an engine, for Python."""

import threading
import time
from typing import Any

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import Cells
from spheresim.collision.journal import empty_journal
from spheresim.compiler.decorators import specialised
from spheresim.compiler.intrinsics import cache_aligned_zeros
from spheresim.engines.event_driven.engine_state import Counts, EngineState, Environment, Measures
from spheresim.engines.event_driven.event_calendar import empty_calendar, empty_heap
from spheresim.engines.event_driven.threads.advance_in_slabs import (
    ARRIVED,
    USUAL_WINDOW,
    WAITING,
    End,
    advance_in_slabs,
    help_in_slab,
)
from spheresim.engines.event_driven.threads.rollback import MOST_CHANGED, empty_log
from spheresim.engines.event_driven.threads.slab import slabs_of
from spheresim.engines.event_driven.threads.slab_calendars import enter_slabs, leave_slabs
from spheresim.engines.event_driven.threads.team import LINE, NO_JOB, STOP, Plan, Team
from spheresim.numerics.records import zero_record

_WINDOWS_AT_ONCE = 2000
"""What is done between two moments at which Python can be interrupted: less than a second."""


class Crew:
    """Threads that share the events of an engine.

    While they do, the events are on calendars of their own, not on the engine's; see `leave`.
    """

    def __init__(
        self,
        environment: Environment,
        state: EngineState,
        threads: int,
        window: int = USUAL_WINDOW,
    ) -> None:
        self._state = state
        self._is_in_slabs = False
        slabs = slabs_of(state, threads)
        self.threads = len(slabs.first) - 1
        balls = len(state.ball)
        calendars = [empty_calendar(balls) for _ in range(self.threads)]
        heaps = [empty_heap(3 * MOST_CHANGED) for _ in range(self.threads)]
        pools = [_own_spare_rows(state.cells) for _ in range(self.threads)]
        states = tuple(
            _own_scratch(state)._replace(calendar=calendar, cells=cells)
            for calendar, cells in zip(calendars + heaps, pools + pools, strict=True)
        )
        between = _own_scratch(state)
        ordered = tuple(between._replace(calendar=calendar) for calendar in calendars)
        logs = tuple(empty_log(state) for _ in states)
        self.plan = zero_record(Plan)
        self.plan.buckets = window
        self._signal = np.zeros(2 * LINE, dtype=np.int64)
        done = np.zeros(LINE * self.threads, dtype=np.int64)
        found = np.zeros(LINE * self.threads)
        self._team = team = Team(slabs, states, ordered, logs, self.plan, self._signal, done, found)
        self._of_helpers = environment, team
        self._of_first = environment, state, team
        self._advance = specialised(advance_in_slabs, *self._of_first, End(0.0, 0, 0), False)
        self._help = specialised(help_in_slab, *self._of_helpers, 0)
        self._enter = specialised(enter_slabs, state, team)
        self._leave = specialised(leave_slabs, state, team)

    def advance(self, until: float, enough: int, is_alone: bool = False) -> bool:
        """Advance to a time, or to impact number `enough`; False if it stopped before the time."""
        if not self._is_in_slabs:
            self._enter(self._state, self._team)
            self._is_in_slabs = True
        self._signal[STOP] = 0
        helpers = [threading.Thread(target=self._work, args=(k,)) for k in range(1, self.threads)]
        if is_alone:
            helpers = []
        for helper in helpers:
            helper.start()
        result, end = WAITING, End(until, enough, _WINDOWS_AT_ONCE)
        try:
            while result == WAITING:
                result = self._advance(*self._of_first, end, is_alone)
                time.sleep(0.0)
        finally:
            # A window is finished after an interrupt, too: until then events are out of order.
            while self.plan.job != NO_JOB:
                self._advance(*self._of_first, End(until, enough, 0), is_alone)
                time.sleep(0.0)
            self._signal[STOP] = 1
            for helper in helpers:
                helper.join()
        return bool(result == ARRIVED)

    def leave(self) -> None:
        """Give all events back to the engine's own calendar."""
        if self._is_in_slabs:
            self._leave(self._state, self._team)
            self._is_in_slabs = False

    def _work(self, k: int) -> None:
        while self._help(*self._of_helpers, k) == WAITING:
            time.sleep(0.0)


def _own_scratch(state: EngineState) -> EngineState:
    """The same balls, with arrays of its own for what a thread writes down and counts."""
    names, numbers = empty_journal(0, state.numbers.shape[1] > 10)
    return state._replace(
        found=np.zeros_like(state.found),
        lanes=cache_aligned_zeros(state.lanes.shape, state.lanes.dtype),
        names=names,
        numbers=numbers,
        count=zero_record(Counts),
        measure=zero_record(Measures),
    )


def _own_spare_rows(cells: Cells) -> Any:
    """The same cells, with a pool of its own for rows in which a cell may continue."""
    return cells._replace(spare=np.zeros_like(cells.spare), spares=np.zeros(1, dtype=np.int64))
