"""Processes that need the same kernel at the same time: one compiles it, the others load it."""

import hashlib
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from spheresim.compiler.compile_time import say

if sys.platform != "win32":
    import fcntl


@contextmanager
def compile_lock(folder: Path, kernel: str) -> Iterator[None]:
    """Keep other processes from compiling a kernel into this folder inside the `with` block.

    Where files cannot be locked (Windows, some network drives), each process compiles for
    itself, which costs time and nothing else.
    """
    # The compiler's own lock first: of the threads of one process, only one goes on to lock
    # files. No two processes wait for each other: kernels are nested, never in a circle.
    with global_compiler_lock:
        place = _place(kernel)
        is_locked = _lock(folder, place)
        try:
            yield
        finally:
            if is_locked:
                _unlock(folder, place)


def _place(kernel: str) -> int:
    """The byte of the lock file that stands for a kernel."""
    return int.from_bytes(hashlib.sha256(kernel.encode()).digest()[:7])


@cache
def _lock_file(folder: Path, _process: int) -> int:
    # Opened once in each process: closing it would give up all of the process's locks.
    return os.open(folder / "compiling.lock", os.O_RDWR | os.O_CREAT, 0o666)


def _lock(folder: Path, place: int) -> bool:
    """Wait until no other process holds the place; False where that cannot be."""
    if sys.platform == "win32":
        return False
    with suppress(OSError):
        file = _lock_file(folder, os.getpid())
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            say(f"waiting for {_holder(file, place)}, which compiles the same")
            # For those who measure, to wait is to compile.
            with event.trigger_event("numba:compile"):
                fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
        return True
    return False


def _holder(file: int, place: int) -> str:
    """Who holds the place, as far as the system tells."""
    if sys.platform.startswith("linux"):
        # A struct flock: type, whence, start, length, and the process that holds it.
        asked = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)
        with suppress(OSError):
            *_, process = struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_GETLK, asked))
            if process > 0:
                return f"process {process}"
    return "another process"


def _unlock(folder: Path, place: int) -> None:
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.lockf(_lock_file(folder, os.getpid()), fcntl.LOCK_UN, 1, place)
