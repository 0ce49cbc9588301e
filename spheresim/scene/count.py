"""What a scene counts: impacts, or crossings of a gate."""

from collections.abc import Sequence
from typing import NamedTuple

from spheresim.analysis.crossings import Gate
from spheresim.model.balls import Balls


class Count(NamedTuple):
    """One of the counts of a scene.

    kinds: the column of balls that tells them apart, "color" or "material", None: all are alike;
    of, bins: of a histogram, None without one; gate: whose crossings are counted, None: impacts.
    """

    name: str
    kinds: str | None = None
    of: str | None = None
    bins: tuple[float, ...] | None = None
    gate: Gate | None = None

    def kinds_of(self, balls: Balls) -> Sequence[str] | None:
        """The kind of each ball; "ball" where it has no color or material."""
        if self.kinds is None:
            return None
        return [label or "ball" for label in getattr(balls, self.kinds)]
