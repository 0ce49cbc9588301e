"""The command line. What it needs is imported when a command runs, so that help is instant."""

import sys
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from spheresim.collision.constants import MOST_SLICES
from spheresim.commands.broadphase import broadphase
from spheresim.commands.entry_points import CommandGroup
from spheresim.commands.exit_codes import DONE, FAULT, INTERRUPTED
from spheresim.engines.catalogue import EngineName, ToiMethod

app = typer.Typer(
    name="spheresim",
    cls=CommandGroup,
    help="Exact 3D simulation of spheres: collision detection from the tutorial to research.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

SceneArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENE", help="A scene file, a shipped scene's name, or a run's directory."
    ),
]


EngineOption = Annotated[
    EngineName | None, typer.Option(help="How time goes on, in place of the scene's way.")
]
ToiOption = Annotated[
    ToiMethod | None,
    typer.Option(help="How the fixed step finds impacts of two balls, in place of the scene's."),
]
SlicesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_SLICES,
        help="Slices of what is left of a step, with sliced, in place of the scene's.",
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
        help="What frames and impacts are written in: csv, parquet, xyz, gsd; with commas.",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option(min=0, help="The seed of the scene's fills, in place of theirs.")
]
UntilOption = Annotated[
    int | None,
    typer.Option(min=1, help="End after this number of impacts, if that is before the duration."),
]
EventsOption = Annotated[Written, typer.Option(help="Which impacts go into events.csv.")]
CheckpointOption = Annotated[
    float | None, typer.Option(help="The time between checkpoints, to resume from.")
]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Go on from the last checkpoint of the run there.")
]

QuietOption = Annotated[bool, typer.Option("--quiet", help="Print nothing but faults.")]


def _in_place(what: str) -> Any:
    return typer.Option(help=f"{what}, in place of the scene's.")


DurationOption = Annotated[float | None, _in_place("The time to run for")]


@app.command()
def run(
    scene: SceneArgument,
    out: Annotated[
        Path | None, typer.Option(help="The run's directory.  [default: runs/<scene>]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a run that is there.")] = False,
    engine: EngineOption = None,
    toi: ToiOption = None,
    slices: SlicesOption = None,
    step: Annotated[float | None, _in_place("The timestep")] = None,
    duration: DurationOption = None,
    frame_every: Annotated[float | None, _in_place("The time between frames")] = None,
    seed: SeedOption = None,
    until_impacts: UntilOption = None,
    events: EventsOption = Written.ALL,
    formats: FormatOption = "csv",
    checkpoint_every: CheckpointOption = None,
    resume: ResumeOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run a scene and write it to files: frames, impacts, balls."""
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
    """Hold sliced against analytic times of impact: error, missed impacts, cost."""
    from spheresim.commands.compare import compare_scene

    raise typer.Exit(compare_scene(scene, out, duration))


@app.command()
def analyse(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's directory.")],
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to write plots, and a page of them.")
    ] = None,
) -> None:
    """Measure a run: speeds, free paths, pressure, structure, diffusion, cooling."""
    from spheresim.commands.analyse import analyse_run

    raise typer.Exit(analyse_run(run, plots))


@app.command()
def resample(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's directory.")],
    every: Annotated[float, typer.Option(help="The time between two frames.")],
    out: Annotated[Path, typer.Option(help="The new run's directory.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a run that is there.")] = False,
    formats: FormatOption = "csv",
    quiet: QuietOption = False,
) -> None:
    """Write a finished run with frames at another rate, from its impacts, without the physics."""
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
            help="A field and its values, or KEY=VALUE,VALUE,…; again for another field.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="The sweep's directory.  [default: sweeps/<scene>]")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Begin anew where a sweep is there.")
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="What the runs' seeds are made from, if none are varied.")
    ] = 0,
    until_impacts: UntilOption = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes.  [default: one a processor]")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="The scheduler of a dask cluster, to run there."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Run a scene many times with other values: a row for each run. Goes on if interrupted."""
    from spheresim.commands.sweep import Options, sweep_scene

    options = Options(out, force, quiet, seed, until_impacts, workers, cluster)
    raise typer.Exit(sweep_scene(scene, vary, options))


app.command()(broadphase)


@app.command(name="compile")
def compile_(quiet: QuietOption = False) -> None:
    """Compile everything now that is otherwise compiled when it is first needed."""
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


def _show_version(wanted: bool) -> None:
    if wanted:
        from spheresim.version import __version__

        typer.echo(f"spheresim {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Exact 3D simulation of spheres: collision detection from the tutorial to research."""


def main() -> None:
    """Run a command; a fault that a user can mend is one sentence on stderr and exit code 2."""
    # Escape what a terminal cannot show, such as Δ in a name, instead of ending with a fault.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    # Run the command, and turn what a user can mend into a sentence.
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
        from spheresim.record.layout import RunError
        from spheresim.scene import SceneError

        if not isinstance(fault, RunError | SceneError):
            raise
        _fail(str(fault), FAULT)


def _fail(sentence: str, code: int) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(code)
