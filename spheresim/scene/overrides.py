"""Settings: values that replace those of a scene file, named as messages name its fields.

`restitution` is a field of the file, `rest.wake_height` one of a table, `gravity[1]` a component,
`fill[0].count` a field of the first [[fill]], and `fill.count` that field of every [[fill]].
"""

import re
from collections.abc import Mapping
from typing import Any

from spheresim.scene.faults import Faults, shown
from spheresim.scene.schema.obstacles import OBSTACLE_TABLES
from spheresim.scene.schema.scene import TABLES

_NAME = re.compile(
    r"[A-Za-z_][A-Za-z0-9_]*(\[[0-9]{1,9}\])?(\.[A-Za-z_][A-Za-z0-9_]*(\[[0-9]{1,9}\])?)*"
)
_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]")

_ZERO_BY_DEFAULT = ("gravity", "velocity", "acceleration")
"""Vectors of which a component may be set where the file gives none."""


def set_values(raw: dict[str, Any], settings: Mapping[str, Any], faults: Faults) -> None:
    """Set values in the raw tables of a file; a name that leads nowhere is a fault.

    That a field is known and its value sound is checked later, with the file's own values.
    `seed` is that of the first [[fill]], seed + 1 that of the next, and so on, and that of every
    warm obstacle and of the thermostat.
    """
    for name, value in settings.items():
        if name == "seed":
            _reseed(raw, value)
        elif not _NAME.fullmatch(name):
            example = '"restitution", "gravity[1]" or "fill[0].count"'
            faults.add("", f"{shown(name)} must name a field, such as {example}")
        else:
            steps = [word or int(index) for word, index in _STEP.findall(name)]
            _set(raw, steps, value, name, faults)


def _reseed(raw: dict[str, Any], seed: int) -> None:
    fills = raw.get("fill")
    for index, fill in enumerate(fills if isinstance(fills, list) else []):
        if isinstance(fill, dict):
            fill["seed"] = seed + index if type(seed) is int else seed
    for kind in OBSTACLE_TABLES:
        tables = raw.get(kind)
        for table in tables if isinstance(tables, list) else []:
            if isinstance(table, dict) and isinstance(table.get("thermal"), dict):
                table["thermal"]["seed"] = seed
    if isinstance(raw.get("thermostat"), dict):
        raw["thermostat"]["seed"] = seed


def _set(place: Any, steps: list[str | int], value: object, name: str, faults: Faults) -> None:
    """Follow the steps from a place in the file, and set the value at the last of them."""
    step, *further = steps
    if isinstance(place, list) and isinstance(step, str):  # a field of every table of a kind
        for table in place:
            _set(table, steps, value, name, faults)
        return
    if isinstance(step, int):
        if not isinstance(place, list) or step >= len(place):
            count = f"has {len(place)} of them" if isinstance(place, list) else "has no list there"
            faults.add(name, f"leads nowhere: the file {count}, counted from 0")
            return
    elif not isinstance(place, dict):
        faults.add(name, f"leads nowhere: {shown(place)} has no fields")
        return
    if not further:
        place[step] = value
        return
    if isinstance(place, dict) and step in _ZERO_BY_DEFAULT:
        place.setdefault(step, [0.0, 0.0, 0.0])
    if isinstance(place, dict) and step not in place:
        if step in TABLES or isinstance(further[0], int):
            faults.add(name, f"leads nowhere: the file has no {step}")
            return
        place[step] = {}
    _set(place[step], further, value, name, faults)
