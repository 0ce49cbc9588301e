"""The tables [[count]] of a scene file."""

from typing import Literal

from pydantic import Field

from spheresim.analysis.crossings import COUNTED as OF_CROSSINGS
from spheresim.analysis.impact_counts import COUNTED as OF_IMPACTS
from spheresim.scene.schema.fields import Direction, Number, Positive, Table, Text, Vector


class GateTable(Table):
    """A plane, or a disc in it, that stops nothing."""

    point: Vector = Field(description="On the plane; the centre of the disc [length]")
    normal: Direction = Field(description="Crossings along it are forward; of any length but 0")
    radius: Positive | None = Field(None, description="Of the disc [length] [the whole plane]")


class CountTable(Table):
    """Impacts, or crossings of a gate by the centres of balls, counted; for run.json."""

    name: Text = Field(description="What it is called in run.json")
    gate: GateTable | None = Field(
        None, description="A surface that stops nothing, whose crossings are counted [impacts are]"
    )
    kinds: Literal["color", "material"] | None = Field(
        None, description="What tells kinds of balls apart [all are alike]"
    )
    of: Text | None = Field(
        None,
        description=f"Of what there is a histogram: of impacts {', '.join(OF_IMPACTS)}; of "
        f"crossings {', '.join(OF_CROSSINGS)} [no histogram]",
    )
    bins: list[Number] | None = Field(None, description="The edges of its bins, which rise")
