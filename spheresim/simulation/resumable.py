"""Whether a checkpoint fits a simulation: its engine, and its scene's counts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.numerics.arguments import shown


def check_resumable(saved: Any, engine: str, counted: Mapping[str, np.ndarray]) -> None:
    """TypeError or ValueError if something is no checkpoint, or one of another engine or scene.

    counted: the arrays of the scene's counts by name. Engines check their own arrays.
    """
    expected = "saved must be a result of checkpoint, a dict of arrays by name"
    if not isinstance(saved, Mapping):
        raise TypeError(f"{expected}, not {shown(saved)}")
    made_by = [name for name, kind in ENGINE_KINDS.items() if kind.saves in saved]
    if len(made_by) != 1 or "time" not in saved:
        given = ", ".join(map(str, list(saved)[:3])) or "none"
        raise ValueError(f"{expected}, and the names in this one are no engine's: {shown(given)}")
    if made_by != [engine]:
        raise ValueError(
            f'saved must be a checkpoint of the engine "{engine}", as this simulation has, not of '
            f'the engine "{made_by[0]}"'
        )
    for name, array in counted.items():
        if name not in saved or np.shape(saved[name]) != array.shape:
            raise ValueError(f"it does not fit the scene, which has another {name}")
