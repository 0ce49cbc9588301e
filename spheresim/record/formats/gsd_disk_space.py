"""Room on the disk for a GSD file: looked for before the gsd library writes, for it may not notice.

The file's header says where its index is, and how long. When the index is full, the library copies
it to the end of the file at twice the length, and takes no notice if that fails: then it writes the
next entries over the first ones, and nothing can be read any more.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HEADER = struct.Struct("<QQQ")
"""What a GSD file begins with: a magic number, the place of its index, its length in entries."""

_ENTRY = 32
"""Bytes of an entry of the index."""


def check_disk_space(path: Path, waiting: int, entries: int) -> None:
    """OSError unless the disk has room for these bytes and an index of these entries."""
    if not hasattr(os, "posix_fallocate"):
        return
    with path.open("r+b") as file:
        _, _, index = _HEADER.unpack(file.read(_HEADER.size))
        if entries > index:
            while index <= entries:
                index *= 2
            waiting += _ENTRY * index
        end = file.seek(0, 2)
        try:
            os.posix_fallocate(file.fileno(), end, waiting + 1)
        except OSError as fault:
            fault.filename = str(path)
            raise
        finally:
            file.truncate(end)


@contextmanager
def restored(path: Path) -> Iterator[None]:
    """The header and the index are after the `with` block as they were before it, and so is all
    that they lead to, for the library only adds to the file."""
    with path.open("r+b") as file:
        _, place, index = _HEADER.unpack(file.read(_HEADER.size))
        end = file.seek(0, 2)
        kept = []
        for start, size in ((0, 256), (place, _ENTRY * index)):
            file.seek(start)
            kept.append((start, file.read(size)))
        try:
            yield
        finally:
            for start, data in kept:
                file.seek(start)
                file.write(data)
            file.truncate(end)
