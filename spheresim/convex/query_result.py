"""Answers are views of rows: of one row, or of as many as were asked for."""

from typing import Any

import numpy as np

ENTER, LEAVE = 0, 1
"""Columns of a `Sweep`."""


class Answers:
    """The numbers of one answer, shape (columns,), or of many, shape (n, columns)."""

    __slots__ = ("rows",)

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    def column(self, which: int) -> Any:
        """One number of each answer: a number, or shape (n,)."""
        return self.rows[which] if self.rows.ndim == 1 else self.rows[:, which]

    def vector(self, first: int) -> np.ndarray:
        """Three numbers of each answer: shape (3,) or (n, 3)."""
        rows = self.rows
        return rows[first : first + 3] if rows.ndim == 1 else rows[:, first : first + 3]

    def __len__(self) -> int:
        if self.rows.ndim == 1:
            raise TypeError("one answer has no length")
        return len(self.rows)

    def __repr__(self) -> str:
        kinds = [pair for base in reversed(type(self).__mro__) for pair in vars(base).items()]
        names = [name for name, kind in kinds if isinstance(kind, property)]
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{type(self).__name__}({fields})"


class Sweep(Answers):
    """When two bodies that move without turning meet, and part: the first two columns."""

    __slots__ = ()

    @property
    def meets(self) -> Any:
        """Whether the two ever touch, at any time before or after 0."""
        return self.enter <= self.leave

    @property
    def enter(self) -> Any:
        """When they begin to touch; inf if they never do, −inf if they always do."""
        return self.column(ENTER)

    @property
    def leave(self) -> Any:
        """When they cease to touch; inf if they stay, −inf if they never touch."""
        return self.column(LEAVE)
