"""The tables of obstacles, one for each kind, in a scene file."""

from pydantic import Field

from spheresim.scene.tables.fields import (
    Direction,
    OwnRestitution,
    Positive,
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
