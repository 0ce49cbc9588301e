"""Values from Python as a scene file has them: lists, and Python's own numbers."""

from typing import Any

import numpy as np


def as_in_file(value: object) -> Any:
    """A value as a scene file has it: arrays and tuples as lists, numpy's numbers as plain ones."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {name: as_in_file(inner) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return [as_in_file(inner) for inner in value]
    return value
