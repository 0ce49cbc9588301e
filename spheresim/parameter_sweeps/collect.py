"""Handing runs out to an executor, and collecting their rows, whatever happens to a worker."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import Any

from spheresim.engines.engine_protocol import Interrupt
from spheresim.parameter_sweeps.one_run import Batch, BatchResult, run_batch
from spheresim.parameter_sweeps.plan import Plan

_SECONDS = 0.25
"""How long a batch should take: much longer than handing it out, and no loss if it is lost."""

_MOST_TOGETHER = 500
"""Runs of a batch, at the most."""

Add = Callable[[Iterable[tuple[int, Mapping[str, Any]]]], None]


class Collector:
    """The runs that are still to be made, those that are being made, and how long they take.

    add: takes over finished rows, with the index of the run; workers: how many batches may be
    computed at once, as far as known.
    """

    def __init__(self, plan: Plan, missing: Iterable[int], add: Add, workers: int) -> None:
        self._plan = plan
        self._waiting = deque(missing)
        self._pending: dict[Future[BatchResult], list[int]] = {}
        self._add = add
        self._workers = workers
        self._together = 1

    @property
    def is_done(self) -> bool:
        """Whether all runs are made."""
        return self.runs_left == 0

    @property
    def runs_left(self) -> int:
        """How many runs are not made yet."""
        return len(self._waiting) + sum(map(len, self._pending.values()))

    def go_on(self, executor: Executor, is_interrupted: Interrupt) -> None:
        """Until all runs are made, or interrupted; BrokenExecutor if the executor breaks down.

        Then what it had begun waits again, and another executor can go on.
        """
        try:
            while not self.is_done and not is_interrupted():
                self._hand_out(executor)
                done, _ = wait(self._pending, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(future)
        except BrokenExecutor:
            self._together = 1
            for runs in self._pending.values():
                self._waiting.extendleft(reversed(runs))
            self._pending.clear()
            raise
        finally:
            for future in self._pending:
                future.cancel()

    def _hand_out(self, executor: Executor) -> None:
        """Keep every worker busy, and one batch waiting for each."""
        while self._waiting and len(self._pending) < 2 * self._workers:
            share = -(-len(self._waiting) // (2 * self._workers))  # for all to end together
            runs = [self._waiting.popleft() for _ in range(min(self._together, share))]
            batch = Batch(
                self._plan.source,
                [(run, self._plan.settings(run)) for run in runs],
                self._plan.until_impacts,
            )
            try:
                self._pending[executor.submit(run_batch, batch)] = runs
            except BrokenExecutor:
                self._waiting.extendleft(reversed(runs))
                raise

    def _take(self, future: Future[BatchResult]) -> None:
        result = future.result()
        del self._pending[future]
        self._add(result.rows.items())
        requested = _SECONDS * len(result.rows) / max(result.seconds, 1e-9)
        self._together = int(min(max(1.0, requested), _MOST_TOGETHER))
