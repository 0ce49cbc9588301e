"""Names or colors of many balls, stored as small codes, since few differ or most are `ball k`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Integers

_NO_TEXT = -1
"""The code of None."""

_BALL_0 = -2
"""The code of `ball 0`; that of `ball k` is smaller by k."""

_NUMBERED = re.compile(r"ball (0|[1-9][0-9]{0,8})")


def numbered_name(kind: str, k: int) -> str:
    """The name of what was given none: its kind and its number among its kind, from 0.

    >>> numbered_name("plane", 1)
    'plane 1'
    """
    return f"{kind} {k}"


class Labels(Sequence[str | None]):
    """A text or None for each of n things, immutable; a slice is `Labels` again.

    code: (n,), an index into `table`, -1 for None, or -2 - k for the name `ball k`, which
    needs no string then; table: the other texts, each once. Equal texts have equal codes.

    >>> Labels.of(["red", None, "ball 7", "red"]).code
    array([ 0, -1, -9,  0], dtype=int32)
    """

    __slots__ = ("code", "table")

    def __init__(self, code: npt.NDArray[np.int32], table: tuple[str, ...] = ()) -> None:
        self.code = code
        self.table = table

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> "Labels":
        """A label for each text; an empty text becomes None. TypeError for what is no text."""
        texts = list(texts)
        n = len(texts)
        if _are_numbered(texts):  # as a run writes them
            return cls(_BALL_0 - np.arange(n, dtype=np.int32))
        for text in {type(text): text for text in texts}.values():  # one of each type
            if not isinstance(text, str | None):
                raise TypeError(f"a name or a color must be a text, not {text!r}")
        codes: dict[str | None, int] = {None: _NO_TEXT, "": _NO_TEXT}
        table: list[str] = []
        for text in dict.fromkeys(texts):
            if not text:
                continue
            if found := _NUMBERED.fullmatch(text):
                codes[text] = _BALL_0 - int(found[1])
            else:
                codes[text] = len(table)
                table.append(text)
        code = np.fromiter(map(codes.__getitem__, texts), dtype=np.int32, count=n)
        return cls(code, tuple(table))

    @classmethod
    def same(cls, text: str | None, n: int) -> "Labels":
        """The same text for each of n things."""
        one = cls.of([text])
        return cls(np.full(n, one.code[0]), one.table)

    @classmethod
    def joined(cls, parts: Sequence["Labels"]) -> "Labels":
        """The labels of all parts, one part after another."""
        merged: dict[str, int] = {}
        codes = [np.zeros(0, dtype=np.int32)]
        for part in parts:
            new_code = [merged.setdefault(text, len(merged)) for text in part.table]
            code = part.code.copy()
            in_table = code >= 0
            code[in_table] = np.array(new_code, dtype=np.int32)[code[in_table]]
            codes.append(code)
        return cls(np.concatenate(codes), tuple(merged))

    def numbered(self) -> "Labels":
        """The same labels with `ball k`, k the index, in place of each None."""
        none = np.flatnonzero(self.code == _NO_TEXT)
        if len(none) == 0:
            return self
        code = self.code.copy()
        code[none] = _BALL_0 - none
        return Labels(code, self.table)

    def has_any(self) -> bool:
        """Whether there is any text."""
        return bool((self.code != _NO_TEXT).any())

    def taken(self, indices: Integers) -> "Labels":
        """The labels with these indices, (m,)."""
        return Labels(self.code[indices], self.table)

    def differ(self) -> bool:
        """Whether no two labels are equal."""
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
        return None if code == _NO_TEXT else numbered_name("ball", _BALL_0 - code)


def refuse_equal_names(names: Labels, kind: str) -> None:
    """ValueError if two things of a kind, such as "ball", have the same name; None is no name."""
    if names.taken(np.flatnonzero(names.code != _NO_TEXT)).differ():
        return
    first: dict[str, int] = {}
    for k, name in enumerate(names):
        if name is not None and first.setdefault(name, k) != k:
            raise ValueError(
                f"the names of {kind}s must differ, but {kind}s {first[name]} and {k} are both "
                f"named {name!r}"
            )


def freely_numbered(names: Labels) -> Labels:
    """The same labels with `ball k` in place of each None, k the index or the next free number.

    >>> list(freely_numbered(Labels.of(["ball 1", None, None])))
    ['ball 1', 'ball 2', 'ball 3']
    """
    numbered = names.numbered()
    if numbered.differ():
        return numbered
    texts, free = list(names), 0
    taken = set(texts)
    for index, text in enumerate(texts):
        if text is None:
            free = max(free, index)
            while numbered_name("ball", free) in taken:
                free += 1
            texts[index] = numbered_name("ball", free)
            free += 1
    return Labels.of(texts)


def _are_numbered(texts: list[str | None]) -> bool:
    """Whether the texts are `ball 0`, `ball 1`, … in this order; the last one mostly decides."""
    n = len(texts)
    if texts[-1:] != [numbered_name("ball", n - 1)]:
        return False
    return texts == [numbered_name("ball", k) for k in range(n)]
