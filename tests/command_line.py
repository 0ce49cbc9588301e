"""Commands as they are typed, in this process: faults are exceptions, and the end is a code."""

from typing import Any

from spheresim.cli import app


def run(source: object, out: object = "out", **options: Any) -> int:
    """`spheresim run SOURCE --out OUT`, with other options by their names; the exit code."""
    words = ["run", str(source), "--out", str(out), "--quiet"]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        words += [option] if value is True else [option, str(value)]
    code: int = app(words, standalone_mode=False)
    return code
