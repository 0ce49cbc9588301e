"""The number of impacts until any time: exact while they are few, then from a histogram."""

import numpy as np

from spheresim.numerics.arrays import Floats

_EXACT = 100_000
_BINS = 8192


class ImpactCounts:
    """Counts impact times that come in order of time, in bounded memory."""

    def __init__(self, exact: int = _EXACT, bins: int = _BINS) -> None:
        """Keep up to `exact` times; count more than that in `bins` bins, an even number."""
        self._exact = exact
        self._batches: list[Floats] = []
        self._kept = 0
        self._counts = np.zeros(bins, dtype=np.int64)
        self._low = 0.0
        self._width = 0.0

    @property
    def bytes(self) -> int:
        """Approximate memory in use."""
        return self._counts.nbytes + 8 * self._kept + 100 * len(self._batches)

    def add(self, times: Floats) -> None:
        """Add impact times, in order and none earlier than those added before."""
        if len(times) == 0:
            return
        if self._width > 0.0:
            self._count_in_bins(times)
            return
        self._batches.append(times)
        self._kept += len(times)
        if len(self._batches) > 1000:
            self._batches = [np.concatenate(self._batches)]
        if self._kept > self._exact:
            times = np.concatenate(self._batches)
            self._batches, self._kept = [], 0
            self._low = float(times[0])
            self._width = max(float(times[-1]) - self._low, 1e-9) / len(self._counts)
            self._count_in_bins(times)

    def _count_in_bins(self, times: Floats) -> None:
        """Add to the histogram; its bins double in width when a time lies beyond the last one."""
        bins = len(self._counts)
        while times[-1] > self._low + self._width * bins:
            pairs = self._counts[0::2] + self._counts[1::2]
            self._counts = np.concatenate([pairs, np.zeros(bins - len(pairs), dtype=np.int64)])
            self._width *= 2.0
        bin_of = np.minimum((times - self._low) / self._width, bins - 1).astype(np.int64)
        self._counts += np.bincount(bin_of, minlength=bins)

    def count_until(self, times: Floats) -> Floats:
        """The number of impacts at or before each of some times, as floats, shape (m,)."""
        times = np.asarray(times, dtype=np.float64)
        if self._width > 0.0:
            edges = self._low + self._width * np.arange(len(self._counts) + 1)
            totals = np.concatenate([[0], np.cumsum(self._counts)])
            return np.interp(times, edges, totals)
        if len(self._batches) > 1:
            self._batches = [np.concatenate(self._batches)]
        if not self._batches:
            return np.zeros(len(times))
        return np.searchsorted(self._batches[0], times, side="right").astype(np.float64)
