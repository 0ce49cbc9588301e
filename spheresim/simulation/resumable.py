"""Whether a checkpoint fits a simulation: its engine, and its scene's counts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spheresim.engines.saved_shapes import check_shapes
from spheresim.numerics.arguments import shown


def check_resumable(saved: Any, engine: str, counted: Mapping[str, np.ndarray]) -> None:
    """TypeError or ValueError if something is no checkpoint, or one of another engine or scene.

    counted: the arrays of the scene's counts by name. Engines check their own arrays.
    """
    expected = "saved must be a result of checkpoint, a dict of arrays by name"
    if not isinstance(saved, Mapping):
        raise TypeError(f"{expected}, not {shown(saved)}")
    if "engine" not in saved:
        given = ", ".join(map(str, list(saved)[:3])) or "none"
        raise ValueError(f"{expected}, and this one names no engine, but has {shown(given)}")
    if str(saved["engine"]) != engine:
        raise ValueError(
            f'saved must be a checkpoint of the engine "{engine}", as this simulation has, not of '
            f'the engine "{saved["engine"]}"'
        )
    check_shapes(saved, counted)
