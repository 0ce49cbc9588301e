"""The run that a page shows: one on disk, or one that is made of a scene or a simulation."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from spheresim import Run, Simulation
from spheresim.record.layout import INFO
from spheresim.scene import Scene, load_scene

Shown = Simulation | Run | Scene | str | Path
"""A simulation is shown from where it is now on; it does not move itself."""

_MOST_ROWS = 200_000
"""Of the frames of a run that is made for a page: they are only looked at, not kept."""


@contextmanager
def run_of(what: Shown, **overrides: object) -> Iterator[Run]:
    """The run, inside the `with` block. overrides: as in `load_scene`, for the path of a scene.

    SceneError or RunError for what cannot be read, TypeError for what cannot be shown.
    """
    if isinstance(what, str | Path) and (Path(what) / INFO).is_file():
        what = Run.load(what)
    if isinstance(what, Run):
        yield what
        return
    if isinstance(what, str | Path):
        what = load_scene(what, **overrides)
    if isinstance(what, Scene):
        what = Simulation.from_scene(what)
    if not isinstance(what, Simulation):
        raise TypeError(f"a Simulation, a Run, a Scene or a path can be shown, not {what!r}")
    with TemporaryDirectory(prefix="spheresim-") as folder:
        yield _made(what, Path(folder) / "run")


def _made(simulation: Simulation, directory: Path) -> Run:
    """Run a copy of a simulation from its time on."""
    from spheresim.simulation.saving import scene_of

    scene = scene_of(simulation)
    frames = scene.duration / scene.frame_every
    coarser = max(1, int(frames * len(scene.balls) / _MOST_ROWS))
    copy = Simulation.from_scene(scene)
    copy.save(directory, until=scene.duration, frame_every=coarser * scene.frame_every)
    return Run.load(directory)
