"""The scene file's tables and fields: types, bounds, defaults and a word on each.

Lengths, times and masses are in units of the user's choice, the same throughout a file.
Types are strict: no booleans or strings for numbers, no NaN, no unknown fields.
"""

import string
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from spheresim.collision.constants import MOST_SLICES, SLICES
from spheresim.numerics.arguments import LARGEST
from spheresim.scene.faults import shown

SMALLEST = 1e-75
"""The same for what is divided by."""
MOST_BALLS = 10_000_000
"""That one fill may ask for."""

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
    if not -LARGEST <= value <= LARGEST:
        raise ValueError(f"must be from {-LARGEST:g} to {LARGEST:g}, not {value!r}")
    return value


def _not_tiny(value: float) -> float:
    if value < SMALLEST:
        raise ValueError(f"must be at least {SMALLEST:g}, not {value!r}")
    return _in_range(value)


def _with_direction(components: list[float]) -> list[float]:
    if not any(components):
        raise ValueError(f"must have a direction, which {shown(components)} has not")
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


def _as_range(radius: Any) -> Any:
    return radius if isinstance(radius, list) else [radius, radius]


def _rising(radius: list[float]) -> list[float]:
    if radius[0] > radius[1]:
        raise ValueError(f"must be [smallest, largest], not {radius}")
    return radius


Number = Annotated[float, AfterValidator(_in_range)]
Positive = Annotated[float, Field(gt=0), AfterValidator(_not_tiny)]
NotNegative = Annotated[float, Field(ge=0), AfterValidator(_in_range)]
Restitution = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(max_length=300), AfterValidator(_printable)]
Color = Annotated[str, AfterValidator(color_as_numbers)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Direction = Annotated[Vector, AfterValidator(_with_direction)]


def _as_three(periodic: Any) -> Any:
    wraps = periodic if isinstance(periodic, list) else [periodic] * 3
    if len(wraps) != 3 or not all(isinstance(along, bool) for along in wraps):
        raise ValueError(
            f"must be true, false or three of them, for x, y and z, not {shown(periodic)}"
        )
    return wraps


Periodic = Annotated[
    list[bool],
    BeforeValidator(_as_three),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "boolean"},
                {"type": "array", "items": {"type": "boolean"}, "minItems": 3, "maxItems": 3},
            ]
        }
    ),
]
PackingFraction = Annotated[float, Field(gt=0, le=0.75)]
Size = Annotated[list[Positive], Field(min_length=3, max_length=3)]
RadiusRange = Annotated[
    list[Positive],
    Field(min_length=2, max_length=2),
    BeforeValidator(_as_range),
    AfterValidator(_rising),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {
                    "type": "array",
                    "items": {"type": "number", "exclusiveMinimum": 0},
                    "minItems": 2,
                    "maxItems": 2,
                },
            ]
        }
    ),
]

_NAME = "What it is called in messages and tables; every {} has a name of its own"


