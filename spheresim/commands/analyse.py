"""`spheresim analyse`: figures of a finished run, and plots of them."""

import importlib.util
from pathlib import Path

from spheresim.analysis.everything import analyse
from spheresim.commands.exit_codes import DONE
from spheresim.record.layout import RunError
from spheresim.record.load import Run
from spheresim.scene.faults import one_line


def analyse_run(source: Path, plots: Path | None) -> int:
    """Measure a run, print its figures, and write the plots; the exit code."""
    if plots is not None and importlib.util.find_spec("matplotlib") is None:
        raise RunError("--plots needs matplotlib: pip install 'spheresim[plot]'")
    run = Run.load(source)
    analysis = analyse(run)
    for name, value in analysis.figures().items():
        print(f"{name:<29} {value}")
    for name, reason in analysis.missing.items():
        print(f"{name:<29} not measured: {reason}")
    if plots is not None:
        from spheresim.analysis.plots import save_plots

        paths = save_plots(analysis, plots, f"{run.scene.title} ({len(run.balls)} balls)")
        print(f"\n{len(paths)} files written to {one_line(plots)}")
    return DONE
