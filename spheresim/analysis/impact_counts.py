"""Impacts counted by pairs of kinds of balls, and by obstacles; with histograms of a column."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.analysis.bins import column_of, edges_of
from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.numerics.arrays import Integers

COUNTED = ("t", "x", "y", "z", "nx", "ny", "nz", "vn_before", "vn_after", "impulse")
"""The columns of which there may be histograms: those of `Impacts.numbers`."""

Pair = tuple[Any, Any]


class Count(NamedTuple):
    """The counts of one pair of `ImpactCounts`.

    impacts: the number of impacts; impulse: the sum of their impulses along the normals
    [mass·length/time]; histogram: (b,), the number of impacts in each bin.
    """

    impacts: int
    impulse: float
    histogram: Any


class ImpactCounts(Mapping[Pair, Count]):
    """Counts of impacts, as a mapping from pairs to `Count`.

    A pair is two kinds of balls, in either order, or a kind and the name of an obstacle. kinds:
    (n,), the kind of each ball, such as a text or a number; None: all are "ball". of: a column of
    the table of impacts; its values are counted in `histogram`. bins: (b + 1,), the edges of the
    bins; the last bin includes both of its edges.

    >>> counts = ImpactCounts(["light", "heavy"], ["floor"])
    >>> [" + ".join(pair) for pair in counts]
    ['light + light', 'light + heavy', 'heavy + heavy', 'light + floor', 'heavy + floor']
    """

    def __init__(
        self,
        kinds: Sequence[Any] | None,
        obstacles: Sequence[str],
        of: str | None = None,
        bins: npt.ArrayLike | None = None,
    ) -> None:
        names = ["ball"] if kinds is None else list(dict.fromkeys(kinds))
        if shared := [name for name in names if name in obstacles]:
            raise ValueError(f"a kind of balls must not be named as an obstacle is, {shared[0]!r}")
        self._code = None if kinds is None else np.array([names.index(k) for k in kinds])
        self._kinds = len(names)
        self._column = column_of(of, bins, COUNTED)
        self.edges = edges_of(bins)
        pairs = [(a, b) for k, b in enumerate(names) for a in names[: k + 1]]
        pairs += [(a, obstacle) for obstacle in obstacles for a in names]
        self._row = {pair: k for k, pair in enumerate(pairs)}
        self.clear()

    def clear(self) -> None:
        """Set all counts to 0, for example after a gas has reached equilibrium."""
        self._impacts = np.zeros(len(self._row), dtype=np.int64)
        self._impulse = np.zeros(len(self._row))
        self._histogram = np.zeros((len(self._row), max(len(self.edges) - 1, 0)), dtype=np.int64)

    def save(self) -> dict[str, Any]:
        """What it takes to count on: arrays by name."""
        return {
            "impacts": self._impacts,
            "impulse": self._impulse,
            "histogram": self._histogram,
        }

    def figures(self) -> dict[str, Any]:
        """For `run.json`."""
        rows = [
            {"of": list(pair), "impacts": count.impacts, "impulse": count.impulse}
            | ({"histogram": count.histogram.tolist()} if len(self.edges) else {})
            for pair, count in self.items()
        ]
        return {"pairs": rows, **({"bins": self.edges.tolist()} if len(self.edges) else {})}

    def add(self, batch: Impacts) -> None:
        """Count a batch of impacts; other rows, such as balls that come to rest, count nothing."""
        is_impact = (batch.kind == BALL) | (batch.kind == OBSTACLE)
        batch = batch.taken(is_impact)
        row = self._rows_of(batch)
        size = len(self._row)
        self._impacts += np.bincount(row, minlength=size)
        self._impulse += np.bincount(row, batch.impulse, minlength=size)
        if self._column is not None:
            value = batch.numbers[:, self._column]
            place = np.searchsorted(self.edges, value, side="right") - 1
            place[value == self.edges[-1]] -= 1
            inside = (place >= 0) & (place < len(self.edges) - 1)
            np.add.at(self._histogram, (row[inside], place[inside]), 1)

    def _rows_of(self, batch: Impacts) -> Integers:
        """The row of the pair of each impact."""
        is_ball, other = batch.kind == BALL, batch.other
        a, b = np.zeros((2, len(other)), dtype=np.int64)
        if self._code is not None:
            a = self._code[batch.i]
            b = self._code[np.where(is_ball, other, 0)]
        low, high = np.minimum(a, b), np.maximum(a, b)
        first_of_obstacles = self._kinds * (self._kinds + 1) // 2
        on_obstacle = first_of_obstacles + other * self._kinds + a
        return np.where(is_ball, high * (high + 1) // 2 + low, on_obstacle)

    @property
    def balls(self) -> int | None:
        """The number of balls of which the kinds are known; None if it does not matter."""
        return None if self._code is None else len(self._code)

    def __getitem__(self, pair: Pair) -> Count:
        row = self._row.get(pair)
        if row is None and isinstance(pair, tuple):
            row = self._row.get(pair[::-1])
        if row is None:
            names = ", ".join(repr(name) for name in dict.fromkeys(chain.from_iterable(self._row)))
            raise KeyError(
                f"a pair must be two kinds, or a kind and an obstacle, of {names}, not {pair!r}"
            )
        return Count(
            int(self._impacts[row]), float(self._impulse[row]), self._histogram[row].copy()
        )

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._row)

    def __len__(self) -> int:
        return len(self._row)

    def __repr__(self) -> str:
        lines = (
            f"{a} and {b}: {n} impacts, impulses of {impulse:.6g} in all"
            for (a, b), (n, impulse, _) in self.items()
        )
        return "\n".join(lines)
