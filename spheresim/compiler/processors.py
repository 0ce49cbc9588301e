"""The processors of this machine that a process may use."""

import os


def processors() -> int:
    """Their number: fewer than the machine has in a container, or under `taskset`."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
