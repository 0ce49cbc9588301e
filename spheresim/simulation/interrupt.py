"""Ctrl-C and SIGTERM that let a run hand over what it has, and finish its files."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from spheresim.compiler.compile_time import is_compiling


class Interrupt:
    """Returns, when called, whether the user has asked for an end."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    def ask(self, _signal: int, _frame: FrameType | None) -> None:
        """Handle a signal: note the first; raise KeyboardInterrupt at the second."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Inside the `with` block, the first SIGINT or SIGTERM only sets the returned flag."""
    interrupt = Interrupt()
    with _handling(interrupt, signal.SIGINT, signal.SIGTERM):
        yield interrupt


class _HeldBack(Interrupt):
    """An interrupt that waits for the end of a batch of impacts, but not for the compiler."""

    def ask(self, _signal: int, _frame: FrameType | None) -> None:
        """Note the first signal; raise KeyboardInterrupt at the second, and while a kernel is
        compiled."""
        if is_compiling():
            self.asked = True
        super().ask(_signal, _frame)


@contextmanager
def held_back() -> Iterator[Interrupt]:
    """Hold a KeyboardInterrupt back to the end of the `with` block, which must end soon after the
    returned flag is set. A second one is raised at once, and so is one while a kernel is compiled.

    Python would raise it between any two lines, such as when a kernel has returned and its impacts
    are not handed over. Where Ctrl-C does something else, and in threads, nothing is held back. A
    block inside another one, of a simulation that an observer runs, has the flag of the outer one.
    """
    handler = signal.getsignal(signal.SIGINT)
    outer = getattr(handler, "__self__", None)
    is_main = threading.current_thread() is threading.main_thread()
    if isinstance(outer, _HeldBack) and is_main:
        with _raised_at_the_end(outer):
            yield outer
    elif is_main and handler is signal.default_int_handler:
        interrupt = _HeldBack()
        with _handling(interrupt, signal.SIGINT), _raised_at_the_end(interrupt):
            yield interrupt
    else:
        yield Interrupt()


@contextmanager
def _raised_at_the_end(interrupt: Interrupt) -> Iterator[None]:
    try:
        yield
    finally:
        if interrupt():
            raise KeyboardInterrupt


@contextmanager
def _handling(interrupt: Interrupt, *signals: int) -> Iterator[None]:
    before = [signal.signal(number, interrupt.ask) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
