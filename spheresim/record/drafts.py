"""Files that are there whole or not at all, whatever ends the process or the power."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path

from spheresim.record.layout import PART


@contextmanager
def drafted(path: Path) -> Iterator[BufferedWriter]:
    """Inside the `with` block a file to write to, which after it takes its place at the path."""
    draft = path.with_name(path.name + PART)
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Let the disk know the new name, where the system lets a folder be asked for that."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
