"""The tables `motion` and `thermal` of an obstacle in a scene file."""

from typing import Annotated, Any, Literal

from pydantic import Field

from spheresim.numerics.philox import LARGEST_SEED
from spheresim.scene.tables.fields import Direction, NotNegative, Number, Positive, Table, Vector

_KIND = "Which of the motions it is"


class VelocityTable(Table):
    """A straight motion."""

    kind: Literal["velocity"] = Field(description=_KIND)
    velocity: Vector = Field(description="[length/time]")


class OscillationTable(Table):
    """A vibration: the obstacle is displaced by A·(sin(2πft + φ) − sin φ) along an axis."""

    kind: Literal["oscillation"] = Field(description=_KIND)
    amplitude: NotNegative = Field(description="A [length]")
    frequency: Positive = Field(description="f [1/time]")
    axis: Direction = Field(description="Along which; of any length but 0")
    phase: Number = Field(0.0, description="φ [degrees]")


class RotationMotionTable(Table):
    """A turning about a fixed axis, by the right-hand rule."""

    kind: Literal["rotation"] = Field(description=_KIND)
    axis: Direction = Field(description="The axis's direction; of any length but 0")
    frequency: Number = Field(description="Turns per time, negative for the other sense [1/time]")
    point: Vector = Field([0.0, 0.0, 0.0], description="A point on the axis [length]")


class PiecewiseTable(Table):
    """A table of places, with straight motions between them; after the last it stands still."""

    kind: Literal["piecewise"] = Field(description=_KIND)
    times: list[Number] = Field(description="Rising, the first 0 [time]")
    offsets: list[Vector] = Field(description="How far it is displaced then; the first 0 [length]")


class PistonTable(Table):
    """A plane with a mass that moves along its normal: impacts push it back."""

    kind: Literal["piston"] = Field(description=_KIND)
    mass: Positive = Field(description="Greater than 0 [mass]")
    force: Number = Field(
        0.0, description="From outside, along the normal: p·A of a pressure [mass·length/time²]"
    )
    velocity: Number = Field(0.0, description="Along the normal, at the start [length/time]")


class ThermalTable(Table):
    """A temperature: after an impact the ball's velocity is drawn from it."""

    temperature: Positive = Field(description="kT [mass·length²/time²]")
    components: Literal["all", "normal"] = Field(
        "all", description="Which are drawn; with normal the others are kept"
    )
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="Of the random numbers")


MOTION_TABLES: dict[str, type[Table]] = {
    "velocity": VelocityTable,
    "oscillation": OscillationTable,
    "rotation": RotationMotionTable,
    "piecewise": PiecewiseTable,
    "piston": PistonTable,
}
"""By the word of their `kind`."""

_ANY = VelocityTable | OscillationTable | RotationMotionTable | PiecewiseTable
_WORDS = "How it moves; at t = 0 it is where its other fields say [it stands still]"

ObstacleMotion: Any = Annotated[
    Annotated[_ANY, Field(discriminator="kind")] | None, Field(description=_WORDS)
]
PlaneMotion: Any = Annotated[
    Annotated[_ANY | PistonTable, Field(discriminator="kind")] | None, Field(description=_WORDS)
]
OwnTemperature: Any = Annotated[
    ThermalTable | None,
    Field(description="Draws the velocities of balls that it sends back [it reflects them]"),
]
