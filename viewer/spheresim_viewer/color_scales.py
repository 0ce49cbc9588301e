"""Where the scales of speeds and energies end: as the start says, so they stand still."""

import numpy as np

from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector
from spheresim_viewer.coloring import rounded_up
from spheresim_viewer.stage.stage import Stage

_THERMAL = 1.9
"""Speeds of a gas in equilibrium, in root mean squares, that hardly any ball exceeds."""


def scale_ends(velocity: Floats, mass: Floats, gravity: TVector, stage: Stage) -> dict[str, float]:
    """The ends of scales: what balls have at the start, and gain by falling half of the stage.

    velocity, mass: of all balls at the start, (n, 3) and (n,); round numbers by mode.
    """
    start = lengths(velocity)
    fall = float(np.abs(np.array(gravity)) @ (stage.high - stage.low))
    energies = 0.5 * mass * (start**2 + fall)
    fastest = (robust_largest(start) ** 2 + fall) ** 0.5
    if len(start) > 20:  # in the end energies are shared
        fastest = (_THERMAL**2 * float(np.mean(start**2)) + fall) ** 0.5
    ends = {"speed": fastest, "energy": robust_largest(energies)}
    return {mode: rounded_up(end) for mode, end in ends.items()}


def robust_largest(values: Floats) -> float:
    """The largest value, or the 99th percentile: one fast ball shall not turn all others dark."""
    if len(values) == 0:
        return 0.0
    return float(np.percentile(values, 99.0)) if len(values) > 100 else float(values.max())


def lengths(vectors: Floats) -> Floats:
    """The lengths of vectors (n, 3): (n,)."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
