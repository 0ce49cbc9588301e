"""Ctrl-C and SIGTERM that let a run hand over what it has, and finish its files."""

import signal
import threading
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
def interruptible(*signals: int) -> Iterator[Interrupt]:
    """Inside the `with` block, the first of these signals only sets the returned flag.

    By default these are SIGINT and SIGTERM.
    """
    interrupt = Interrupt()
    signals = signals or (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, interrupt.ask) for number in signals]
    try:
        yield interrupt
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[Interrupt]:
    """Hold a KeyboardInterrupt back to the end of the `with` block, which must end soon after the
    returned flag is set. A second one is raised at once.

    Python would raise it between any two lines, such as when a kernel has returned and its impacts
    are not handed over. Where Ctrl-C does something else, and in threads, nothing is held back.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield Interrupt()
        return
    with interruptible(signal.SIGINT) as interrupt:
        yield interrupt
    if interrupt():
        raise KeyboardInterrupt
