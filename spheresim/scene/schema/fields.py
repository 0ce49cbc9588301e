"""The types of a scene's fields: what a number, a vector, a color must be, and the sentence if not.

Lengths, times and masses are in units of the user's choice, the same throughout a file.
Types are strict: no booleans or strings for numbers, no NaN, no unknown fields.
"""

import string
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from spheresim.model.materials import INERTIA_BOUNDS, PowerLaw, checked_restitution
from spheresim.numerics.arguments import LARGEST_INPUT, SMALLEST_INPUT
from spheresim.scene.faults import shown

COLORS = {
    "black": "#000000",
    "blue": "#0000ff",
    "cyan": "#00ffff",
    "gray": "#808080",
    "green": "#008000",
    "lime": "#00ff00",
    "magenta": "#ff00ff",
    "orange": "#ffa500",
    "purple": "#800080",
    "red": "#ff0000",
    "white": "#ffffff",
    "yellow": "#ffff00",
}
"""The names that may stand for colors; a loaded scene holds the numbers."""


def _in_range(value: float) -> float:
    if not -LARGEST_INPUT <= value <= LARGEST_INPUT:
        raise ValueError(f"must be from {-LARGEST_INPUT:g} to {LARGEST_INPUT:g}, not {value!r}")
    return value


def _not_tiny(value: float) -> float:
    if value < SMALLEST_INPUT:
        raise ValueError(f"must be at least {SMALLEST_INPUT:g}, not {value!r}")
    return _in_range(value)


def _with_direction(components: list[float]) -> list[float]:
    if not any(components):
        raise ValueError(f"must have a direction, but {shown(components)} has none")
    return components


def _printable(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError(f"must be one line of visible text, not {shown(text)}")
    return text


def color_as_numbers(color: str) -> str:
    """`#rrggbb` for itself or for a name; ValueError otherwise."""
    digits = color[1:]
    if color.startswith("#") and len(digits) == 6 and set(digits) <= set(string.hexdigits):
        return color.lower()
    if color in COLORS:
        return COLORS[color]
    known = ", ".join(COLORS)
    raise ValueError(f'must be "#rrggbb" or one of {known}, not {shown(color)}')


def _as_range(radius: object) -> object:
    return radius if isinstance(radius, list) else [radius, radius]


def _rising(radius: list[float]) -> list[float]:
    if radius[0] > radius[1]:
        raise ValueError(f"must be [smallest, largest], not {radius}")
    return radius


def _as_three(periodic: object) -> object:
    wraps = periodic if isinstance(periodic, list) else [periodic] * 3
    if len(wraps) != 3 or not all(isinstance(along, bool) for along in wraps):
        raise ValueError(
            f"must be true, false or three of them, for x, y and z, not {shown(periodic)}"
        )
    return wraps


def _one_or_list(item: dict[str, Any], n: int) -> WithJsonSchema:
    """The JSON Schema of an item that stands for n of itself, or of a list of n items."""
    many = {"type": "array", "items": item, "minItems": n, "maxItems": n}
    return WithJsonSchema({"anyOf": [item, many]})


Number = Annotated[float, AfterValidator(_in_range)]
Positive = Annotated[float, Field(gt=0), AfterValidator(_not_tiny)]
NotNegative = Annotated[float, Field(ge=0), AfterValidator(_in_range)]
Restitution = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(max_length=300), AfterValidator(_printable)]
Color = Annotated[str, AfterValidator(color_as_numbers)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Direction = Annotated[Vector, AfterValidator(_with_direction)]
Periodic = Annotated[list[bool], BeforeValidator(_as_three), _one_or_list({"type": "boolean"}, 3)]
PackingFraction = Annotated[float, Field(gt=0, le=0.75)]
Cells = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=3, max_length=3)]
Size = Annotated[list[Positive], Field(min_length=3, max_length=3)]
RadiusRange = Annotated[
    list[Positive],
    Field(min_length=2, max_length=2),
    BeforeValidator(_as_range),
    AfterValidator(_rising),
    _one_or_list({"type": "number", "exclusiveMinimum": 0}, 2),
]
OwnRestitution = Annotated[
    Restitution | None,
    Field(description="From 0 to 1; an impact takes the smaller of its two [the scene's]"),
]


def _law(given: object) -> object:
    """A restitution of a material: a number, a power law, or a table of pairs."""
    if isinstance(given, dict):
        if unknown := [name for name in given if name not in ("loss", "exponent")]:
            raise ValueError(f"has no {shown(unknown[0])}: expected is {{ loss, exponent = 0.2 }}")
        if "loss" not in given:
            raise ValueError(f"has no loss, expected is {{ loss, exponent = 0.2 }}, not {given}")
    try:
        given = PowerLaw(**given) if isinstance(given, dict) else given
        return None if given is None else checked_restitution(given, "")
    except (TypeError, ValueError) as fault:
        raise ValueError(str(fault).lstrip(": ")) from None


_FRACTION = {"type": "number", "minimum": 0, "maximum": 1}
_PAIR = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_POWER_LAW = {
    "type": "object",
    "properties": {"loss": {"type": "number"}, "exponent": {"type": "number", "default": 0.2}},
    "required": ["loss"],
    "additionalProperties": False,
}
RestitutionLaw = Annotated[
    Any,
    BeforeValidator(_law),
    WithJsonSchema({"anyOf": [_FRACTION, _POWER_LAW, {"type": "array", "items": _PAIR}]}),
]
TangentialRestitution = Annotated[float, Field(ge=-1, le=1)]
InertiaFactor = Annotated[float, Field(ge=INERTIA_BOUNDS[0], le=INERTIA_BOUNDS[1])]
OwnMaterial = Annotated[
    Text | None,
    Field(description="The name of a [[material]], in place of restitution [none]"),
]


class Table(BaseModel):
    """What all tables of a scene have in common."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class SurfaceTable(Table):
    """What has a surface: of a material, or with a restitution of its own."""

    @model_validator(mode="after")
    def _one_of_two(self) -> "SurfaceTable":
        material, restitution = getattr(self, "material", None), getattr(self, "restitution", None)
        if material is not None and restitution is not None:
            raise ValueError(
                f"has both material ({material!r}) and restitution ({restitution!r}), "
                "expected is at most one of the two"
            )
        return self


def name_field(kind: str, default: str) -> Any:
    """The field `name` of a table: what has a name, and the names of those that give none."""
    words = f"What it is called in messages and tables; every {kind} has a name of its own"
    return Field(None, description=f"{words} [{default}, …]")
