"""The box of a scene: its size is given, or follows from a packing fraction."""

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from spheresim.model.state import Box
from spheresim.numerics.vector import TVector
from spheresim.scene.faults import Faults
from spheresim.scene.fill.properties import radii_of, seed_of, volume_of
from spheresim.scene.schema.balls import FillTable
from spheresim.scene.schema.scene import BoxTable


def resolve_box(
    table: BoxTable | None,
    kinds: Mapping[str, Mapping[int, Any]],
    faults: Faults,
    unsound: AbstractSet[str] = frozenset(),
) -> Box | None:
    """The box; None in open space, or if there is a fault in it.

    kinds: the tables of balls, fills and ball files, by their indices; unsound: the kinds of
    tables of which faults have been reported, and which are not all in `kinds`.
    """
    fills: Mapping[int, FillTable] = kinds["fill"]
    giving = {k: fill for k, fill in fills.items() if fill.packing_fraction is not None}
    if table is None:
        for index, fill in giving.items():
            faults.add(
                f"fill[{index}].packing_fraction",
                f"is {fill.packing_fraction!r}, but there is no [box] that it could size",
            )
        return None
    if table.size is None and not giving and "fill" in unsound:
        return None  # the fill that is left out may have given the size
    size = _size(table, giving, kinds, faults)
    if table.shear_rate != 0.0 and not all(table.periodic[:2]):
        faults.add(
            "box.shear_rate",
            f"is {table.shear_rate!r}, expected is 0 in a box that is not periodic along x and y, "
            f"and periodic is {table.periodic}",
        )
        return None
    return None if size is None else Box(table.low, size, table.periodic, table.shear_rate)


def _size(
    table: BoxTable,
    giving: Mapping[int, FillTable],
    kinds: Mapping[str, Mapping[int, Any]],
    faults: Faults,
) -> TVector | None:
    """The box's lengths, or None if they do not follow from the file."""
    # A given size, which no packing fraction may contradict.
    if table.size is not None:
        for index, fill in giving.items():
            faults.add(
                f"fill[{index}].packing_fraction",
                f"is {fill.packing_fraction!r}, but box.size is given too, {table.size!r}: "
                "expected is one of the two",
            )
        return TVector(table.size)
    # Else a packing fraction.
    if not giving:
        faults.add(
            "box.size",
            "is missing, expected are three lengths, or one fill with a packing_fraction",
        )
        return None
    return _cube_of(giving, kinds, faults)


def _cube_of(
    giving: Mapping[int, FillTable], kinds: Mapping[str, Mapping[int, Any]], faults: Faults
) -> TVector | None:
    """The cube of which all balls take up the packing fraction that fills give, if it can be."""
    (first, fill), *others = giving.items()
    for index, other in others:
        if other.packing_fraction != fill.packing_fraction:
            faults.add(
                f"fill[{index}].packing_fraction",
                f"must be {fill.packing_fraction!r}, that of fill[{first}], for it is of all balls "
                f"together, not {other.packing_fraction!r}",
            )
    if kinds["ball_file"]:
        faults.add(
            f"fill[{first}].packing_fraction",
            "sizes the box only where no balls are from a [[ball_file]]; give box.size",
        )
        return None
    assert fill.packing_fraction is not None
    side = (_volume(kinds) / fill.packing_fraction) ** (1.0 / 3.0)
    return TVector(side, side, side)


def _volume(kinds: Mapping[str, Mapping[int, Any]]) -> float:
    """The volume of all balls, those of fills with the radii that they will get."""
    volume = 0.0
    for index, fill in kinds["fill"].items():
        smallest, largest = fill.radius
        if smallest == largest:
            volume += fill.count * 4.0 / 3.0 * math.pi * largest**3
        else:
            volume += float(volume_of(radii_of(fill, seed_of(fill, index))).sum())
    return volume + sum(float(volume_of(ball.radius)) for ball in kinds["ball"].values())
