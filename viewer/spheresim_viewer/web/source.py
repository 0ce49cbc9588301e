"""The run that a page shows: one on disk, or one that is made of a scene or a simulation."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from spheresim import Run, Simulation
from spheresim.commands.unused_options import warn_of_unused
from spheresim.record.files_and_columns import INFO
from spheresim.scene import Scene, load_scene
from spheresim.simulation.saving import scene_of
from spheresim_viewer.from_python import Shown
from spheresim_viewer.loading import keep_as_recorded

_FRAMES = 250
"""Of a run that is made for a page, about: its impacts tell what is between them."""


class Source(NamedTuple):
    """A run, the time between frames that its scene asked for, and the time at which it begins.

    begins: what is added to the times of the run [time]; not 0 for a simulation that has run.
    """

    run: Run
    frame_every: float
    begins: float = 0.0


@contextmanager
def run_of(what: Shown, **overrides: Any) -> Iterator[Source]:
    """The run, and its pace, inside the `with` block.

    overrides: as in `load_scene`, for the path of a scene. SceneError or RunError for what
    cannot be read, TypeError for what cannot be shown.
    """
    if isinstance(what, str | Path) and (Path(what) / INFO).is_file():
        what = Run.load(what)
    if isinstance(what, Run):
        keep_as_recorded(what.directory, overrides)
        yield Source(what, what.scene.frame_every)
        return
    if isinstance(what, str | Path):
        what = load_scene(what, **overrides)
        warn_of_unused(overrides, what)
    if isinstance(what, Scene):
        what = Simulation.from_scene(what)
    if not isinstance(what, Simulation):
        raise TypeError(f"a Simulation, a Run, a Scene or a path can be shown, not {what!r}")
    with TemporaryDirectory(prefix="spheresim-") as folder:
        scene = scene_of(what)
        yield Source(_made(scene, Path(folder) / "run"), scene.frame_every, what.time)


def _made(scene: Scene, directory: Path) -> Run:
    """Run a scene."""
    coarser = max(1, int(scene.duration / scene.frame_every / _FRAMES))
    copy = Simulation.from_scene(scene)
    copy.save(directory, until=scene.duration, frame_every=coarser * scene.frame_every)
    return Run.load(directory)