class Table(BaseModel):
    """What all tables of a scene have in common."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class PlaneTable(Table):
    """An infinite wall: solid behind, stopping balls that come from the front.

    In a periodic box it runs along every periodic axis.
    """

    name: Text | None = Field(None, description=_NAME.format("obstacle") + " [plane 0, …]")
    point: Vector = Field(description="A point on the surface [length]")
    normal: Direction = Field(description="Points to the open side; of any length but 0")
    entrance: bool = Field(
        False,
        description="Whether balls start behind it on purpose and come in; if not, one that does "
        "is warned of",
    )
    restitution: Restitution | None = Field(
        None, description="From 0 to 1; an impact takes the smaller of its two [the scene's]"
    )


class CylinderTable(Table):
    """An infinite cylinder: a pillar to balls outside, a tube to balls inside.

    In a periodic box it runs along an axis or across all periodic ones, and is no wider than
    the period: where it crosses a face it comes in on the other side.
    """

    name: Text | None = Field(None, description=_NAME.format("obstacle") + " [cylinder 0, …]")
    point: Vector = Field(description="A point on the axis [length]")
    axis: Direction = Field(description="The axis's direction; of any length but 0")
    radius: Positive = Field(description="Greater than 0 [length]")
    restitution: Restitution | None = Field(
        None, description="From 0 to 1; an impact takes the smaller of its two [the scene's]"
    )


class BallTable(Table):
    """One ball at time 0."""

    name: Text | None = Field(None, description=_NAME.format("ball") + " [ball 0, …]")
    position: Vector = Field(description="Of the centre [length]")
    velocity: Vector = Field([0.0, 0.0, 0.0], description="[length/time] [at rest]")
    radius: Positive = Field(description="Greater than 0 [length]")
    mass: Positive = Field(1.0, description="Greater than 0 [mass] [1]")
    restitution: Restitution | None = Field(
        None, description="From 0 to 1; an impact takes the smaller of its two [the scene's]"
    )
    color: Color | None = Field(
        None, description='How it is drawn: "#rrggbb" or a name [the viewer\'s choice]'
    )


class Region(Table):
    """An axis-aligned box. Where low and high are equal along an axis it is flat: the balls'
    centres lie in that plane, and their velocities in it too."""

    low: Vector = Field(description="The corner with the smallest coordinates [length]")
    high: Vector = Field(description="The corner with the largest coordinates [length]")

    @model_validator(mode="after")
    def _rises(self) -> "Region":
        if not all(a <= b for a, b in zip(self.low, self.high, strict=True)):
            raise ValueError(
                f"low must be no more than high in x, y and z, not {self.low} and {self.high}"
            )
        if self.low == self.high:
            raise ValueError(f"low and high must be two corners, not {self.low} twice")
        return self


class BoxTable(Table):
    """The box that space is made of where it is periodic, which is for the engine "events"."""

    low: Vector = Field([0.0, 0.0, 0.0], description="The corner with the smallest coordinates")
    size: Size | None = Field(
        None, description="Its lengths [length] [a cube, by a fill's packing_fraction]"
    )
    periodic: Periodic = Field(
        [True, True, True], description="Whether space comes back to itself: in all, or x, y, z"
    )


class FillTable(Table):
    """Many balls, put where there is room: clear of obstacles and of the balls before them."""

    count: Annotated[int, Field(ge=1, le=MOST_BALLS)] = Field(description="How many balls")
    radius: RadiusRange = Field(
        description="Greater than 0, or [smallest, largest], drawn uniformly [length]"
    )
    region: Region | None = Field(
        None, description="Where; whole balls stay inside [the room that the planes enclose]"
    )
    mass: Positive | None = Field(None, description="Of each ball; not with density [mass] [1]")
    density: Positive | None = Field(
        None, description="Mass by volume, in place of mass [mass/length³]"
    )
    temperature: NotNegative | None = Field(
        None,
        description="kT of the Maxwell distribution of velocities, in a flat region of those along "
        "it [energy] [at rest]",
    )
    speed: NotNegative | None = Field(
        None, description="The mean speed, in place of temperature [length/time] [at rest]"
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = Field(
        None, description="The same seed makes the same balls [0 for the first fill, then 1, …]"
    )
    arrangement: Literal["random", "cubic", "fcc"] = Field(
        "random",
        description="At random (packing fraction up to .34), on a cubic lattice (.52) or on a "
        "face-centred one (.74), of which sites are left empty at random",
    )
    packing_fraction: PackingFraction | None = Field(
        None, description="Of all balls in the [box], a cube that takes its size from it"
    )
    color: Color | None = Field(None, description="Of each ball, as a ball's color")

    @model_validator(mode="after")
    def _one_of_two(self) -> "FillTable":
        for a, b in (("mass", "density"), ("temperature", "speed")):
            if getattr(self, a) is not None and getattr(self, b) is not None:
                raise ValueError(
                    f"has both {a} ({getattr(self, a)!r}) and {b} ({getattr(self, b)!r}), "
                    "expected is at most one of the two"
                )
        return self


class BallFileTable(Table):
    """Balls from a table of comma-separated values."""

    path: Annotated[str, Field(min_length=1, max_length=4096)] = Field(
        description="A CSV with the columns x, y, z, vx, vy, vz, radius, and perhaps mass, "
        "restitution, name, color; relative to the scene's folder"
    )


class SceneTable(Table):
    """A scene for spheresim.

    Balls count from 0: those of each [[ball]], then of each [[fill]], then of each [[ball_file]].
    """

    title: Text | None = Field(None, description="One line on what the scene is [the file's name]")
    duration: Positive = Field(description="How long a run lasts [time]")
    step: Positive = Field(0.01, description="The fixed timestep [time]")
    frame_every: Positive | None = Field(
        None,
        description='Time between two frames; with the engine "steps" a whole multiple of step '
        "[time] [step]",
    )
    gravity: Vector = Field([0.0, 0.0, 0.0], description="Acceleration of all balls [length/time²]")
    restitution: Restitution = Field(
        1.0, description="That of every ball and obstacle that gives none: 1 keeps all energy"
    )
    engine: Literal["steps", "events"] | None = Field(
        None,
        description="The fixed timestep, or the exact engine [events if the box is periodic, "
        "else steps]",
    )
    toi: Literal["analytic", "sliced"] = Field(
        "analytic", description='How the engine "steps" finds impacts of two balls'
    )
    slices: Annotated[int, Field(ge=1, le=MOST_SLICES)] = Field(
        SLICES, description='Of what is left of a step, with toi = "sliced"'
    )
    box: BoxTable | None = Field(None, description="The box, if space is periodic")
    plane: list[PlaneTable] = Field([], description="Infinite one-sided walls")
    cylinder: list[CylinderTable] = Field([], description="Infinite pillars and tubes")
    ball: list[BallTable] = Field([], description="Single balls")
    fill: list[FillTable] = Field([], description="Many balls at once")
    ball_file: list[BallFileTable] = Field([], description="Balls from CSV files")


TABLES: dict[str, type[Table]] = {
    "plane": PlaneTable,
    "cylinder": CylinderTable,
    "ball": BallTable,
    "fill": FillTable,
    "ball_file": BallFileTable,
}
"""What may be in a file many times, by the word in double brackets."""


def scene_schema() -> dict[str, Any]:
    """The JSON Schema of the scene file, with a description of every field."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **SceneTable.model_json_schema(),
    }
