"""The command line. Each command imports what it needs when it runs, so `--help` is fast."""

import sys
from collections.abc import Callable
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from spheresim.collision.constants import MOST_SLICES
from spheresim.commands.broadphase import broadphase
from spheresim.commands.entry_points import CommandGroup
from spheresim.commands.exit_codes import DONE, FAULT, INTERRUPTED
from spheresim.engines.catalogue import EngineName, ToiMethod

app = typer.Typer(
    name="spheresim",
    cls=CommandGroup,
    help="Exact 3D simulation of spheres, after the classic tutorial on collision detection.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

SceneArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENE",
        help="A scene file, the name of a shipped scene, or the directory of a run.",
    ),
]


EngineOption = Annotated[
    EngineName | None,
    typer.Option(
        help="steps: a fixed timestep; events: exact, from impact to impact; overrides the scene's."
    ),
]
ToiOption = Annotated[
    ToiMethod | None,
    typer.Option(
        help="How the engine steps finds impacts of two balls: by a formula, or in slices of the "
        "step; overrides the scene's."
    ),
]
SlicesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_SLICES,
        help="Number of slices of a step, with --toi sliced; overrides the scene's.",
    ),
]


class Written(StrEnum):
    """Which impacts are written."""

    ALL = "all"
    NONE = "none"


FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="WORDS",
        help="Formats of frames and impacts, separated by commas: csv, parquet, xyz, gsd.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        min=0, help="The seed of fills, warm obstacles and the thermostat; overrides the scene's."
    ),
]
UntilOption = Annotated[
    int | None,
    typer.Option(
        min=1, help="End the run after this number of impacts, or at its duration, if earlier."
    ),
]
EventsOption = Annotated[Written, typer.Option(help="Which impacts are written: all, or none.")]
CheckpointOption = Annotated[
    float | None,
    typer.Option(help="Simulated time between checkpoints, for --resume; engine events only."),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue the run in the directory from its last checkpoint, with the scene and "
        "options that it began with; --format and --events need not be repeated.",
    ),
]

