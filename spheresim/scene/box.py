"""The box of a scene: its size, from the file or from how full it is to be."""

import math
from collections.abc import Mapping

from spheresim.scene.faults import Faults
from spheresim.scene.model import BoxTable, FillTable
from spheresim.state import Box
from spheresim.vector import TVector


def resolve_box(
    table: BoxTable | None, fills: Mapping[int, FillTable], faults: Faults
) -> Box | None:
    """The box, or None in open space or if something is wrong with it."""
    giving = {k: fill for k, fill in fills.items() if fill.packing_fraction is not None}
    if table is None:
        for index, fill in giving.items():
            faults.add(
                f"fill[{index}].packing_fraction",
                f"is {fill.packing_fraction!r}, but there is no [box] that it could size",
            )
        return None
    size = _size(table, giving, faults)
    return None if size is None else Box(table.low, size, table.periodic)


def _size(table: BoxTable, giving: Mapping[int, FillTable], faults: Faults) -> TVector | None:
    if table.size is not None:
        for index, fill in giving.items():
            faults.add(
                f"fill[{index}].packing_fraction",
                f"is {fill.packing_fraction!r}, but box.size is given too, {table.size!r}: "
                "expected is one of the two",
            )
        return TVector(table.size)
    if len(giving) != 1:
        faults.add(
            "box.size",
            "is missing, expected are three lengths, or one fill with a packing_fraction"
            + (f", not {len(giving)} of them" if giving else ""),
        )
        return None
    ((index, fill),) = giving.items()
    smallest, largest = fill.radius
    if smallest != largest:
        faults.add(
            f"fill[{index}].packing_fraction",
            f"sizes the box only with one radius, not with {fill.radius!r}; give box.size",
        )
        return None
    assert fill.packing_fraction is not None
    volume = fill.count * 4.0 / 3.0 * math.pi * largest**3 / fill.packing_fraction
    side = volume ** (1.0 / 3.0)
    return TVector(side, side, side)
