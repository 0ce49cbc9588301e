"""The command `spheresim page`, an entry point of the command line."""

from pathlib import Path
from typing import Annotated

import typer

from spheresim.cli import EngineOption, SlicesOption, ToiOption
from spheresim.commands.exit_codes import FAULT

OutOption = Annotated[Path, typer.Option("--out", metavar="FILE.html", help="The page to write.")]
PageArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENE|RUN_DIR",
        help="A scene file, a shipped scene's name, or a run's directory.",
        show_default=True,
    ),
]


def page(
    scene: PageArgument = "magic_room",
    out: OutOption = Path("page.html"),
    engine: EngineOption = None,
    toi: ToiOption = None,
    slices: SlicesOption = None,
    duration: Annotated[
        float | None, typer.Option(help="Simulated time; overrides the scene's.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write a run as one HTML file that plays in any browser, without a network."""
    from spheresim.scene.faults import one_line
    from spheresim_viewer.web.write import write_page

    if out.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"must end with .html, not {str(out)!r}", param_hint="--out")
    if out.exists() and not force:
        raise typer.BadParameter(
            f"{str(out)!r} exists already: choose another, or --force", param_hint="--out"
        )
    if not out.parent.is_dir():
        raise typer.BadParameter(
            f"{one_line(out)!r}: there is no folder {one_line(out.parent)}", param_hint="--out"
        )
    words = {"engine": engine, "toi": toi}
    given = {**words, "slices": slices, "duration": duration}
    try:
        size = write_page(scene, out, **{k: v for k, v in given.items() if v is not None})
    except OSError as fault:
        typer.echo(f"{out}: {fault.strerror}", err=True)
        raise typer.Exit(FAULT) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt("no page was written") from None
    typer.echo(f"written to {out}, {_size_in_words(size)}")


def _size_in_words(size: int) -> str:
    """A number of bytes in kB, or from a million on in MB."""
    return f"{size / 1e3:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
