"""The tables of materials in a scene file: single ones, and pairs that meet."""

from typing import Annotated

from pydantic import Field

from spheresim.scene.tables.fields import (
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
    """What surfaces are made of. Two that meet take the smaller of each value."""

    name: Text = Field(description="What balls and obstacles call it in their field material")
    restitution: RestitutionLaw = Field(None, description=f"{_LAW} [the scene's]")
    tangential_restitution: TangentialRestitution | None = Field(
        None, description="From -1, smooth, to 1, perfectly rough [the scene's]"
    )
    friction: NotNegative | None = Field(
        None,
        description="Coulomb's: the greatest ratio of the impulse along the surface to that "
        "along the normal [the scene's]",
    )


class MaterialPairTable(Table):
    """What happens where two materials meet, in place of the smaller values of the two."""

    materials: Annotated[list[Text], Field(min_length=2, max_length=2)] = Field(
        description="The names of the two, or one of them twice"
    )
    restitution: RestitutionLaw = Field(None, description=f"{_LAW} [the smaller of the two]")
    tangential_restitution: TangentialRestitution | None = Field(
        None, description="As of a material [the smaller of the two]"
    )
    friction: NotNegative | None = Field(
        None, description="As of a material [the smaller of the two]"
    )
