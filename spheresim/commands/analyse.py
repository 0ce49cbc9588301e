"""`spheresim analyse`: the figures of a finished run, and their plots."""

import importlib.util
from pathlib import Path

from spheresim.analysis.catalogue import analyse
from spheresim.analysis.plots import FILES, save_plots
from spheresim.commands.exit_codes import DONE
from spheresim.record.files_and_columns import RunError
from spheresim.record.load import Run
from spheresim.record.missing_packages import needs
from spheresim.scene.faults import one_line


def analyse_run(source: Path, plots: Path | None) -> int:
    """Measure a run, print its figures, and write the plots; the exit code."""
    if plots is not None and importlib.util.find_spec("matplotlib") is None:
        raise needs("--plots", "matplotlib")
    run = Run.load(source)
    if plots is not None:
        _check_place(plots)
    analysis = analyse(run)
    figures = analysis.figures()
    for name, value in figures.items():
        print(f"{name:<29} {value}")
    if "diffusion" in figures and figures["diffusion"].published is not None:
        print(_OF_SMALL_BOXES)
    if analysis.unsettled:
        print(f"note: {analysis.unsettled}")
    for reason in dict.fromkeys(analysis.missing.values()):
        names = [name for name, why in analysis.missing.items() if why == reason]
        print(f"not measured: {', '.join(names)}: {reason}")
    if plots is not None:
        paths = save_plots(analysis, plots, f"{run.scene.title} ({len(run.balls)} balls)")
        print(f"\n{len(paths)} files written to {one_line(plots)}")
    return DONE


_OF_SMALL_BOXES = (
    "note: the published diffusion is that of some hundred balls; in larger boxes it is larger, "
    "by a tenth at medium densities"
)


def _check_place(directory: Path) -> None:
    """RunError if a plot would replace another file: plots are known by their first bytes."""
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory}: is a file; --plots names a directory")
    for name, begins in FILES.items():
        path = directory / name
        if not path.exists():
            continue
        with path.open("rb") as file:
            if file.read(len(begins)) != begins:
                kind = path.suffix[1:].upper()
                raise RunError(
                    f"{path}: is not a {kind} file, and would be replaced; "
                    "--plots names a directory"
                )
