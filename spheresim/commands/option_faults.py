"""Messages for wrong values of options, worded like those for scenes: expected, and given."""

from typing import Any

_EXPECTED = {
    "float_parsing": "a number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
}
"""What was expected, by the error of pydantic, which converts the words for typer."""

_CHOICE = " is not one of "


def clarify(fault: BaseException) -> None:
    """Replace the message of a usage error by one with the expected and the given value.

    The error is one of typer or of click, depending on typer's version; its cause has pydantic's
    `errors`. Other errors are not changed.
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
