"""What is wrong with the value of an option, said as faults of scenes are: expected, and given."""

from typing import Any

_EXPECTED = {
    "float_parsing": "a number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
}
"""What typer's converter, pydantic, expects where it finds such an error."""

_CHOICE = " is not one of "


def clarify(fault: BaseException) -> None:
    """Word the message of a usage error anew if it says neither what was given nor what is right.

    A usage error is of typer, or of click, by typer's version; what caused it has pydantic's
    `errors`. Others stay as they are.
    """
    errors = getattr(fault.__cause__, "errors", None)
    if errors is None or not hasattr(fault, "message"):
        return
    error: dict[str, Any] = errors()[0]
    kind, message, given = error["type"], str(error["msg"]), error["input"]
    if kind in _EXPECTED:
        fault.message = f"must be {_EXPECTED[kind].format(**error.get('ctx', {}))}, not {given!r}"
    elif _CHOICE in message:
        choices = message.split(_CHOICE)[1].rstrip(".").replace("'", "")
        fault.message = f"must be one of {choices}, not {given!r}"
