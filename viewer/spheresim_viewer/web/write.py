"""Pages from Python and from the command line."""

from pathlib import Path
from typing import Any

from spheresim.record.atomic import atomic_write
from spheresim_viewer.from_python import Shown
from spheresim_viewer.web.document import document
from spheresim_viewer.web.source import run_of


def page(what: Shown, file: str | Path | None = None) -> str:
    """Make an HTML page that plays a simulation, run, scene or path; returns its text.

    what: a scene is run first, and a simulation from its present state and time on, without a
    change of the simulation itself; file: also write the page to this file. TypeError if `what` is
    of another kind, SceneError or RunError if it cannot be read, RuntimeError if the run cannot go
    on.
    """
    with run_of(what) as source:
        text = document(*source)
    if file is not None:
        _write(text.encode(), Path(file))
    return text


def write_page(source: str, file: Path, **overrides: Any) -> int:
    """Write the page of a scene or a run's directory; its size in bytes."""
    with run_of(source, **overrides) as found:
        data = document(*found).encode()
    _write(data, file)
    return len(data)


def _write(data: bytes, path: Path) -> None:
    """Write a page; if that fails, as on a full disk, an earlier file stays as it was."""
    with atomic_write(path) as file:
        file.write(data)
