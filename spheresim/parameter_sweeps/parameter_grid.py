"""What a sweep varies: values by the names of fields, from words or from Python."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from spheresim.numerics.arguments import shown as shown_value
from spheresim.record.files_and_columns import RunError
from spheresim.scene.faults import shown

MOST_RUNS = 10_000_000
"""Runs that one sweep may have."""

_FORM = "KEY=FROM:TO:STEP or KEY=VALUE,VALUE,…"
_WHOLE = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of some fields; those of the last field change fastest.

    >>> grid = Grid({"restitution": (0.5, 1.0), "seed": (1, 2, 3)})
    >>> len(grid), grid.point(4)
    (6, {'restitution': 1.0, 'seed': 2})
    """

    values: Mapping[str, tuple[object, ...]]

    @classmethod
    def of(cls, vary: Mapping[str, Iterable[object]]) -> "Grid":
        """The grid of values that Python iterates over; TypeError or ValueError if it is none."""
        values: dict[str, tuple[object, ...]] = {}
        if not isinstance(vary, Mapping):
            raise TypeError(
                f"vary must be a dict with a list of values for each field, not {shown_value(vary)}"
            )
        for name, many in vary.items():
            if not isinstance(name, str):
                raise TypeError(f"what is varied must be named by a text, not {name!r}")
            if isinstance(many, str) or not isinstance(many, Iterable):
                raise TypeError(f"the values of {name} must be a list of them, not {many!r}")
            values[name] = tuple(map(_plain, many))
            for value in values[name]:
                if not isinstance(value, bool | int | float | str):
                    raise TypeError(
                        f"the values of {name} must be numbers or words, not {shown(value)}; "
                        "a component has a name of its own, such as gravity[1]"
                    )
            if not values[name]:
                raise ValueError(f"{name} must have at least one value")
        if math.prod(map(len, values.values())) > MOST_RUNS:
            raise ValueError(f"a sweep must be of at most {MOST_RUNS:,} runs")
        return cls(values)

    def __len__(self) -> int:
        return math.prod(map(len, self.values.values()))

    def point(self, index: int) -> dict[str, Any]:
        """The values of one combination, by name."""
        point = {}
        for name, many in reversed(list(self.values.items())):
            index, k = divmod(index, len(many))
            point[name] = many[k]
        return {name: point[name] for name in self.values}


def _plain(value: Any) -> object:
    """A value as Python's own: numpy's numbers are not those of a scene file."""
    return value.item() if getattr(value, "ndim", 1) == 0 else value


def grid_from_words(words: Iterable[str]) -> Grid:
    """The grid that `--vary` asks for, once for each field; RunError says what is wrong.

    >>> grid_from_words(["restitution=0.8:1.0:0.1", "seed=1:3"]).values
    {'restitution': (0.8, 0.9, 1.0), 'seed': (1, 2, 3)}
    """
    values: dict[str, tuple[object, ...]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name = name.strip()
        if not equals or not name or not text.strip():
            raise RunError(f"--vary {word}: must be {_FORM}")
        if name in values:
            raise RunError(f"--vary {word}: {name} is varied twice")
        values[name] = _range(word, text) if ":" in text else _list(word, text)
    try:
        return Grid.of(values)
    except ValueError as fault:
        raise RunError(f"--vary: {fault}") from None


def _range(word: str, text: str) -> tuple[float, ...]:
    """FROM, FROM + STEP, … up to TO, which belongs to it; in decimals, as they are written."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) not in (2, 3):
        raise RunError(f"--vary {word}: must be {_FORM}")
    low, high, step = (_number(word, part) for part in (*parts, "1")[:3])
    if step <= 0:
        raise RunError(f"--vary {word}: the step must be greater than 0, not {parts[2]}")
    if high < low:
        raise RunError(f"--vary {word}: {parts[1]} must be no less than {parts[0]}")
    if (high - low) / step >= MOST_RUNS:
        raise RunError(f"--vary {word}: must be at most {MOST_RUNS:,} values")
    are_whole = all(_WHOLE.fullmatch(part) for part in parts)
    steps = range(int((high - low) / step) + 1)
    return tuple((int if are_whole else float)(low + k * step) for k in steps)


def _number(word: str, text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise RunError(f"--vary {word}: {shown(text)} is no number, expected is {_FORM}")
    return number


def _list(word: str, text: str) -> tuple[object, ...]:
    """Values between commas: numbers, or words such as the names of engines."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise RunError(f"--vary {word}: has no value between two commas, expected is {_FORM}")
    if all(part in ("true", "false") for part in parts):
        return tuple(part == "true" for part in parts)
    if not any(_begins_like_a_number(part) for part in parts):
        return tuple(parts)
    numbers = [_number(word, part) for part in parts]
    are_whole = all(_WHOLE.fullmatch(part) for part in parts)
    return tuple(map(int if are_whole else float, numbers))


def _begins_like_a_number(text: str) -> bool:
    return text[0] in "+-.0123456789"
