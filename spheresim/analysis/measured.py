"""Measured values and curves, and their standard errors from blocks."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats, Integers

MOST_BLOCKS = 32
"""Blocks into which data are cut at the most, to take the error from the scatter of their means."""

FEWEST_BLOCKS = 4
"""With fewer blocks the scatter of their means says nothing of the error."""


class Measured(NamedTuple):
    """A measured value.

    error: its standard error, None if there are too few data; unit: in powers of the user's units,
    such as "length²/time", "1" for a pure number; published: the value of theory or of published
    simulations, None if there is none.
    """

    value: float
    error: float | None
    unit: str = "1"
    published: float | None = None

    def __str__(self) -> str:
        text = f"{self.value:.6g}"
        text += "" if self.error is None else f" ± {self.error:.2g}"
        text += "" if self.unit == "1" else f" {self.unit}"
        return text + ("" if self.published is None else f", published {self.published:.6g}")


class Curve(NamedTuple):
    """Measured values over a variable: x, value and standard error, each (m,).

    `error` is None if there are too few data; `published` has the values of theory at the same x,
    None if there are none.
    """

    x: Floats
    value: Floats
    error: Floats | None
    published: Floats | None = None

    def taken(self, which: Booleans) -> "Curve":
        """Some of its points."""
        return Curve(
            self.x[which],
            self.value[which],
            None if self.error is None else self.error[which],
            None if self.published is None else self.published[which],
        )


def block_count(n: int) -> int:
    """Into how many blocks n things are cut; 1 if there are too few for an error."""
    return min(MOST_BLOCKS, n) if n >= FEWEST_BLOCKS else 1


def block_edges(n: int) -> Integers | None:
    """Where to cut n things that follow each other into blocks; None if there are too few.

    H. Flyvbjerg and H. G. Petersen, Error estimates on averages of correlated data, Journal
    of Chemical Physics 91, 461 (1989): long blocks are all but independent of each other.
    """
    blocks = block_count(n)
    if blocks == 1:
        return None
    return np.linspace(0, n, blocks + 1).astype(int)


def standard_error(means: Floats, shares: Floats | None = None) -> Any:
    """The standard error of the mean of independent means (m, …), along the first axis.

    shares: (m,), for means (m,): the time or number that each is a mean over; by default all are
    equal. It is the error of a ratio of two sums: W. G. Cochran, Sampling Techniques, 1977, 6.4.
    """
    if shares is None:
        return np.std(means, axis=0, ddof=1) / np.sqrt(len(means))
    m, weights = len(means), shares / shares.sum()
    off = weights * (means - weights @ means)
    return np.sqrt(m / (m - 1.0) * (off**2).sum())


def averaged(samples: Floats) -> tuple[Any, Any]:
    """The mean of samples (m, …) that follow each other, and its standard error or None."""
    edges = block_edges(len(samples))
    if edges is None:
        return np.mean(samples, axis=0), None
    sums = np.add.reduceat(samples, edges[:-1], axis=0)
    counts = np.diff(edges).reshape(-1, *[1] * (np.ndim(samples) - 1))
    return np.mean(samples, axis=0), standard_error(sums / counts)
