"""The exit codes of commands."""

DONE, FAULT, STUCK, INTERRUPTED = 0, 2, 4, 130
"""Done; a fault of usage, scene or file; the run cannot go on; interrupted, no file incomplete."""
