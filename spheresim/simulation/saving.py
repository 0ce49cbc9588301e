"""A simulation as a scene, as a scene file, and as a run on disk."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spheresim.analysis.drift import Drift
from spheresim.compiler.compile_time import say_on_terminal, watch_compilation
from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.model.balls import Balls
from spheresim.model.force_field import ConstantAccelerations, HarmonicTrap
from spheresim.model.periodic_wrap import slide
from spheresim.numerics.arguments import positive
from spheresim.obstacles.table import SHAPE_OF
from spheresim.scene.faults import Faults
from spheresim.scene.scene import Scene, fault_of_frames
from spheresim.scene.view import USUAL_VIEW, View
from spheresim.scene.write import scene_files
from spheresim.simulation.batched import BatchedSimulation
from spheresim.simulation.population import balls_of

_TITLE = "a simulation from Python"


def scene_of(
    simulation: BatchedSimulation, until: float | None = None, frame_every: float | None = None
) -> Scene:
    """The scene that starts as the simulation is now, at its own time 0.

    until: its duration, frame_every: the time between its frames; by default those of the scene
    that the simulation was made from, else a thousand steps, and one.
    ValueError for obstacles that a scene file cannot hold, or that have moved, and for a field that
    is a function.
    """
    field = simulation.field
    if not (field is None or isinstance(field, HarmonicTrap | ConstantAccelerations)):
        raise ValueError("a field is a function of Python, which no scene file can hold")
    old, world = simulation.scene, simulation.world
    slid = 0.0 if world.box is None else float(slide(world.box, simulation.time))
    if slid != 0.0:
        raise ValueError(
            "a scene starts at time 0, when the images of a sheared box lie straight above it, and "
            f"at t = {simulation.time!r} they have slid by {slid!r}"
        )
    step, obstacles = simulation.step, list(simulation.obstacles)
    for obstacle in obstacles:
        if obstacle.shape.kind not in SHAPE_OF:
            what = f"a {obstacle.shape.kind} has no table in scene files"
            raise ValueError(f"{obstacle.name} cannot be saved: {what}")
    moving = [str(obstacle.name) for obstacle in obstacles if obstacle.motion is not None]
    if moving and simulation.time != 0.0:
        raise ValueError(
            f"a scene that starts at t = {simulation.time!r} cannot be saved: {moving[0]} "
            "moves, and motions start with their scenes; save it before it runs"
        )
    balls = balls_of(simulation)
    duration = until if until is not None else old.duration if old else 1000.0 * step
    every = frame_every if frame_every is not None else old.frame_every if old else step
    return Scene(
        title=old.title if old else _TITLE,
        duration=positive(duration, "until"),
        step=step,
        frame_every=positive(every, "frame_every"),
        gravity=world.gravity,
        restitution=old.restitution if old else 1.0,
        balls=balls,
        obstacles=obstacles,
        path=Path(f"<{_TITLE}>"),
        name=old.name if old else "simulation",
        sha256="",
        seed=old.seed if old else None,
        comment=old.comment if old else "",
        box=world.box,
        engine=simulation.engine,
        toi=simulation.toi,
        slices=simulation.slices,
        entrances=old.entrances if old else frozenset(),
        rest=world.rest,
        surfaces=simulation.surfaces,
        thermostat=simulation.thermostat,
        counts=old.counts if old else (),
        trap=field if isinstance(field, HarmonicTrap) else None,
        view=_view(old, balls),
    )


def _view(old: Scene | None, balls: Balls) -> View:
    """The view that the scene sets; a ball that is gone is not followed."""
    view = old.view if old else USUAL_VIEW
    return view if view.follow in balls.name else view._replace(follow=None)


def save_scene(scene: Scene, path: Path) -> None:
    """Write a scene to a file; many balls go to a CSV beside it, named after it, large meshes to
    an archive."""
    beside = f"{path.stem}_balls.csv", f"{path.stem}_meshes.npz"
    for name, contents in scene_files(scene, path.name, *beside).items():
        path.with_name(name).write_bytes(contents)


def save_run(
    simulation: BatchedSimulation,
    scene: Scene,
    directory: Path,
    formats: Sequence[str],
    force: bool,
) -> None:
    """Run a simulation from time 0 as a scene says, and write what `spheresim run` writes.

    RunError where that would replace what it must not, and RuntimeError where the run cannot
    go on; what was before that is written.
    """
    # Imported here, because a program that saves nothing needs none of it.
    from spheresim.record.directory import prepare_directory
    from spheresim.record.formats.catalogue import checked_formats
    from spheresim.record.write import RunWriter
    from spheresim.simulation.interrupt import held_back
    from spheresim.simulation.run_info import RunInfo
    from spheresim.simulation.run_loop import RunLoop

    # Look at everything that may be wrong before anything is changed.
    chosen = checked_formats(formats)
    _check_frames(scene)
    with watch_compilation(say_on_terminal) as compiling:
        simulation.compile()

    # Simulate and write.
    drift = Drift(simulation.world, simulation.state, simulation.field)
    info = RunInfo(scene.name, scene, simulation, drift, compiling)
    names = simulation.obstacle_names
    with held_back() as interrupt, _logged(simulation):
        prepare_directory(directory, force)
        with RunWriter(directory, scene, names, formats=chosen) as writer:
            finished = False
            writer.info(info.begun())
            try:
                loop = RunLoop(simulation, scene, writer, info.clock, drift, interrupt)
                finished = loop.simulate()
            finally:
                writer.end(info.figures(finished), simulation.contacts)
    if simulation.fault is not None:
        raise RuntimeError(simulation.fault)


def with_checksum(scene: Scene) -> Scene:
    """The scene with the checksum of its own file, as if it had been read from that."""
    from dataclasses import replace

    return replace(scene, sha256=hashlib.sha256(scene_files(scene)["scene.toml"]).hexdigest())


def _check_frames(scene: Scene) -> None:
    """ValueError unless frames fall on steps, if there are any."""
    faults = Faults("frame_every")
    has_steps = ENGINE_KINDS[scene.engine].has_fixed_step
    if has_steps and (fault := fault_of_frames(scene.frame_every, scene.step)):
        faults.add("", fault)
    faults.raise_any()


@contextmanager
def _logged(simulation: BatchedSimulation) -> Iterator[None]:
    """Inside the `with` block impacts are handed over, whatever the simulation keeps."""
    simulation.log_impacts(True)
    try:
        yield
    finally:
        simulation.log_impacts(simulation.keeps_impacts)
