"""`spheresim run`: from a scene to the files of a run. `cli` has its options."""

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from spheresim.analysis.drift import Drift
from spheresim.commands.exit_codes import DONE, INTERRUPTED, STUCK
from spheresim.commands.progress import time_progress
from spheresim.commands.resume import check_resumed, resume
from spheresim.commands.summary import print_summary
from spheresim.commands.unused_options import warn_of_unused
from spheresim.compiler.compile_time import watch_compilation
from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.numerics.whole_steps import WHOLE
from spheresim.record.checkpoint import Checkpoint, read_checkpoint
from spheresim.record.directory import check_directory, prepare_directory
from spheresim.record.files_and_columns import CHECKPOINT, RunError
from spheresim.record.formats.catalogue import checked_formats
from spheresim.record.write import RunWriter
from spheresim.scene import Scene, load_scene
from spheresim.scene.faults import one_line
from spheresim.simulation import Simulation
from spheresim.simulation.interrupt import Interrupt, interruptible
from spheresim.simulation.run_info import RunInfo
from spheresim.simulation.run_loop import RunLoop


@dataclass(frozen=True)
class Options:
    """The options of the command that are not fields of the scene."""

    out: Path | None
    force: bool
    quiet: bool
    until_impacts: int | None = None
    events: bool = True
    checkpoint_every: float | None = None
    resume: bool = False
    threads: int = 1
    formats: tuple[str, ...] = ("csv",)

    def check(self, engine: str) -> None:
        """RunError for options that the engine does not have."""
        if self.checkpoint_every is not None and not self.checkpoint_every > 0.0:
            raise RunError(
                f"--checkpoint-every must be greater than 0, not {self.checkpoint_every}"
            )
        if ENGINE_KINDS[engine].has_checkpoints:
            return
        able = [name for name, kind in ENGINE_KINDS.items() if kind.has_checkpoints]
        for name in ("checkpoint_every", "resume"):
            if getattr(self, name):
                raise RunError(f"--{name.replace('_', '-')} needs --engine {' or '.join(able)}")

    def check_against(self, scene: Scene) -> None:
        """RunError for checkpoints closer than the resolution of time."""
        least = scene.duration * WHOLE
        if self.checkpoint_every is not None and self.checkpoint_every < least:
            raise RunError(
                f"--checkpoint-every must be at least {least:g}, a 1e9th of the duration, "
                f"not {self.checkpoint_every}"
            )


def run_scene(source: str, overrides: dict[str, Any], options: Options) -> int:
    """Load a scene, run it and write its files; the exit code."""
    options.check(overrides.get("engine") or "events")  # the rest when the scene's is known
    stderr = Console(stderr=True, highlight=False, quiet=options.quiet)
    # Read the scene, check the directory, and compile, before anything is changed there.
    with watch_compilation(stderr.print) as compiling:
        scene = _load(source, overrides, options)
        directory = options.out if options.out is not None else Path("runs") / scene.name
        saved, options = _check_place(directory, scene, options)
        simulation = Simulation.from_scene(scene)
        simulation.log_impacts(options.events)
        if reason := simulation.use_threads(options.threads):
            print(f"warning: {reason}", file=sys.stderr)
        simulation.compile()

    # From before the first file is changed, an interruption waits until all of them are whole.
    drift = Drift(simulation.world, simulation.state, simulation.field)
    with interruptible() as interrupt:
        # Go to the checkpoint to resume from, or delete the run that this one replaces.
        if saved is not None:
            resume(simulation, drift, saved, scene, options.until_impacts)
        else:
            prepare_directory(directory, options.force, scene)

        # Simulate and write.
        info = RunInfo(source, scene, simulation, drift, compiling, events=options.events)
        checkpoints = options.checkpoint_every is not None
        with RunWriter(
            *(directory, scene, simulation.obstacle_names, saved, checkpoints, options.formats)
        ) as writer:
            try:
                finished = _simulate(info, writer, options, interrupt, stderr)
            except OSError as fault:
                raise RunError(
                    f"{fault.filename or directory}: {(fault.strerror or str(fault)).lower()}; the "
                    f"run stopped {writer.how_far()}, and the rows in its files are complete"
                ) from fault

    # Print a summary.
    if not options.quiet:
        tally = simulation.tally
        account = drift.account(
            simulation.state, tally.dissipated, tally.given, tally.work_of_shear
        )
        print_summary(
            *(info.figures(finished), account, directory, scene, info.done_here()),
            is_lossless=simulation.world.is_lossless,
        )
        if not finished and simulation.fault is None and (directory / CHECKPOINT).is_file():
            words = _words_to_go_on(source, directory, overrides, options)
            print(f"continue with: {one_line(words)}")
    if simulation.fault is not None:
        print(f"the run cannot go on: {simulation.fault}", file=sys.stderr)
        return STUCK
    return DONE if finished else INTERRUPTED


def _load(source: str, overrides: dict[str, Any], options: Options) -> Scene:
    """The scene; prints its warnings. RunError if the options do not suit it."""
    scene = load_scene(source, **overrides)
    options.check(scene.engine)
    for warning in scene.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    warn_of_unused(overrides, scene)
    options.check_against(scene)
    return scene


def _check_place(
    directory: Path, scene: Scene, options: Options
) -> tuple[Checkpoint | None, Options]:
    """The checkpoint to resume from, or None, and the options, with those of the run that goes on.

    RunError if the run must not be written there.
    """
    if not options.resume:
        check_directory(directory, options.force, scene)
        return None, options
    saved = read_checkpoint(directory)
    options = _as_begun(options, saved)
    check_resumed(saved, scene, options.events, options.formats)
    return saved, options


def _as_begun(options: Options, saved: Checkpoint) -> Options:
    """What is written is what the run began to write, unless the options ask for something else."""
    if options.formats == Options.formats and "formats" in saved.origin:
        options = replace(options, formats=checked_formats(saved.origin["formats"].split(",")))
    if options.events:
        options = replace(options, events=saved.origin.get("events") != "none")
    return options


def _words_to_go_on(
    source: str, directory: Path, overrides: dict[str, Any], options: Options
) -> str:
    """The command that continues a run from its last checkpoint."""
    repeated = {
        **overrides,
        "until_impacts": options.until_impacts,
        "checkpoint_every": options.checkpoint_every,
        "threads": None if options.threads == 1 else options.threads,
    }
    words = ["spheresim", "run", source, "--resume", "--out", str(directory)]
    for name, value in repeated.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def _simulate(
    info: RunInfo, writer: RunWriter, options: Options, interrupt: Interrupt, stderr: Console
) -> bool:
    """Run to the end or an interruption; True at the end."""
    finished = False
    with time_progress(stderr) as progress:
        task = progress.add_task(info.scene.name, total=info.scene.duration)
        writer.info(info.begun())
        try:
            finished = RunLoop(
                *(info.simulation, info.scene, writer, info.clock, info.drift, interrupt),
                progress=lambda time: progress.update(task, completed=time),
                until_impacts=options.until_impacts,
                events=options.events,
                checkpoint_every=options.checkpoint_every,
                formats=options.formats,
            ).simulate()
        finally:
            writer.end(info.figures(finished), info.simulation.contacts)
    return finished
