"""The scene file as a whole: its fields, its tables, and their JSON Schema."""

from math import prod
from typing import Annotated, Any, Literal

from pydantic import Field, create_model, model_validator

from spheresim.collision.constants import MOST_SLICES, SLICES
from spheresim.contact.threshold_bounds import BOUNDS, USUAL_THRESHOLDS
from spheresim.engines.catalogue import EngineName, ToiMethod
from spheresim.numerics.philox import LARGEST_SEED
from spheresim.scene.tables.balls import BallFileTable, BallTable, FillTable
from spheresim.scene.tables.fields import (
    Cells,
    NotNegative,
    Number,
    Periodic,
    Positive,
    Restitution,
    Size,
    Table,
    TangentialRestitution,
    Text,
    Vector,
)
from spheresim.scene.tables.materials import MaterialPairTable, MaterialTable
from spheresim.scene.tables.obstacles import (
    BOUNDED_FIELDS,
    OBSTACLE_TABLES,
    CylinderTable,
    PlaneTable,
)
from spheresim.scene.view import MOST_CELLS


class BoxTable(Table):
    """The box that space is made of where it is periodic, which is for the engine "events"."""

    low: Vector = Field([0.0, 0.0, 0.0], description="The corner with the smallest coordinates")
    size: Size | None = Field(
        None, description="Its lengths [length] [a cube, by a fill's packing_fraction]"
    )
    periodic: Periodic = Field(
        [True, True, True], description="Whether space comes back to itself: in all, or x, y, z"
    )
    shear_rate: Number = Field(
        0.0,
        description="Of a flow along x with the velocity shear_rate · y, in a box that is periodic "
        "along x and y and holds nothing but balls: images above and below move along with it "
        "[1/time]",
    )


class ThermostatTable(Table):
    """A heat bath that balls meet at random times (Andersen): their velocities are drawn anew."""

    temperature: Positive = Field(description="kT [mass·length²/time²]")
    rate: Positive = Field(description="How often each ball meets it [1/time]")
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="Of the random numbers")


def _height(name: str, description: str) -> Any:
    """A threshold of rest, with its default and its bounds."""
    low, high = BOUNDS[name]
    default = getattr(USUAL_THRESHOLDS, name)
    return Field(default, ge=low, le=high, description=description)


class RestTable(Table):
    """When balls come to rest, as heights in units of a ball's radius: how high it would rise."""

    rest_height: float = _height(
        "rest_height", "A ball that would bounce no higher lies on the obstacle from then on"
    )
    soft_height: float = _height(
        "soft_height", "Balls that hit each other again and again stay in contact below this"
    )
    wake_height: float = _height(
        "wake_height", "An impact harder than after a fall over this wakes a ball that is asleep"
    )
    sleep_height: float = _height(
        "sleep_height", "Balls with less energy than for this height may be put to sleep"
    )


class CountsTable(Table):
    """Cells in which balls are counted: a box, divided evenly along x, y and z."""

    low: Vector = Field(description="The corner of the box with the smallest coordinates [length]")
    high: Vector = Field(description="The corner with the largest coordinates [length]")
    cells: Cells = Field([1, 1, 1], description="How many cells along x, y and z")

    @model_validator(mode="after")
    def _holds_something(self) -> "CountsTable":
        if not all(a < b for a, b in zip(self.low, self.high, strict=True)):
            raise ValueError(
                f"low must be less than high in x, y and z, not {self.low} and {self.high}"
            )
        if prod(self.cells) > MOST_CELLS:
            raise ValueError(f"cells must be at most {MOST_CELLS} in all, not {prod(self.cells)}")
        return self


class ViewTable(Table):
    """How the viewer shows the scene when it is opened."""

    camera: Vector | None = Field(
        None,
        description="Where the eye is, in narrow pictures further back [length] [all is framed]",
    )
    target: Vector | None = Field(None, description="What it looks at [length] [the middle]")
    follow: Text | None = Field(None, description="The name of a ball that stays in the middle")
    trails: bool = Field(False, description="Whether balls leave trails")
    ghosts: bool = Field(False, description="Whether the offset primitives are shown")
    end: Literal["stop", "loop", "go on"] = Field(
        "stop", description="What happens when time comes to duration"
    )
    caption: Text | None = Field(None, description="A line below the picture")
    counter: bool = Field(False, description="Whether the number of impacts is shown large")
    azimuth: float | None = Field(
        None,
        ge=-180.0,
        le=180.0,
        description="Without a camera: from which side all is framed, 0 from the front [degrees] "
        "[where the fewest balls are hidden]",
    )
    elevation: float | None = Field(
        None,
        ge=-90.0,
        le=90.0,
        description="Without a camera: from how high, 90 from above [degrees] [24]",
    )
    counts: CountsTable | None = Field(
        None,
        description="A box, { low, high, cells = [1, 1, 1] }, divided evenly along x, y and z: the "
        "number of balls with their centre inside is written over each cell",
    )


class _SceneFields(Table):
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
    tangential_restitution: TangentialRestitution = Field(
        -1.0,
        description="That of surfaces of no material: −1 is smooth, with 0 all motion of two "
        "surfaces against each other is lost, 1 is perfectly rough",
    )
    friction: NotNegative | None = Field(
        None,
        description="Coulomb's, of surfaces of no material: the greatest ratio of the impulse "
        "along them to that along the normal [no limit]",
    )
    engine: EngineName | None = Field(
        None,
        description="The fixed timestep, or the exact engine [events if the box is periodic, "
        "else steps]",
    )
    toi: ToiMethod = Field(
        "analytic", description='How the engine "steps" finds impacts of two balls'
    )
    slices: Annotated[int, Field(ge=1, le=MOST_SLICES)] = Field(
        SLICES, description='Of what is left of a step, with toi = "sliced"'
    )
    box: BoxTable | None = Field(None, description="The box, if space is periodic")
    thermostat: ThermostatTable | None = Field(
        None, description="A heat bath that balls meet; with it nothing comes to rest"
    )
    view: ViewTable | None = Field(None, description="How the viewer shows the scene")
    rest: RestTable = Field(RestTable(), description="When balls come to rest, and wake")
    material: list[MaterialTable] = Field([], description="What surfaces are made of")
    material_pair: list[MaterialPairTable] = Field(
        [], description="What happens where two materials meet"
    )
    plane: list[PlaneTable] = Field([], description="Infinite one-sided walls")
    cylinder: list[CylinderTable] = Field([], description="Infinite pillars and tubes")
    ball: list[BallTable] = Field([], description="Single balls")
    fill: list[FillTable] = Field([], description="Many balls at once")
    ball_file: list[BallFileTable] = Field([], description="Balls from CSV files")


class SceneTable(create_model("_AllFields", __base__=_SceneFields, **BOUNDED_FIELDS)):  # type: ignore[misc]
    """A scene for spheresim.

    Balls count from 0: those of each [[ball]], then of each [[fill]], then of each [[ball_file]].
    """


TABLES: dict[str, type[Table]] = {
    **OBSTACLE_TABLES,
    "ball": BallTable,
    "fill": FillTable,
    "ball_file": BallFileTable,
    "material": MaterialTable,
    "material_pair": MaterialPairTable,
}
"""What may be in a file many times, by the word in double brackets."""


def scene_schema() -> dict[str, Any]:
    """The JSON Schema of the scene file, with a description of every field."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **SceneTable.model_json_schema(),
    }
