"""How a command ends."""

DONE, FAULT, STUCK, INTERRUPTED = 0, 2, 4, 130
