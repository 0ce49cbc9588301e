"""Answers are views of rows: of one row, or of as many as were asked for."""

from typing import Any

import numpy as np


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
        names = [name for name, kind in vars(type(self)).items() if isinstance(kind, property)]
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{type(self).__name__}({fields})"
