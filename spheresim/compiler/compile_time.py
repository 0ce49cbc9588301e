"""How long compiling takes, and what is said meanwhile, so that nobody waits in silence."""

import builtins
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event

Say = Callable[[str], object]

_SAMPLE = 25
"""After so many parts it is known how fast this machine compiles. Kernels of fewer take a second
or two, and are not spoken of."""

_TRANSLATION = 1.3
"""The time for a kernel as a multiple of that for its parts: they are translated together last."""


def say_on_terminal(message: str) -> None:
    """Print to stderr where somebody reads along: on a terminal, or in a notebook."""
    if hasattr(builtins, "__IPYTHON__") or (sys.stderr is not None and sys.stderr.isatty()):
        print(f"spheresim: {message}", file=sys.stderr, flush=True)


_sayers: list[Say] = [say_on_terminal]


def say(message: str) -> None:
    """Tell whoever watches, or the terminal."""
    _sayers[-1](message)


class _Compilation:
    """One kernel on its way: `parts` is about how many it has, 0 if that is not known."""

    def __init__(self, label: str, parts: int) -> None:
        self.label = label
        self.parts = parts
        self.made = 0
        self.expected: float | None = None
        self.started = time.perf_counter()

    def note_part(self) -> None:
        """Count a part, and speak when it is known how long the kernel takes."""
        self.made += 1
        if self.made != _SAMPLE:
            return
        about = ""
        if self.parts:
            elapsed = time.perf_counter() - self.started
            self.expected = elapsed / _SAMPLE * self.parts * _TRANSLATION
            about = f": about {max(self.expected, 1.0):.0f} s"
        say(f"compiling {self.label}, once{about}")


_running: _Compilation | None = None


@contextmanager
def compiling(label: str, parts: int) -> Iterator[None]:
    """Count what is made inside the `with` block as parts of a kernel, and of those it calls."""
    global _running  # noqa: PLW0603  threads take turns at the compiler
    if _running is not None:
        yield
        return
    _running = _Compilation(label, parts)
    try:
        yield
    finally:
        _running = None


def note_part() -> None:
    """Count a part of the kernel that is being compiled."""
    if _running is not None:
        _running.note_part()


def is_compiling() -> bool:
    """Whether a kernel is being compiled now."""
    return _running is not None


def expected_seconds() -> float | None:
    """About how long the kernel takes that is being compiled; None while that is not known."""
    return None if _running is None else _running.expected


class CompileTime(event.Listener):  # type: ignore[misc]
    """Measures the seconds spent compiling, or waiting for a process that does."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.since: float | None = None
        """Since when the compiler is at work, by `time.perf_counter`; None if it is not."""
        self._depth = 0

    def on_start(self, event: object) -> None:
        if self._depth == 0:
            self.since = time.perf_counter()
        self._depth += 1

    def on_end(self, event: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self.since is not None:
            self.seconds += time.perf_counter() - self.since
            self.since = None


@contextmanager
def watch_compilation(on_message: Say = lambda _message: None) -> Iterator[CompileTime]:
    """Measure what is compiled inside the `with` block; `on_message` gets what there is to say."""
    listener = CompileTime()
    _sayers.append(on_message)
    try:
        with event.install_listener("numba:compile", listener):
            yield listener
    finally:
        _sayers.remove(on_message)
