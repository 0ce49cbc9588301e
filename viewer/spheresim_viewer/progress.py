"""Progress of what takes long without a window: films, and pictures of late times."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[float], object]
"""Takes how much is done."""


@contextmanager
def progress_bar(words: str, total: float) -> Iterator[Tell]:
    """A bar on stderr, shown where somebody looks at a terminal, and gone at the end.

    total: how much there is to do, in the units in which it is told how much is done.
    """
    if not sys.stderr.isatty() or total <= 0.0:
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=total)
        yield lambda done: bar.update(task, completed=done)
