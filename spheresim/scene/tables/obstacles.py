"""The tables of obstacles, one for each kind, in a scene file."""

from typing import Any

from pydantic import Field, create_model

from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.table import SHAPES
from spheresim.scene.tables.fields import (
    Direction,
    NotNegative,
    Number,
    OwnRestitution,
    Positive,
    Size,
    Table,
    Text,
    Vector,
    name_field,
)


class PlaneTable(Table):
    """An infinite wall: solid behind, stopping balls that come from the front.

    In a periodic box it runs along every periodic axis.
    """

    name: Text | None = name_field("obstacle", "plane 0")
    point: Vector = Field(description="A point on the surface [length]")
    normal: Direction = Field(description="Points to the open side; of any length but 0")
    entrance: bool = Field(
        False,
        description="Whether balls start behind it on purpose and come in; if not, one that does "
        "is warned of",
    )
    restitution: OwnRestitution = None


class CylinderTable(Table):
    """An infinite cylinder: a pillar to balls outside, a tube to balls inside.

    In a periodic box it runs along an axis or across all periodic ones, and is no wider than
    the period: where it crosses a face it comes in on the other side.
    """

    name: Text | None = name_field("obstacle", "cylinder 0")
    point: Vector = Field(description="A point on the axis [length]")
    axis: Direction = Field(description="The axis's direction; of any length but 0")
    radius: Positive = Field(description="Greater than 0 [length]")
    restitution: OwnRestitution = None


class RotationTable(Table):
    """A turn about an axis, by the right-hand rule."""

    axis: Direction = Field(description="The axis's direction; of any length but 0")
    degrees: Number = Field(description="By how much [degrees]")


_HELD: dict[str, Any] = {
    "vector": Vector,
    "direction": Direction,
    "positive": Positive,
    "not negative": NotNegative,
    "size": Size,
    "points": list[Vector],
    "rotation": RotationTable | None,
    "text": Text,
}
"""The types of a shape's fields, by the words of `ShapeField.holds`."""


def _table_of(shape: type[Bounded]) -> type[Table]:
    """The table of a shape that is made of features."""
    fields: dict[str, Any] = {"name": (Text | None, name_field("obstacle", f"{shape.kind} 0"))}
    for name, field in shape.fields.items():
        default = None if field.holds == "rotation" else field.default
        fields[name] = (_HELD[field.holds], Field(default, description=field.description))
    fields["restitution"] = (OwnRestitution, None)
    words = f"{shape.__name__}Table", f"{shape.title}."
    made: type[Table] = create_model(words[0], __base__=Table, __doc__=words[1], **fields)
    return made


_BOUNDED = [shape for shape in SHAPES if issubclass(shape, Bounded)]

OBSTACLE_TABLES: dict[str, type[Table]] = {
    "plane": PlaneTable,
    "cylinder": CylinderTable,
    **{shape.kind: _table_of(shape) for shape in _BOUNDED},
}
"""The tables of all obstacles, by their kinds."""


def _many_of(shape: type[Bounded]) -> tuple[Any, Any]:
    """The field of a scene for all obstacles of a kind."""
    table: Any = OBSTACLE_TABLES[shape.kind]
    return list[table], Field([], description=shape.title)


BOUNDED_FIELDS: dict[str, Any] = {shape.kind: _many_of(shape) for shape in _BOUNDED}
"""The fields of a scene for all obstacles that are made of features."""
