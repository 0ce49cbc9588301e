"""Checkpoints: from which a run goes on as if it had never stopped, to the last byte."""

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.record.layout import CHECKPOINT, RunError


def write_checkpoint(directory: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays by name, at once and whole."""
    draft = directory / (CHECKPOINT + ".part")
    with draft.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    os.replace(draft, directory / CHECKPOINT)


def read_checkpoint(directory: Path) -> dict[str, Any]:
    """The arrays of the last checkpoint; RunError if there is none that can be read."""
    path = directory / CHECKPOINT
    if not path.is_file():
        raise RunError(
            f"{path}: there is no checkpoint to resume from; --checkpoint-every makes one"
        )
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, KeyError, zipfile.BadZipFile, EOFError) as fault:
        raise RunError(f"{path}: is no checkpoint that can be read: {fault}") from None
