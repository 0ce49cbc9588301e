"""Atomic writes: a file is complete or not there, even if the process or the power fails."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path

from spheresim.record.files_and_columns import PART


@contextmanager
def atomic_write(path: Path, draft: Path | None = None) -> Iterator[BufferedWriter]:
    """A file to write in the `with` block; complete and synced, it then replaces that at the path.

    If the block raises, the file at the path stays as it was. Until then it is at the path
    `draft`, by default beside it.
    """
    draft = draft or path.with_name(path.name + PART)
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException as fault:
        draft.unlink(missing_ok=True)
        if isinstance(fault, OSError) and fault.filename in (None, str(draft)):
            fault.filename = str(path)  # which a full disk does not say, and what was asked for
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk, on systems where a folder can be synced."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
