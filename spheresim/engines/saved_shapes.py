"""Whether arrays that were saved have the shapes of a scene's."""

from collections.abc import Mapping

import numpy as np


def check_shapes(saved: Mapping[str, np.ndarray], fresh: Mapping[str, np.ndarray]) -> None:
    """ValueError if an array, by name, is missing or of another shape than in `fresh`."""
    for name, array in fresh.items():
        if name not in saved or np.shape(saved[name]) != array.shape:
            raise ValueError(f"it does not fit the scene, which has another {name}")
