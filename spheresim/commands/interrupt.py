"""Ctrl-C and SIGTERM that let a run finish its files."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, interrupt.ask) for number in signals]
    try:
        yield interrupt
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
