"""How far a run has come: a bar for those who look at a terminal."""

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


def time_progress(stderr: Console) -> Progress:
    """A bar over simulated time with the time left; gone at the end, and no bar in a log."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("t = {task.completed:.6g} of {task.total:.6g}"),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal or stderr.quiet,
    )
