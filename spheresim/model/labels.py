"""Texts for many balls, names or colors, of which few differ or most are a number."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

_NONE = -1
_FIRST = -2
"""The code of `ball 0`; that of `ball 1` is one less, and so on."""

_NUMBERED = re.compile(r"ball (0|[1-9][0-9]{0,8})")


class Labels(Sequence[str | None]):
    """A text or None for each of n things, immutable; a slice is `Labels` again.

    code: (n,), an index into `table`, -1 for None, or -2 - k for the name `ball k`, which so
    needs no string; table: the other texts, each once. Equal texts have equal codes.

    >>> Labels.of(["red", None, "ball 7", "red"]).code
    array([ 0, -1, -9,  0], dtype=int32)
    """

    __slots__ = ("code", "table")

    def __init__(self, code: Any, table: tuple[str, ...] = ()) -> None:
        self.code = code
        self.table = table

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> "Labels":
        """One for each of the texts; an empty one is None."""
        texts = list(texts)
        n = len(texts)
        if _are_numbered(texts):  # as a run writes them
            return cls(_FIRST - np.arange(n, dtype=np.int32))
        for text in {type(text): text for text in texts}.values():  # one of each kind
            if not isinstance(text, str | None):
                raise TypeError(f"a name or a color must be a text, not {text!r}")
        codes: dict[str | None, int] = {None: _NONE, "": _NONE}
        table: list[str] = []
        for text in dict.fromkeys(texts):
            if not text:
                continue
            if found := _NUMBERED.fullmatch(text):
                codes[text] = _FIRST - int(found[1])
            else:
                codes[text] = len(table)
                table.append(text)
        code = np.fromiter(map(codes.__getitem__, texts), dtype=np.int32, count=n)
        return cls(code, tuple(table))

    @classmethod
    def same(cls, text: str | None, n: int) -> "Labels":
        """The same for each of n."""
        one = cls.of([text])
        return cls(np.full(n, one.code[0]), one.table)

    @classmethod
    def joined(cls, parts: Sequence["Labels"]) -> "Labels":
        """One after another."""
        places: dict[str, int] = {}
        codes = [np.zeros(0, dtype=np.int32)]
        for part in parts:
            place = [places.setdefault(text, len(places)) for text in part.table]
            code = part.code.copy()
            given = code >= 0
            code[given] = np.array(place, dtype=np.int32)[code[given]]
            codes.append(code)
        return cls(np.concatenate(codes), tuple(places))

    def numbered(self) -> "Labels":
        """`ball k` in place of None, counted by where it stands."""
        none = np.flatnonzero(self.code == _NONE)
        if len(none) == 0:
            return self
        code = self.code.copy()
        code[none] = _FIRST - none
        return Labels(code, self.table)

    def differ(self) -> bool:
        """Whether no two are the same."""
        return bool(np.diff(np.sort(self.code)).all())

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Labels(self.code[index], self.table)
        return self._text(int(self.code[index]))

    def __iter__(self) -> Iterator[str | None]:
        return map(self._text, self.code.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels):
            return NotImplemented
        if self.table == other.table:
            return np.array_equal(self.code, other.code)
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} labels>"

    def _text(self, code: int) -> str | None:
        if code >= 0:
            return self.table[code]
        return None if code == _NONE else f"ball {_FIRST - code}"


def _are_numbered(texts: list[str | None]) -> bool:
    """Whether they are `ball 0`, `ball 1`, … in this order, which the last tells at once if not."""
    n = len(texts)
    return texts[-1:] == [f"ball {n - 1}"] and texts == [f"ball {k}" for k in range(n)]
