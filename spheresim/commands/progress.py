"""The progress bar of a run, on a terminal."""

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


def time_progress(stderr: Console) -> Progress:
    """A bar of simulated time, with the time left; it disappears at the end, and is off in logs."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("t = {task.completed:.6g} of {task.total:.6g}"),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal or stderr.quiet,
    )
