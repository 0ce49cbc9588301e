"""`python -m spheresim`, and `spheresim`: a way in that Ctrl-C ends from its first moment on."""

import atexit
import gc
import os
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

from spheresim.commands.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SOON = 0.05
"""Seconds until an interruption that Python has dropped comes again."""


def main() -> None:
    """Run the command line; an interruption while it is still being imported is quiet."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler:  # where a shell lets it be ignored, it is
        _run()
        return
    signal.signal(signal.SIGINT, _leave)
    _run()


def _run() -> None:
    # Imports make hundreds of thousands of objects that stay: to look again and again for some
    # that can go would take a tenth of the time of a short run.
    gc.set_threshold(100_000, 50, 100)
    # At the end Python looks through all of them once more, for a quarter of a second or more:
    # it frees memory that the operating system takes back anyway. What is open is closed all the
    # same.
    atexit.register(gc.freeze)
    from spheresim.cli import main as run_command_line

    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # it ends no file in its middle, either
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.unraisablehook = interrupt_again
    run_command_line()


def interrupt_again(unraisable: "UnraisableHookArgs") -> None:
    """Python prints and drops an interruption that comes in a finalizer, or in a callback of the
    compiler: let it come again, when that is over."""
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
        return
    from _thread import interrupt_main
    from threading import Timer

    again = Timer(SOON, interrupt_main)
    again.daemon = True
    again.start()


def _leave(_signal: int, _frame: FrameType | None) -> None:
    # At once: half-imported modules would turn an exception into others of their own.
    print("interrupted", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
