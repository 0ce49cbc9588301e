"""Pydantic's errors as sentences about the scene file."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails

from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.table import SHAPES
from spheresim.scene.faults import shown, shown_key
from spheresim.scene.schema.balls import Region
from spheresim.scene.schema.counts import GateTable
from spheresim.scene.schema.fields import Table
from spheresim.scene.schema.materials import MaterialTable
from spheresim.scene.schema.motions import MOTION_TABLES, ThermalTable
from spheresim.scene.schema.obstacles import PARTS, RotationTable
from spheresim.scene.schema.scene import (
    TABLES,
    BoxTable,
    CountsTable,
    RestTable,
    SceneTable,
    ThermostatTable,
    TrapTable,
    ViewTable,
)

_EXPECTED = {
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "text in quotes",
    "model_attributes_type": "a table",
    "greater_than": "greater than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
    "string_too_short": "at least {min_length} character long",
    "string_too_long": "at most {max_length} characters long",
    "literal_error": "{expected}",
}
_SINGLE: dict[str, type[Table]] = {
    "box": BoxTable,
    "rest": RestTable,
    "trap": TrapTable,
    "thermostat": ThermostatTable,
    "view": ViewTable,
}
"""The tables that a scene may have once."""

_TABLES: dict[str, type[Table]] = {
    **TABLES,
    **_SINGLE,
    "region": Region,
    "counts": CountsTable,
    "gate": GateTable,
    "rotation": RotationTable,
    "thermal": ThermalTable,
}
"""All tables by the keys that they stand under, but those of a compound's parts."""

_OF_SURFACES = MaterialTable.model_fields.keys() - {"name"}
"""What a material says of a surface."""

_KINDS_OF_MOTION = ", ".join(f"'{kind}'" for kind in MOTION_TABLES)

_LENGTHS = {
    "radius": "a number, or two: [smallest, largest]",
    "materials": "the names of two materials",
    "cells": "three whole numbers of at least 1",
}
_VECTOR = "three numbers, [x, y, z]"

_SHAPE_FIELDS = {
    **dict.fromkeys(("vector", "direction", "size"), _VECTOR),
    "positive": "a number greater than 0",
    "not negative": "a number of at least 0",
    "points": "a list of points, [x, y, z] each",
    "triples": "a list of three whole numbers each",
    "rotation": "a table, { axis = [x, y, z], degrees = … }",
    "text": "text in quotes",
    "parts": "tables",
}
"""What is expected of a field of an obstacle, by the words of `ShapeField.holds`."""

REQUIRED = {
    **{
        name: _SHAPE_FIELDS[field.holds]
        for shape in SHAPES
        if issubclass(shape, Bounded)
        for name, field in shape.fields.items()
    },
    **dict.fromkeys(("point", "normal", "axis", "position", "low", "high"), _VECTOR),
    **dict.fromkeys(("duration", "radius"), "a number greater than 0"),
    "count": "a whole number of at least 1",
    "name": "text in quotes",
    "materials": "the names of two materials",
    **dict.fromkeys(("degrees", "frequency"), "a number"),
    **dict.fromkeys(("amplitude", "temperature", "mass", "rate"), "a number greater than 0"),
    "velocity": _VECTOR,
    "times": "a list of numbers that rises from 0",
    "offsets": "a list of three numbers each, [x, y, z]",
    "path": "the path of a CSV file, in quotes",
}
"""What is expected of each field that has no default, for when it is missing."""


def describe(error: ErrorDetails, raw: Mapping[str, Any]) -> tuple[str, str]:
    """The path of a fault, such as `ball[2].radius`, and the rest of a sentence about it."""
    place, motion = _without_motion(error["loc"])
    path, names = _path(place, raw)
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    name = names[-1] if names else ""
    if kind == "missing":
        return path, f"is missing, expected is {REQUIRED[name]}"
    if kind == "extra_forbidden":
        return path, _unknown(names, value, motion)
    if kind.startswith("union_tag"):
        tags = context.get("expected_tags", _KINDS_OF_MOTION).replace("'", '"')
        given = value.get("kind", "none") if isinstance(value, Mapping) else value
        return f"{path}.kind", f"must be one of {tags}, not {shown(given)}"
    if kind == "model_type":
        fields = ", ".join(_table_of([*names, ""]).model_fields)
        return path, f"must be a table, not {shown(value)}; the fields are {fields}"
    if kind == "value_error":
        return path, str(context["error"])
    if kind == "list_type" and name in TABLES:
        return path, f"must be tables that begin with [[{name}]], not {shown(value)}"
    if kind in ("list_type", "too_short", "too_long"):
        return path, f"must be {_LENGTHS.get(name, _VECTOR)}, not {shown(value)}"
    if name == "restitution" and kind.endswith("than_equal"):
        return path, f"must be from 0 to 1, not {shown(value)}"
    if kind in _EXPECTED:
        expected = _EXPECTED[kind].format(**context).replace("'", '"')
        return path, f"must be {expected}, not {shown(value)}"
    return path, f"{error['msg']}, not {shown(value)}"


def _path(places: Sequence[int | str], raw: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The path as a user would write it, and the names in it without indices."""
    path, names = "", []
    here: Any = raw
    for place in places:
        if isinstance(here, list) and isinstance(place, int):
            path += f"[{place}]"
            here = here[place]
        elif isinstance(here, Mapping) and isinstance(place, str):
            names.append(place)
            path += f"{'.' if path else ''}{shown_key(place)}"
            here = here.get(place)
        else:
            break  # the file has one number where pydantic sees a list
    return path, names


def _without_motion(
    place: Sequence[int | str],
) -> tuple[Sequence[int | str], type[Table] | None]:
    """A place without the kind of motion that pydantic puts into it; and the table of that kind."""
    for k in range(1, len(place)):
        if place[k - 1] == "motion" and place[k] in MOTION_TABLES:
            return (*place[:k], *place[k + 1 :]), MOTION_TABLES[str(place[k])]
    return place, None


def _table_of(names: Sequence[str]) -> type[Table]:
    if len(names) > 2 and names[-2] in PARTS:
        return PARTS[names[-2]]
    return _TABLES.get(names[-2], SceneTable) if len(names) > 1 else SceneTable


def _unknown(names: Sequence[str], value: object, motion: type[Table] | None) -> str:
    fields = list((motion or _table_of(names)).model_fields)
    near = difflib.get_close_matches(names[-1], fields, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    if "material" in fields and names[-1] in _OF_SURFACES:
        hint = "it is a field of [[material]], which the field material names; "
    if len(names) == 1 and (owners := _owners(names[0])):
        hint = f"it is a field of {', '.join(owners)}; "
        hint += "the option --seed sets all seeds; " if names[0] == "seed" else ""
    where = "a scene" if len(names) == 1 else f"a {names[-2]}"
    if len(names) == 2:
        where = f"a [[{names[0]}]]" if names[0] in TABLES else f"[{names[0]}]"
    return (
        f"is no field of {where}, its value is {shown(value)}; "
        f"{hint}the fields are {', '.join(fields)}"
    )


def _owners(field: str) -> list[str]:
    """The tables of a scene, as they stand in brackets, that have a field of this name."""
    many = [f"[[{name}]]" for name, table in TABLES.items() if field in table.model_fields]
    single = [f"[{name}]" for name, table in _SINGLE.items() if field in table.model_fields]
    return many + single
