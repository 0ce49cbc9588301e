"""Types of arrays, for annotations; docstrings give the shapes."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""An array of numbers."""

Integers: TypeAlias = npt.NDArray[np.int64]
"""An array of whole numbers."""

Booleans: TypeAlias = npt.NDArray[np.bool_]
"""An array of truth values."""

Records: TypeAlias = npt.NDArray[np.void]
"""An array of records, each of several named numbers."""
