"""The tables of balls in a scene file: single ones, fills, and files of balls."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from spheresim.model.materials import SOLID_SPHERE
from spheresim.scene.schema.fields import (
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
    position: Vector = Field(description="The position of the centre [length]")
    velocity: Vector = Field([0.0, 0.0, 0.0], description="The velocity [length/time] [at rest]")
    radius: Positive = Field(description="The radius, greater than 0 [length]")
    mass: Positive = Field(1.0, description="The mass, greater than 0 [mass] [1]")
    restitution: OwnRestitution = None
    material: OwnMaterial = None
    angular_velocity: Vector = Field(
        [0.0, 0.0, 0.0],
        description="The spin, by the right-hand rule [radians/time] [no spin]",
    )
    inertia_factor: InertiaFactor = Field(
        SOLID_SPHERE,
        description="The moment of inertia divided by mass·radius²; 2/3 for a hollow sphere",
    )
    acceleration: Vector = Field(
        [0.0, 0.0, 0.0], description="A constant acceleration, added to gravity [length/time²]"
    )
    color: Color | None = Field(
        None, description='The color in the viewer: "#rrggbb" or a name [the viewer\'s choice]'
    )


class Region(Table):
    """An axis-aligned box. If low and high are equal along one axis, the box is flat: the centres
    and the velocities of the balls are in this plane."""

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
    """Many balls, at places where they overlap no obstacle and no other ball."""

    count: Annotated[int, Field(ge=1, le=MOST_BALLS)] = Field(description="The number of balls")
    radius: RadiusRange = Field(
        description="The radius, or [smallest, largest] of a uniform distribution [length]"
    )
    region: Region | None = Field(
        None, description="The box in which whole balls are [the room that the planes enclose]"
    )
    mass: Positive | None = Field(
        None, description="The mass of each ball; not together with density [mass] [1]"
    )
    density: Positive | None = Field(
        None, description="The mass divided by the volume, in place of mass [mass/length³]"
    )
    temperature: NotNegative | None = Field(
        None,
        description="kT of the Maxwell distribution of velocities; in a flat region, of the "
        "velocities in its plane [energy] [at rest]",
    )
    speed: NotNegative | None = Field(
        None,
        description="The mean speed, in place of temperature; the sum of momenta is not 0 then "
        "[length/time] [at rest]",
    )
    rotational_temperature: NotNegative | None = Field(
        None,
        description="kT of the distribution of angular velocities, in a flat region of those about "
        "its normal [energy] [no spin]",
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = Field(
        None, description="The seed of the random numbers [0 for the first fill, then 1, …]"
    )
    arrangement: Literal["random", "cubic", "fcc"] = Field(
        "random",
        description="At random (packing fraction up to about 0.64), on a cubic lattice (0.52), or "
        "on a face-centred cubic lattice (0.74); surplus lattice sites stay empty",
    )
    packing_fraction: PackingFraction | None = Field(
        None, description="The packing fraction of all balls; it gives the size of the cubic [box]"
    )
    material: Text | None = Field(None, description="The material of each ball, see [[ball]]")
    inertia_factor: InertiaFactor = Field(
        SOLID_SPHERE, description="The inertia_factor of each ball, see [[ball]]"
    )
    acceleration: Vector = Field(
        [0.0, 0.0, 0.0], description="The acceleration of each ball, see [[ball]]"
    )
    color: Color | None = Field(None, description="The color of each ball, see [[ball]]")

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
        description="A CSV file with the columns x, y, z, vx, vy, vz, radius, and optionally mass, "
        "restitution, name, color, wx, wy, wz, material, inertia_factor, ax, ay, az; its path is "
        "relative to the scene's folder"
    )
