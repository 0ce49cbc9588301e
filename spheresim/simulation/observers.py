"""Observers of a simulation: they are given its impacts as they come."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from spheresim.analysis.crossings import Crossings
from spheresim.collision.impacts import Impacts, impact_table
from spheresim.numerics.arguments import shown
from spheresim.numerics.arrays import Records

Where = str | Callable[[Records], npt.ArrayLike]
"""Which impacts: those on an obstacle, by its name, or those that a function marks in a table."""


class TakesImpacts(Protocol):
    """Is given each batch of impacts, in order of time.

    balls: the number of balls for which it was made; None if any number will do.
    """

    @property
    def balls(self) -> int | None: ...

    def add(self, batch: Impacts) -> None:
        """Take a batch over."""


Observer = TakesImpacts | Crossings
"""Crossings follow balls, and are also given the states at which runs begin and end."""


class CalledFunction:
    """Calls a function with tables of impacts, or, with `each`, with their rows one by one."""

    __slots__ = ("_each", "_function", "_names", "_rows", "_where", "balls")

    def __init__(
        self,
        function: Callable[[Records], object],
        names: Sequence[str],
        where: Where | None,
        each: bool,
    ) -> None:
        if not callable(function):
            raise TypeError(f"on_impact needs a function of impacts, not {function!r}")
        if isinstance(where, str) and where not in names:
            known = ", ".join(names) or "none"
            raise ValueError(f"where: there is no obstacle {where!r}; the obstacles are: {known}")
        if not (where is None or isinstance(where, str) or callable(where)):
            raise TypeError(f"where must be an obstacle's name or a function, not {where!r}")
        self._function, self._names = function, names
        self._where, self._each = where, each
        self._rows = 0
        self.balls = None

    def add(self, batch: Impacts) -> None:
        """Call the function, unless the batch has none of its impacts."""
        table = impact_table([batch], self._names, self._rows)
        self._rows += len(table)
        chosen: Any = table
        if isinstance(self._where, str):
            chosen = table[table.obstacle == self._where]
        elif self._where is not None and len(table):
            chosen = table[self._marked(self._where(table), len(table))]
        if self._each:
            for row in chosen:
                self._function(row)
        elif len(chosen):
            self._function(chosen)

    @staticmethod
    def _marked(mask: npt.ArrayLike, count: int) -> np.ndarray:
        """What a function of `where` returned; ValueError unless it is a mask."""
        marked = np.asarray(mask)
        if marked.dtype != bool or marked.shape != (count,):
            raise ValueError(
                f"where must return a mask, True or False for each of {count} impacts, "
                f"not {shown(mask)}"
            )
        return marked
