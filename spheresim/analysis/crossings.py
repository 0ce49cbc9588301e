"""Crossings of a surface that stops nothing: a flux, counted at exact times.

Between impacts a ball's path follows from its last impact, so no event of the engine is needed:
each leg of a path is looked at once, when the impact that ends it is known.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.analysis.bins import column_of, edges_of
from spheresim.analysis.gate_paths import (
    BACKWARD,
    FORWARD,
    UNKNOWN,
    Counts,
    GateCount,
    Paths,
    Surface,
    follow,
    follow_to,
    set_sides,
)
from spheresim.collision.flights import Flights
from spheresim.collision.impacts import Impacts
from spheresim.collision.step_kicks import Clock
from spheresim.model.state import State
from spheresim.numerics.arguments import direction_of, finite_vector, positive
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.vector import TVector, VectorLike

COUNTED = ("x", "y", "z", "t", "vn", "speed")
"""Of which there may be histograms: the place (in a periodic box the image nearest to the gate's
point), the time, the velocity along the normal, the speed."""


class _PointNormalRadius(NamedTuple):
    point: TVector
    normal: TVector
    radius: float


class Gate(_PointNormalRadius):
    """A plane, or a disc in it, through which balls pass.

    point: on the plane, and the centre of the disc, (3,) [length]; normal: the direction in which
    crossings count as forward; radius: of the disc, by default the whole plane [length]. ValueError
    or TypeError for wrong values.

    >>> Gate((0, 1, 0), (0, 2, 0))
    Gate(point=TVector(x=0.0, y=1.0, z=0.0), normal=TVector(x=0.0, y=1.0, z=0.0), radius=inf)
    """

    __slots__ = ()

    def __new__(cls, point: VectorLike, normal: VectorLike, radius: float = math.inf) -> "Gate":
        if radius != math.inf:
            radius = positive(radius, "a gate's radius")
        along = direction_of(normal, "a gate's normal")
        return super().__new__(cls, finite_vector(point, "a gate's point"), along, radius)


class Surroundings(NamedTuple):
    """What the paths of balls follow from besides their impacts.

    mass: (n,); acceleration: (n, 3), of balls that nothing holds; size: of the periods of space, 0
    along open axes; step: the timestep, 0 where flights are parabolas.
    """

    mass: Floats
    acceleration: Floats
    size: TVector
    step: float


class Crossing(NamedTuple):
    """The crossings by one kind of balls.

    forward, backward: their numbers, along the normal and against it; forward_histogram,
    backward_histogram: (b,), how many of them fell into each bin.
    """

    forward: int
    backward: int
    forward_histogram: Integers
    backward_histogram: Integers

    @property
    def net(self) -> int:
        """Forward minus backward."""
        return self.forward - self.backward


class Crossings:
    """Counts of the crossings of a gate by the centres of balls, by kinds of balls.

    kinds: (n,), the kind of each ball; None: all are "ball". of: one of `COUNTED`, of which there
    are histograms in the `bins`, edges (b + 1,). `counts["red"]` is a `Crossing`.
    """

    def __init__(
        self,
        gate: Gate,
        surroundings: Surroundings,
        kinds: Sequence[Any] | None = None,
        of: str | None = None,
        bins: npt.ArrayLike | None = None,
    ) -> None:
        column = column_of(of, bins, COUNTED)
        n = len(surroundings.mass)
        self.gate = gate
        self.kinds = ["ball"] if kinds is None else list(dict.fromkeys(kinds))
        codes = [0] * n if kinds is None else [self.kinds.index(kind) for kind in kinds]
        self.edges = edges_of(bins)
        shape = len(self.kinds), 2
        self._counts = Counts(
            *(np.array(codes, dtype=np.int64), column or 0, self.edges),
            np.zeros(shape, dtype=np.int64),
            np.zeros((*shape, max(len(self.edges) - 1, 0)), dtype=np.int64),
        )
        self._surroundings = surroundings
        period = _period_along(gate.normal, surroundings.size)
        self._surface = Surface(*gate, surroundings.size, period)
        self._paths = Paths(
            *(np.full((n, 3), np.nan), np.zeros((n, 3)), surroundings.acceleration.copy()),
            *(np.zeros(n), np.full(n, UNKNOWN, dtype=np.int64)),
            *(np.zeros(n, dtype=np.bool_), np.zeros(n)),
        )
        self._clock = Clock(surroundings.step, math.inf)

    @property
    def balls(self) -> int | None:
        """The number of balls for which it was made."""
        return len(self._counts.kind)

    def clear(self) -> None:
        """Begin to count anew, as after a gas has settled."""
        self._counts.number[:] = 0
        self._counts.histogram[:] = 0

    def begin(self, state: State, held: Booleans, origin: float, until: float) -> None:
        """A simulation goes on from a state to a time at the latest. held: (n,), balls that are not
        free; origin: the time from which steps are counted."""
        self._clock = Clock(self._surroundings.step, until, origin)
        self._paths.acceleration[:] = self._surroundings.acceleration
        self._paths.on_chord[:] = held
        set_sides(state.position, self._paths, self._surface)
        self._set(state)

    def add(self, batch: Impacts, flights: Flights) -> None:
        """Follow the balls through a batch of impacts, with the flights that these do not imply."""
        follow(batch, flights, self._gate_count, self._surroundings.mass)

    @property
    def _gate_count(self) -> GateCount:
        return GateCount(self._paths, self._surface, self._clock, self._counts)

    def end(self, state: State) -> None:
        """The simulation has come to a state."""
        now = float(state.time[0])
        follow_to(now, state.position, self._gate_count)
        self._set(state)

    def _set(self, state: State) -> None:
        self._paths.position[:] = state.position
        self._paths.velocity[:] = state.velocity
        self._paths.since[:] = state.time[0]

    def save(self) -> dict[str, Any]:
        """What it takes to count on: arrays by name."""
        counts, paths = self._counts, self._paths
        arrays = {"number": counts.number, "histogram": counts.histogram}
        return {**arrays, "side": paths.side, "reach": paths.reach}

    def figures(self) -> dict[str, Any]:
        """For `run.json`."""
        rows = []
        for kind in self.kinds:
            count = self[kind]
            row = {"of": kind, "forward": count.forward, "backward": count.backward}
            if len(self.edges):
                row["forward_histogram"] = count.forward_histogram.tolist()
                row["backward_histogram"] = count.backward_histogram.tolist()
            rows.append(row)
        return {"kinds": rows, **({"bins": self.edges.tolist()} if len(self.edges) else {})}

    def __getitem__(self, kind: str) -> Crossing:
        if kind not in self.kinds:
            raise KeyError(f"a kind is one of {self.kinds}, not {kind!r}")
        row = self.kinds.index(kind)
        number, histogram = self._counts.number[row], self._counts.histogram[row].copy()
        return Crossing(int(number[FORWARD]), int(number[BACKWARD]), *histogram)

    def __repr__(self) -> str:
        lines = (f"{kind}: {self[kind].forward} forward, {self[kind].backward} backward"
                 for kind in self.kinds)  # fmt: skip
        return "\n".join(lines)


def _period_along(normal: TVector, size: TVector) -> float:
    """The distance of a gate from its next image in periodic space; 0 where it has none."""
    crossed = [(abs(n), side) for n, side in zip(normal, size, strict=True) if n and side]
    if not crossed:
        return 0.0
    if len(crossed) > 1 or crossed[0][0] != 1.0:
        raise ValueError(
            "a gate in a periodic box must have its normal along a periodic axis, or perpendicular "
            f"to all periodic axes, not {tuple(normal)}"
        )
    return float(crossed[0][1])
