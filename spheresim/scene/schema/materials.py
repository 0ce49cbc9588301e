"""The tables of materials in a scene file: single ones, and pairs that meet."""

from typing import Annotated

from pydantic import Field

from spheresim.scene.schema.fields import (
    NotNegative,
    RestitutionLaw,
    Table,
    TangentialRestitution,
    Text,
)

_LAW = (
    "A number from 0 to 1; or { loss, exponent = 0.2 }: 1 − loss·v^exponent at the speed of "
    "approach v; or pairs [v, restitution], linear between them"
)


class MaterialTable(Table):
    """A material. An impact of two materials takes the smaller of each of their values."""

    name: Text = Field(description="The name, for the field material of balls and obstacles")
    restitution: RestitutionLaw = Field(None, description=f"{_LAW} [the scene's]")
    tangential_restitution: TangentialRestitution | None = Field(
        None, description="From -1 (smooth) to 1 (perfectly rough) [the scene's]"
    )
    friction: NotNegative | None = Field(
        None,
        description="Coulomb's μ: the largest ratio of the tangential to the normal impulse [the "
        "scene's]",
    )


class MaterialPairTable(Table):
    """Impacts between two materials, in place of the smaller of their values."""

    materials: Annotated[list[Text], Field(min_length=2, max_length=2)] = Field(
        description="The names of the two materials, or one name twice"
    )
    restitution: RestitutionLaw = Field(None, description=f"{_LAW} [the smaller of the two]")
    tangential_restitution: TangentialRestitution | None = Field(
        None, description="As for a [[material]] [the smaller of the two]"
    )
    friction: NotNegative | None = Field(
        None, description="As for a [[material]] [the smaller of the two]"
    )
