"""How a command ends."""

DONE, FAULT, INTERRUPTED = 0, 2, 130
