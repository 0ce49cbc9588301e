"""A playback: states at evenly spaced keyframes, and the impacts between them."""

from typing import Any, Protocol

from spheresim.analysis.energy import Drift
from spheresim.model.state import World
from spheresim_viewer.timeline.energies import Energies
from spheresim_viewer.timeline.history import ImpactBatch
from spheresim_viewer.timeline.interpolation import Keyframe
from spheresim_viewer.timeline.population import Population, Settings


class Playback(Protocol):
    """States at knots 0, 1, 2, …, to be had in any order, and the impacts between them.

    step: from knot to knot [time]; engine_step: the engine's; last: the number of the last knot,
    or infinity; falling: whether balls fall between knots, or were kicked and fly straight;
    furthest: the last knot that was computed so far; figures: energies evenly apart.
    """

    population: Population
    settings: Settings
    world: World
    step: float
    falling: bool
    engine_step: float

    @property
    def last(self) -> float: ...

    @property
    def furthest(self) -> int: ...

    @property
    def figures(self) -> list[Energies]: ...

    @property
    def drift(self) -> Drift: ...

    def time_of(self, k: int) -> float:
        """When knot k is."""

    def number_at(self, time: float) -> int:
        """The last knot at or before a time, of those that are or can be."""

    def reach(self, k: int, seconds: float) -> int:
        """Work towards knot k for about so long; the last knot till it that can be had now."""

    def keyframe(self, k: int) -> Keyframe:
        """The state at knot k, computed if need be."""

    def impacts_in(self, k: int) -> Any:
        """The impacts between knots k and k + 1."""

    def batch_from(self, k: int) -> ImpactBatch:
        """Impacts from knot k, which is in reach, to some later one, at little work."""

    def batch_before(self, k: int, seconds: float) -> ImpactBatch | None:
        """Impacts from some earlier knot to knot k, if so much work is enough."""

    def impacts_until(self, times: Any) -> Any:
        """How many impacts there were till each of some times, (m,)."""

    def base(self, k: int) -> int:
        """A knot before k from which k can be computed."""
