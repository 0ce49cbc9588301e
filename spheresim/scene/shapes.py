"""Obstacles by their tables in a scene file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spheresim.obstacles.driven_walls.motions import MOTIONS, Motion, Thermal
from spheresim.obstacles.table import SHAPES, AnyShape
from spheresim.scene.faults import Faults


def shape_of(
    shape: type[AnyShape], item: Any, folder: Path, faults: Faults, field: str
) -> AnyShape | None:
    """A shape by its table; None, and a fault, if it cannot be one."""
    given = item.model_dump(include=set(shape.fields), exclude_unset=True)
    try:
        return shape.of_table(given, folder)
    except (ValueError, OSError, ImportError) as failure:
        faults.add(field, f"cannot be used: {failure}")
        return None


def motion_of(item: Any, faults: Faults, field: str) -> Motion | None:
    """How an obstacle moves, by its table; None, and a fault, if it cannot move so."""
    if item.motion is None:
        return None
    given = item.motion.model_dump()
    try:
        motion: Motion = MOTIONS[given.pop("kind")](**given)
    except ValueError as failure:
        faults.add(f"{field}.motion", f"cannot be: {failure}")
        return None
    return motion


def thermal_of(item: Any) -> Thermal | None:
    """The temperature of an obstacle, by its table."""
    return None if item.thermal is None else Thermal(**item.thermal.model_dump())


def files_of(kinds: Mapping[str, Mapping[int, Any]], folder: Path) -> tuple[Path, ...]:
    """The files besides its own that a scene is read from: of balls, and of obstacles."""
    balls = [folder / item.path for item in kinds["ball_file"].values()]
    files = [
        folder / file
        for shape in SHAPES
        for item in kinds[shape.kind].values()
        for file in shape.files_of(item)
    ]
    return (*balls, *dict.fromkeys(files))


def entrances_of(planes: Mapping[int, Any]) -> frozenset[str]:
    """The names of the planes behind which balls may start."""
    return frozenset(
        plane.name or f"plane {index}" for index, plane in planes.items() if plane.entrance
    )
