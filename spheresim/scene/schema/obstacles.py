"""The tables of obstacles, one for each kind, in a scene file."""

from typing import Annotated, Any

from pydantic import Field, create_model

from spheresim.obstacles.catalogue import BOUNDED
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.table import SHAPES, AnyShape
from spheresim.scene.schema.fields import (
    Direction,
    NotNegative,
    Number,
    OwnMaterial,
    OwnRestitution,
    Positive,
    Size,
    SurfaceTable,
    Table,
    Text,
    Vector,
    name_field,
)
from spheresim.scene.schema.motions import ObstacleMotion, OwnTemperature, PlaneMotion


class RotationTable(Table):
    """A rotation about an axis, by the right-hand rule."""

    axis: Direction = Field(description="The direction of the axis; of any length but 0")
    degrees: Number = Field(description="The angle [degrees]")


Triple = Annotated[list[int], Field(min_length=3, max_length=3)]

_HELD: dict[str, Any] = {
    "vector": Vector,
    "direction": Direction,
    "positive": Positive,
    "not negative": NotNegative,
    "size": Size,
    "points": list[Vector],
    "triples": list[Triple],
    "rotation": RotationTable | None,
    "text": Text,
}
"""The types of a shape's fields, by the words of `ShapeField.holds`."""


_ENTRANCE: Any = Field(
    False, description="Whether balls may start behind it and come in; if not, there is a warning"
)

_ORDER: Any = Field(
    0,
    description="Obstacles are numbered by ascending order; of those with the same, planes come "
    "first, then cylinders, then the other kinds, each as in the file",
)


def _table_of(shape: type[AnyShape]) -> type[Table]:
    """The table of a shape."""
    name = (Text | None, name_field("obstacle", f"{shape.kind} 0"))
    return _model(
        f"{shape.__name__}Table",
        f"{shape.title}.",
        {
            "name": name,
            **_fields_of(shape),
            **({"entrance": (bool, _ENTRANCE)} if shape is Plane else {}),
            "restitution": (OwnRestitution, None),
            "material": (OwnMaterial, None),
            "order": (int, _ORDER),
            "motion": (PlaneMotion if shape is Plane else ObstacleMotion, None),
            "thermal": (OwnTemperature, None),
        },
        SurfaceTable,
    )


def _fields_of(shape: type[AnyShape]) -> dict[str, Any]:
    """The fields of a shape, as pydantic wants them."""
    fields: dict[str, Any] = {}
    for name, field in shape.fields.items():
        default = None if field.holds == "rotation" else field.default
        optional = field.default is None
        part: Any = PARTS[name] if field.holds == "parts" else None
        held = _HELD[field.holds] if part is None else list[part]
        held = held | None if optional else held
        fields[name] = (held, Field(default, description=field.description))
    return fields


def _model(name: str, words: str, fields: dict[str, Any], base: type[Table] = Table) -> type[Table]:
    return create_model(name, __base__=base, __doc__=words, **fields)


PARTS: dict[str, type[Table]] = {
    shape.kind: _model(f"{shape.__name__}Part", f"{shape.title}, in a compound.", _fields_of(shape))
    for shape in BOUNDED
}
"""The tables of what a compound is made of, which have no name and no restitution of their own."""


OBSTACLE_TABLES: dict[str, type[Table]] = {shape.kind: _table_of(shape) for shape in SHAPES}
"""The tables of all obstacles, by their kinds."""


def _many_of(shape: type[AnyShape]) -> tuple[Any, Any]:
    """The field of a scene for all obstacles of a kind."""
    table: Any = OBSTACLE_TABLES[shape.kind]
    return list[table], Field([], description=shape.title)


OBSTACLE_FIELDS: dict[str, Any] = {shape.kind: _many_of(shape) for shape in SHAPES}
"""The fields of a scene for all obstacles."""
