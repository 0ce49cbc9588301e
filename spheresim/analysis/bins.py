"""The words of a histogram: of what, and the edges of its bins."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats


def column_of(of: str | None, bins: npt.ArrayLike | None, counted: Sequence[str]) -> int | None:
    """The place of what is counted among what may be; None without a histogram.

    ValueError or TypeError for what may not be, or if only one of the two is given.
    """
    if (of is None) != (bins is None):
        raise TypeError("a histogram needs both of, a column, and bins, its edges")
    if of is None:
        return None
    if of not in counted:
        raise ValueError(f"of must be one of {', '.join(counted)}, not {of!r}")
    return list(counted).index(of)


def edges_of(bins: npt.ArrayLike | None) -> Floats:
    """Edges of bins, (b + 1,); none without bins. ValueError unless they increase."""
    edges = np.array([] if bins is None else bins, dtype=float)
    is_sound = bins is None or (edges.ndim == 1 and len(edges) > 1 and (np.diff(edges) > 0.0).all())
    if not (is_sound and np.isfinite(edges).all()):
        raise ValueError(f"bins must be two or more edges that increase, not {bins!r}")
    return edges
