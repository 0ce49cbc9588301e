"""The scene file as a whole: its fields, its tables, and their JSON Schema."""

from math import prod
from typing import Annotated, Any, Literal

from pydantic import Field, create_model, model_validator

from spheresim.collision.constants import MOST_SLICES, SLICES
from spheresim.contact.thresholds import BOUNDS, USUAL_THRESHOLDS
from spheresim.engines.catalogue import EngineName, ToiMethod
from spheresim.numerics.philox import LARGEST_SEED
from spheresim.scene.schema.balls import BallFileTable, BallTable, FillTable
from spheresim.scene.schema.counts import CountTable
from spheresim.scene.schema.fields import (
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
from spheresim.scene.schema.materials import MaterialPairTable, MaterialTable
from spheresim.scene.schema.obstacles import OBSTACLE_FIELDS, OBSTACLE_TABLES
from spheresim.scene.view import MOST_CELLS


class BoxTable(Table):
    """The periodic box, for the engine "events"."""

    low: Vector = Field(
        [0.0, 0.0, 0.0], description="The corner with the smallest coordinates [length]"
    )
    size: Size | None = Field(
        None, description="The lengths of its sides [length] [a cube, by a fill's packing_fraction]"
    )
    periodic: Periodic = Field(
        [True, True, True], description="Whether it is periodic: one value, or three for x, y, z"
    )
    shear_rate: Number = Field(
        0.0,
        description="The gradient of a flow along x with the velocity shear_rate · y; the periodic "
        "images above and below move with the flow. The box must be periodic along x and y, and "
        "there must be no obstacles [1/time]",
    )


class TrapTable(Table):
    """A harmonic trap: the acceleration −ω²·(x − c) of all balls."""

    frequency: Positive = Field(description="ω, an angular frequency [1/time]")
    centre: Vector = Field([0.0, 0.0, 0.0], description="c [length]")


class ThermostatTable(Table):
    """A heat bath: at random times each ball gets a new random velocity (Andersen's thermostat)."""

    temperature: Positive = Field(description="The temperature kT [mass·length²/time²]")
    rate: Positive = Field(description="How often each ball gets a new velocity [1/time]")
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="The seed of the random numbers")


def _height(name: str, description: str) -> Any:
    """A threshold of rest, with its default and its bounds."""
    low, high = BOUNDS[name]
    default = getattr(USUAL_THRESHOLDS, name)
    return Field(default, ge=low, le=high, description=description)


class RestTable(Table):
    """When balls come to rest. A height, in units of a ball's radius, stands for the speed with
    which the ball would rise to it."""

    rest_height: float = _height(
        "rest_height", "A ball that would bounce no higher stays on the obstacle"
    )
    soft_height: float = _height(
        "soft_height",
        "Balls of heaps that hit each other, and part more slowly, stay in contact",
    )
    wake_height: float = _height("wake_height", "An impact that is faster wakes a sleeping ball")
    sleep_height: float = _height(
        "sleep_height", "Balls in contact that move more slowly may fall asleep"
    )


class CountsTable(Table):
    """Cells in which balls are counted: a box, divided evenly along x, y and z."""

    low: Vector = Field(description="The corner of the box with the smallest coordinates [length]")
    high: Vector = Field(description="The corner with the largest coordinates [length]")
    cells: Cells = Field([1, 1, 1], description="The number of cells along x, y and z")

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
        description="Where the camera is; further back in narrow pictures [length] [a place from "
        "which the whole scene is seen]",
    )
    target: Vector | None = Field(
        None, description="The point at which the camera looks [length] [the middle]"
    )
    follow: Text | None = Field(None, description="The name of a ball that stays in the middle")
    trails: bool = Field(False, description="Whether balls leave trails")
    ghosts: bool = Field(False, description="Whether the offset primitives are shown")
    end: Literal["stop", "loop", "go on"] = Field(
        "stop", description="What happens when the time reaches duration"
    )
    caption: Text | None = Field(None, description="A line below the picture")
    counter: bool = Field(False, description="Whether the number of impacts is shown large")
    azimuth: float | None = Field(
        None,
        ge=-180.0,
        le=180.0,
        description="Without camera: the direction from which the scene is seen, 0 for the front "
        "[degrees] [the direction that hides the fewest balls]",
    )
    elevation: float | None = Field(
        None,
        ge=-90.0,
        le=90.0,
        description="Without camera: the angle above the horizontal, 90 for above [degrees] [24]",
    )
    counts: CountsTable | None = Field(
        None,
        description="A box, { low, high, cells = [1, 1, 1] }, divided evenly along x, y and z. The "
        "viewer writes over each cell the number of balls whose centre is inside",
    )


