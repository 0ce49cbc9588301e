"""A playback: states at evenly spaced keyframes, and the impacts between them."""

from typing import Protocol

from spheresim.analysis.drift import Drift
from spheresim.collision.impacts import Impacts
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats, Integers
from spheresim_viewer.timeline.energies import Energies
from spheresim_viewer.timeline.history import ImpactBatch
from spheresim_viewer.timeline.interpolation import Keyframe
from spheresim_viewer.timeline.population import Population, Settings


class Playback(Protocol):
    """States at keyframes 0, 1, 2, …, available in any order, and the impacts between them.

    step: time between keyframes; engine_step: timestep of the engine; last: number of the last
    keyframe, or infinity; falling: whether balls fall in parabolas (else gravity changes
    velocities at the start of each step of the engine and balls fly straight); furthest: the
    last keyframe computed so far; figures: energies of evenly spaced keyframes; has_all_impacts:
    whether no impact is missing, as in a run that was recorded without impacts.
    """

    population: Population
    settings: Settings
    world: World
    step: float
    falling: bool
    engine_step: float
    has_all_impacts: bool

    @property
    def last(self) -> float: ...

    @property
    def furthest(self) -> int: ...

    @property
    def figures(self) -> list[Energies]: ...

    @property
    def drift(self) -> Drift: ...

    def time_of(self, k: int) -> float:
        """The time of keyframe k."""

    def number_at(self, time: float) -> int:
        """The number of the last keyframe at or before a time."""

    def reach(self, k: int, seconds: float) -> int:
        """Compute towards keyframe k for about so many seconds; the keyframe that was reached."""

    def keyframe(self, k: int) -> Keyframe:
        """The state at keyframe k, computed if necessary."""

    def between(self, k: int, time: float) -> tuple[Floats, Floats]:
        """Positions and velocities, (n, 3) each, at a time between keyframes k and k + 1."""

    def impacts_in(self, k: int) -> Impacts:
        """The impacts between keyframes k and k + 1."""

    def batch_from(self, k: int) -> ImpactBatch:
        """The impacts from keyframe k to a later one, as many as need little work."""

    def batch_before(self, k: int, seconds: float) -> ImpactBatch | None:
        """The impacts from an earlier keyframe to k; None if that takes more seconds."""

    def impacts_until(self, times: Floats) -> Floats | Integers:
        """The number of impacts until each of some times, shape (m,)."""

    def base(self, k: int) -> int:
        """A keyframe before k from which k can be computed."""