ThreadsOption = Annotated[
    int,
    typer.Option(
        min=1, help="Threads of the engine events; the results do not depend on their number."
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print only errors and warnings.")]


def _in_place(what: str) -> Callable[[str], str]:
    return typer.Option(help=f"{what}; overrides the scene's.")


DurationOption = Annotated[float | None, _in_place("Simulated time at the end")]


@app.command()
def run(
    scene: SceneArgument,
    out: Annotated[
        Path | None, typer.Option(help="The directory of the run.  [default: runs/<scene>]")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a run in that directory.")
    ] = False,
    engine: EngineOption = None,
    toi: ToiOption = None,
    slices: SlicesOption = None,
    step: Annotated[float | None, _in_place("Timestep of the engine steps")] = None,
    duration: DurationOption = None,
    frame_every: Annotated[float | None, _in_place("Simulated time between frames")] = None,
    seed: SeedOption = None,
    until_impacts: UntilOption = None,
    events: EventsOption = Written.ALL,
    formats: FormatOption = "csv",
    checkpoint_every: CheckpointOption = None,
    resume: ResumeOption = False,
    threads: ThreadsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Simulate a scene and write its files: frames, impacts, balls."""
    from spheresim.commands.run import Options, run_scene
    from spheresim.record.formats.catalogue import checked_formats

    overrides = {
        "step": step,
        "duration": duration,
        "frame_every": frame_every,
        "seed": seed,
        "engine": engine,
        "toi": toi,
        "slices": slices,
    }
    options = Options(
        *(out, force, quiet),
        until_impacts=until_impacts,
        events=events is Written.ALL,
        checkpoint_every=checkpoint_every,
        resume=resume,
        threads=threads,
        formats=checked_formats(filter(None, map(str.strip, formats.split(",")))),
    )
    raise typer.Exit(run_scene(scene, overrides, options))


@app.command()
def compare(
    scene: SceneArgument,
    out: Annotated[
        Path | None, typer.Option(help="The CSV file.  [default: runs/<scene>-compare.csv]")
    ] = None,
    duration: DurationOption = None,
) -> None:
    """Compare times of impact from slices, as in the tutorial, with exact times.

    It prints errors, missed impacts and costs.
    """
    from spheresim.commands.compare import compare_scene

    raise typer.Exit(compare_scene(scene, out, duration))


@app.command()
def analyse(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The directory of a run.")],
    plots: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The directory for plots, and a page with all of them."),
    ] = None,
) -> None:
    """Print the figures of a run, with standard errors and published values.

    Speeds, free paths, pressure, structure, diffusion, cooling.
    """
    from spheresim.commands.analyse import analyse_run

    raise typer.Exit(analyse_run(run, plots))


@app.command()
def resample(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The directory of a run.")],
    every: Annotated[float, typer.Option(help="Simulated time between two frames.")],
    out: Annotated[Path, typer.Option(help="The directory of the new run.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace a run in that directory.")
    ] = False,
    formats: FormatOption = "csv",
    quiet: QuietOption = False,
) -> None:
    """Write a finished run again, with frames at other times.

    The states between frames are computed from the impacts, without a new simulation.
    """
    from spheresim.commands.resample import Options, resample_run
    from spheresim.record.formats.catalogue import checked_formats

    chosen = checked_formats(filter(None, map(str.strip, formats.split(","))))
    raise typer.Exit(resample_run(run, Options(every, out, force, quiet, chosen)))


@app.command()
def sweep(
    scene: SceneArgument,
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=FROM:TO:STEP",
            help="A field of the scene and its values, also as KEY=VALUE,VALUE,…; may be repeated.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="The directory of the sweep.  [default: sweeps/<scene>]")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Delete a sweep in that directory, and start again.")
    ] = False,
    seed: Annotated[
        int,
        typer.Option(
            min=0, help="Each run gets its own seed, computed from this one, if seed is not varied."
        ),
    ] = 0,
    until_impacts: UntilOption = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of processes.  [default: one per processor]")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="The address of the scheduler of a dask cluster for the runs."
        ),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Run a scene with many values of its fields, and write one row for each run.

    After an interruption, the same command continues the sweep.
    """
    from spheresim.commands.sweep import Options, sweep_scene

    options = Options(out, force, quiet, seed, until_impacts, workers, cluster)
    raise typer.Exit(sweep_scene(scene, vary, options))


app.command()(broadphase)


@app.command(name="compile")
def compile_(quiet: QuietOption = False) -> None:
    """Compile all kernels now, instead of each when it is first needed."""
    from spheresim.commands.compile import compile_all

    raise typer.Exit(compile_all(quiet))


@app.command()
def scenes() -> None:
    """List the shipped scenes."""
    from spheresim.commands.scenes import list_scenes

    list_scenes()


@app.command()
def schema() -> None:
    """Print the JSON Schema of scene files, for editors."""
    import json

    from spheresim.scene import scene_schema

    typer.echo(json.dumps(scene_schema(), indent=2, ensure_ascii=False))


def _show_version(requested: bool) -> None:
    if requested:
        from spheresim.version import __version__

        typer.echo(f"spheresim {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Exact 3D simulation of spheres, after the classic tutorial on collision detection."""


def main() -> None:
    """Run a command. An error that the user can correct gives one sentence on stderr, and exit
    code 2."""
    # Escape what a terminal cannot show, such as Δ in a name, instead of ending with a fault.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    # Run the command; print faults that the user can correct as one sentence.
    try:
        app()
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:  # nobody reads the output any more, such as after `| head`
        sys.stderr.close()
        sys.exit(DONE)
    except OSError as fault:
        from spheresim.scene.faults import one_line

        where = f"{one_line(fault.filename)}: " if fault.filename else ""
        _fail(f"{where}{(fault.strerror or str(fault)).lower()}", FAULT)
    except ValueError as fault:
        from spheresim.record.files_and_columns import RunError
        from spheresim.scene import SceneError

        if not isinstance(fault, RunError | SceneError):
            raise
        _fail(str(fault), FAULT)


def _fail(sentence: str, code: int) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(code)