class _SceneFields(Table):
    """What a scene has but obstacles and balls."""

    title: Text | None = Field(None, description="One line on what the scene is [the file's name]")
    duration: Positive = Field(description="The simulated time of a run [time]")
    step: Positive = Field(0.01, description="The fixed timestep [time]")
    frame_every: Positive | None = Field(
        None,
        description='The time between two frames; with the engine "steps" it must be a whole '
        "multiple of step [time] [step]",
    )
    gravity: Vector = Field([0.0, 0.0, 0.0], description="Acceleration of all balls [length/time²]")
    restitution: Restitution = Field(
        1.0, description="For balls and obstacles that give none; 1 conserves energy"
    )
    tangential_restitution: TangentialRestitution = Field(
        -1.0,
        description="For surfaces without a material: −1 is smooth, 1 is perfectly rough; with 0, "
        "surfaces no longer slide on each other after an impact",
    )
    friction: NotNegative | None = Field(
        None,
        description="Coulomb's μ, for surfaces without a material: the largest ratio of the "
        "tangential to the normal impulse [infinite]",
    )
    engine: EngineName | None = Field(
        None,
        description='"steps", the fixed timestep, or "events", the exact engine [events if the box '
        "is periodic, else steps]",
    )
    toi: ToiMethod = Field(
        "analytic",
        description='How the engine "steps" finds impacts of two balls: "analytic", by a formula, '
        'or "sliced", in slices of the step',
    )
    slices: Annotated[int, Field(ge=1, le=MOST_SLICES)] = Field(
        SLICES, description='The number of slices of the rest of a step, with toi = "sliced"'
    )
    box: BoxTable | None = Field(None, description="The box, if space is periodic")
    trap: TrapTable | None = Field(
        None, description="A harmonic trap beside gravity; with it nothing comes to rest"
    )
    thermostat: ThermostatTable | None = Field(
        None, description="A heat bath for balls; with it no ball comes to rest"
    )
    view: ViewTable | None = Field(None, description="How the viewer shows the scene")
    rest: RestTable = Field(RestTable(), description="When balls come to rest, and wake")
    material: list[MaterialTable] = Field([], description="Materials of balls and obstacles")
    material_pair: list[MaterialPairTable] = Field([], description="Impacts between two materials")


class SceneTable(create_model("_WithObstacles", __base__=_SceneFields, **OBSTACLE_FIELDS)):  # type: ignore[misc]
    """A scene for spheresim.

    Balls count from 0: those of each [[ball]], then of each [[fill]], then of each [[ball_file]].
    """

    ball: list[BallTable] = Field([], description="Single balls")
    fill: list[FillTable] = Field([], description="Many balls at once")
    ball_file: list[BallFileTable] = Field([], description="Balls from CSV files")
    count: list[CountTable] = Field([], description="What is counted for run.json")


TABLES: dict[str, type[Table]] = {
    **OBSTACLE_TABLES,
    "ball": BallTable,
    "fill": FillTable,
    "ball_file": BallFileTable,
    "material": MaterialTable,
    "material_pair": MaterialPairTable,
    "count": CountTable,
}
"""What may be in a file many times, by the word in double brackets."""


def scene_schema() -> dict[str, Any]:
    """The JSON Schema of the scene file, with a description of every field."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **SceneTable.model_json_schema(),
    }
