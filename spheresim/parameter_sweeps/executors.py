"""Where the runs of a sweep are made: this machine's processors, or a cluster's."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor

from spheresim.record.files_and_columns import RunError
from spheresim.record.missing_packages import needs
from spheresim.scene.faults import one_line


@contextlib.contextmanager
def process_pool(workers: int, is_done: Callable[[], bool]) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that ends with the block, at once if its results are no longer needed."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, initializer=_begin_worker)
    try:
        yield pool
    finally:
        if not is_done():
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    """Leave Ctrl-C to the process that collects the rows, and end when it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """The executor of a dask cluster, by the address of its scheduler; RunError if none answers."""
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise needs("--cluster", "distributed") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError, TimeoutError) as fault:
        raise RunError(f"--cluster {address}: no scheduler answers there: {fault}") from None
    with client, client.get_executor() as executor:
        try:
            yield executor
        except KilledWorker as fault:
            raise RunError(
                f"the sweep cannot go on: the cluster gave up a batch: {one_line(fault)}; "
                "rows that are written are kept"
            ) from None
