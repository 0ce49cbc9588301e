"""Types of arrays, for annotations; docstrings give the shapes."""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""An array of numbers."""

Integers: TypeAlias = npt.NDArray[np.int64]
"""An array of whole numbers."""

Labels: TypeAlias = npt.NDArray[np.int32]
"""An array of numbers of clusters, as SciPy's search for connected components gives them."""

Booleans: TypeAlias = npt.NDArray[np.bool_]
"""An array of truth values."""

Records: TypeAlias = np.recarray
"""An array of records, whose numbers have names: each name gives all of them as an array."""

RowsLike: TypeAlias = npt.ArrayLike | Iterable[npt.ArrayLike]
"""Accepted as rows of numbers in arguments: an array, lists, or what gives row by row."""
