"""The tables of balls in a scene file: single ones, fills, and files of balls."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from spheresim.model.materials import SOLID_SPHERE
from spheresim.scene.tables.fields import (
    Color,
    InertiaFactor,
    NotNegative,
    OwnMaterial,
    OwnRestitution,
    PackingFraction,
    Positive,
    RadiusRange,
    SurfaceTable,
    Table,
    Text,
    Vector,
    name_field,
)

MOST_BALLS = 10_000_000
"""Balls that one fill may ask for."""


class BallTable(SurfaceTable):
    """One ball at time 0."""

    name: Text | None = name_field("ball", "ball 0")
    position: Vector = Field(description="Of the centre [length]")
    velocity: Vector = Field([0.0, 0.0, 0.0], description="[length/time] [at rest]")
    radius: Positive = Field(description="Greater than 0 [length]")
    mass: Positive = Field(1.0, description="Greater than 0 [mass] [1]")
    restitution: OwnRestitution = None
    material: OwnMaterial = None
    angular_velocity: Vector = Field(
        [0.0, 0.0, 0.0],
        description="In radians, about its direction by the right-hand rule [1/time] [no spin]",
    )
    inertia_factor: InertiaFactor = Field(
        SOLID_SPHERE,
        description="The moment of inertia in units of mass·radius²: 2/3 for a hollow sphere",
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
        description="At random (packing fraction up to about .64), on a cubic lattice (.52) or on "
        "a face-centred one (.74), of which sites are left empty at random",
    )
    packing_fraction: PackingFraction | None = Field(
        None, description="Of all balls in the [box], a cube that takes its size from it"
    )
    material: Text | None = Field(None, description="Of each ball, as a ball's material")
    inertia_factor: InertiaFactor = Field(
        SOLID_SPHERE, description="Of each ball, as a ball's inertia_factor"
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
        "restitution, name, color, wx, wy, wz, material, inertia_factor; relative to the scene's "
        "folder"
    )
