"""The tables `motion` and `thermal` of an obstacle in a scene file."""

from typing import Annotated, Any, Literal

from pydantic import Field

from spheresim.numerics.philox import LARGEST_SEED
from spheresim.scene.schema.fields import Direction, NotNegative, Number, Positive, Table, Vector

_KIND = "The kind of motion"


class VelocityTable(Table):
    """A straight motion."""

    kind: Literal["velocity"] = Field(description=_KIND)
    velocity: Vector = Field(description="The velocity [length/time]")


class OscillationTable(Table):
    """A vibration: the displacement along an axis is A·(sin(2πft + φ) − sin φ)."""

    kind: Literal["oscillation"] = Field(description=_KIND)
    amplitude: NotNegative = Field(description="The amplitude A [length]")
    frequency: Positive = Field(description="The frequency f [1/time]")
    axis: Direction = Field(description="The direction of the displacement; of any length but 0")
    phase: Number = Field(0.0, description="The phase φ [degrees]")


class RotationMotionTable(Table):
    """A rotation about a fixed axis, by the right-hand rule."""

    kind: Literal["rotation"] = Field(description=_KIND)
    axis: Direction = Field(description="The direction of the axis; of any length but 0")
    frequency: Number = Field(
        description="Turns per time, negative for the opposite sense [1/time]"
    )
    point: Vector = Field([0.0, 0.0, 0.0], description="A point on the axis [length]")


class PiecewiseTable(Table):
    """Straight motions between the places of a table; then the obstacle stands still."""

    kind: Literal["piecewise"] = Field(description=_KIND)
    times: list[Number] = Field(description="Increasing times; the first is 0 [time]")
    offsets: list[Vector] = Field(
        description="The displacement at each time; the first is 0 [length]"
    )


class PistonTable(Table):
    """A plane with a mass that moves along its normal: impacts push it back."""

    kind: Literal["piston"] = Field(description=_KIND)
    mass: Positive = Field(description="The mass, greater than 0 [mass]")
    force: Number = Field(
        0.0,
        description="The outer force along the normal; p·A for an outer pressure p on the area A "
        "[mass·length/time²]",
    )
    velocity: Number = Field(
        0.0, description="The velocity along the normal at the start [length/time]"
    )


class ThermalTable(Table):
    """A temperature: an impact draws a random velocity for the ball."""

    temperature: Positive = Field(description="The temperature kT [mass·length²/time²]")
    components: Literal["all", "normal"] = Field(
        "all",
        description="The components of the velocity that are drawn: all, or only the component "
        "along the normal",
    )
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="The seed of the random numbers")


MOTION_TABLES: dict[str, type[Table]] = {
    "velocity": VelocityTable,
    "oscillation": OscillationTable,
    "rotation": RotationMotionTable,
    "piecewise": PiecewiseTable,
    "piston": PistonTable,
}
"""By the word of their `kind`."""

_ANY = VelocityTable | OscillationTable | RotationMotionTable | PiecewiseTable
_WORDS = "The motion; at t = 0 the obstacle is at the place of its other fields [it stands still]"

ObstacleMotion: Any = Annotated[
    Annotated[_ANY, Field(discriminator="kind")] | None, Field(description=_WORDS)
]
PlaneMotion: Any = Annotated[
    Annotated[_ANY | PistonTable, Field(discriminator="kind")] | None, Field(description=_WORDS)
]
OwnTemperature: Any = Annotated[
    ThermalTable | None,
    Field(description="The temperature of a warm obstacle [it reflects balls]"),
]
