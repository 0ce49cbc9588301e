"""Writing beside the simulation: a thread that does, one after the other, what it is handed."""

import threading
from collections import deque
from collections.abc import Callable

_MOST_WAITING = 1 << 23
"""Bytes that may wait to be written; a caller with more waits, so that memory stays bounded."""

Job = Callable[[], None]


class WritingThread:
    """Does jobs in the order in which they are handed over, while the caller goes on.

    The kernels of an engine let it run meanwhile (see `specialised`). Where a job fails, those
    after it are left out, and its exception is raised by the next `hand_over` or `wait`.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Job, int]] = deque()
        self._bytes = 0
        self._is_busy = self._is_ending = False
        self._fault: BaseException | None = None
        self.has_failed = False
        """Whether a job has failed, so that those after it were left out."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def hand_over(self, job: Job, size: int) -> None:
        """Have a job done, soon; size: the bytes that it keeps until then."""
        with self._changed:
            self._raise_fault()
            while self._waiting and self._bytes + size > _MOST_WAITING:
                self._changed.wait()
                self._raise_fault()
            if self.has_failed:
                return
            self._waiting.append((job, size))
            self._bytes += size
            self._changed.notify_all()
            if self._thread is None:
                # A thread that does not end must not keep the process: a disk may hang.
                self._thread = threading.Thread(target=self._work, name="writing", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Return when all that was handed over is done."""
        with self._changed:
            while self._waiting or self._is_busy:
                self._changed.wait()
            self._raise_fault()

    def end(self) -> None:
        """Do what is left, and end the thread; a fault that was not raised yet is raised."""
        try:
            self.wait()
        finally:
            with self._changed:
                self._is_ending = True
                self._changed.notify_all()
            if self._thread is not None:
                self._thread.join()

    def _raise_fault(self) -> None:
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                job()
            except BaseException as fault:
                self._fail(fault)

    def _next(self) -> Job | None:
        """The next job, when there is one; None at the end."""
        with self._changed:
            self._is_busy = False
            self._changed.notify_all()
            while not self._waiting and not self._is_ending:
                self._changed.wait()
            if not self._waiting:
                return None
            job, size = self._waiting.popleft()
            self._bytes -= size
            self._is_busy = True
            return job

    def _fail(self, fault: BaseException) -> None:
        with self._changed:
            self._fault, self.has_failed = fault, True
            self._waiting.clear()
            self._bytes = 0
