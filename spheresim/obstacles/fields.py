"""The fields of an obstacle's table in a scene file, as its class says them.

`scene.schema.obstacles` makes the tables from these, with the checks and messages of all tables.
"""

from typing import NamedTuple

from spheresim.numerics.vector import TVector

REQUIRED = ...
"""The default of a field that must be given."""


class ShapeField(NamedTuple):
    """What a field holds: "vector", "direction", "positive", "not negative", "size", "points",
    "triples", "rotation", "text" or "parts"; a sentence on it; and its default."""

    holds: str
    description: str
    default: object = REQUIRED


class Rotation(NamedTuple):
    """A turn about an axis through the obstacle's own origin, by the right-hand rule."""

    axis: TVector = TVector(0.0, 0.0, 1.0)
    degrees: float = 0.0


def plain(value: object) -> object:
    """A field's value in words of a scene file: numbers, texts, lists and inline tables."""
    if isinstance(value, Rotation):
        return {"axis": list(value.axis), "degrees": value.degrees}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value
