"""Crossings of a surface that stops nothing: a flux, counted at exact times.

Between impacts a ball's path follows from its last impact, so no event of the engine is needed:
each leg of a path is looked at once, when the impact that ends it is known.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.analysis.bins import column_of, edges_of
from spheresim.collision.flights import Flights
from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.collision.journal import TANGENTIAL
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.model.state import State
from spheresim.numerics.arguments import direction_of, finite_vector, positive
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector, VectorLike

COUNTED = ("x", "y", "z", "t", "vn", "speed")
"""Of which there may be histograms: the place (in a periodic box the image nearest to the gate's
point), the time, the velocity along the normal, the speed."""

FORWARD, BACKWARD = range(2)

_WHOLE = 1e-9
"""A time nearer than this to a whole number of steps, relatively, is the end of a step."""


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

    mass: Any
    acceleration: Any
    size: TVector
    step: float


class Crossing(NamedTuple):
    """The crossings by one kind of balls.

    forward, backward: their numbers, along the normal and against it; forward_histogram,
    backward_histogram: (b,), how many of them fell into each bin.
    """

    forward: int
    backward: int
    forward_histogram: Any
    backward_histogram: Any

    @property
    def net(self) -> int:
        """Forward minus backward."""
        return self.forward - self.backward


class _Paths(NamedTuple):
    """Where each ball was, how fast, with which acceleration, at which time `since`, and on which
    side of the gate; on_chord: whether its path is not known, and taken as straight."""

    position: Any
    velocity: Any
    acceleration: Any
    since: Any
    side: Any
    on_chord: Any


class _Clock(NamedTuple):
    """Steps begin at origin + k·step, and the last ends at `end`; step 0: there are none."""

    origin: float
    step: float
    end: float


class _Counts(NamedTuple):
    """kind: (n,); column: of `COUNTED`; edges: (b + 1,); number: (kinds, 2); histogram: (kinds, 2,
    b)."""

    kind: Any
    column: int
    edges: Any
    number: Any
    histogram: Any


class _Surface(NamedTuple):
    """A gate in space with the periods `size`; period: along its normal, 0 where space is open."""

    point: TVector
    normal: TVector
    radius: float
    size: TVector
    period: float


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
        bins: Any = None,
    ) -> None:
        column = column_of(of, bins, COUNTED)
        n = len(surroundings.mass)
        self.gate = gate
        self.kinds = ["ball"] if kinds is None else list(dict.fromkeys(kinds))
        codes = [0] * n if kinds is None else [self.kinds.index(kind) for kind in kinds]
        self.edges = edges_of(bins)
        shape = len(self.kinds), 2
        self._counts = _Counts(
            *(np.array(codes, dtype=np.int64), column or 0, self.edges),
            np.zeros(shape, dtype=np.int64),
            np.zeros((*shape, max(len(self.edges) - 1, 0)), dtype=np.int64),
        )
        self._surroundings = surroundings
        period = _period_along(gate.normal, surroundings.size)
        self._surface = _Surface(*gate, surroundings.size, period)
        self._paths = _Paths(
            *(np.full((n, 3), np.nan), np.zeros((n, 3)), surroundings.acceleration.copy()),
            *(np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)),
        )
        self._clock = _Clock(0.0, surroundings.step, math.inf)

    @property
    def balls(self) -> int | None:
        """The number of balls for which it was made."""
        return len(self._counts.kind)

    def clear(self) -> None:
        """Begin to count anew, as after a gas has settled."""
        self._counts.number[:] = 0
        self._counts.histogram[:] = 0

    def begin(self, state: State, held: Any, origin: float, until: float) -> None:
        """A simulation goes on from a state to a time at the latest. held: (n,), balls that are not
        free; origin: the time from which steps are counted."""
        self._clock = _Clock(origin, self._surroundings.step, until)
        self._paths.acceleration[:] = self._surroundings.acceleration
        self._paths.on_chord[:] = held
        _set_sides(state.position, self._paths, self._surface)
        self._set(state)

    def add(self, batch: Impacts, flights: Flights) -> None:
        """Follow the balls through a batch of impacts, with the flights that these do not imply."""
        _follow(
            batch,
            flights,
            self._paths,
            self._surface,
            self._clock,
            self._counts,
            self._surroundings.mass,
        )

    def end(self, state: State) -> None:
        """The simulation has come to a state."""
        now = float(state.time[0])
        _follow_to(now, state.position, self._paths, self._surface, self._clock, self._counts)
        self._set(state)

    def _set(self, state: State) -> None:
        self._paths.position[:] = state.position
        self._paths.velocity[:] = state.velocity
        self._paths.since[:] = state.time[0]

    def save(self) -> dict[str, Any]:
        """What it takes to count on: arrays by name."""
        return {"number": self._counts.number, "histogram": self._counts.histogram}

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

    def __getitem__(self, kind: Any) -> Crossing:
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
            "a gate in a periodic box must be along its periodic axes, or across one of them, and "
            f"its normal is {tuple(normal)}"
        )
    return float(crossed[0][1])


@inlined
def _side(height: float, period: float) -> int:
    """How many images of the gate are below a height over it, or if it is above the only one."""
    if period > 0.0:
        return math.floor(height / period)
    return 1 if height >= 0.0 else 0


@kernel
def _follow(
    batch: Impacts,
    flights: Flights,
    paths: _Paths,
    surface: _Surface,
    clock: _Clock,
    counts: _Counts,
    mass: Any,
) -> None:
    """Follow the balls through impacts, and flights that these do not imply."""
    names, numbers, flight = batch.names, batch.numbers, 0
    for row in range(len(names) + 1):
        while flight < len(flights.names) and flights.names[flight, 0] <= row:
            _take_flight(
                flights.names[flight], flights.numbers[flight], paths, surface, clock, counts
            )
            flight += 1
        if row == len(names) or names[row, 0] > OBSTACLE:
            continue
        for side in range(2 if names[row, 0] == BALL else 1):
            i = names[row, 1 + side]
            if paths.on_chord[i]:
                continue
            _fly_to(i, numbers[row, 0], paths, surface, clock, counts)
            impulse = vector_at(numbers[:, 4:7], row) * numbers[row, 9]
            if numbers.shape[1] > TANGENTIAL:
                impulse = impulse + vector_at(numbers[:, TANGENTIAL:], row)
            change = impulse * ((1.0 if side == 0 else -1.0) / mass[i])
            set_vector(paths.velocity, i, vector_at(paths.velocity, i) + change)


@inlined
def _take_flight(
    names: Any, numbers: Any, paths: _Paths, surface: _Surface, clock: _Clock, counts: _Counts
) -> None:
    """Go to where a logged flight begins, and along it from then on."""
    i, x = names[1], TVector(numbers[1], numbers[2], numbers[3])
    _go_to(i, numbers[0], x, paths, surface, clock, counts)
    set_vector(paths.position, i, x)
    set_vector(paths.velocity, i, TVector(numbers[4], numbers[5], numbers[6]))
    set_vector(paths.acceleration, i, TVector(numbers[7], numbers[8], numbers[9]))
    paths.on_chord[i] = names[3] != 0


@kernel
def _follow_to(
    now: float,
    position: Any,
    paths: _Paths,
    surface: _Surface,
    clock: _Clock,
    counts: _Counts,
) -> None:
    for i in range(len(position)):
        x, v = vector_at(position, i), vector_at(paths.velocity, i)
        _go_to(i, now, x, paths, surface, clock, counts)
        # What rounding, or a path that was not known, has left.
        there = _side((x - surface.point).dot(surface.normal), surface.period)
        while paths.side[i] != there:
            step = 1 if there > paths.side[i] else -1
            paths.side[i] += step
            _count(i, FORWARD if step > 0 else BACKWARD, now, x, v, surface, counts)


@kernel
def _set_sides(position: Any, paths: _Paths, surface: _Surface) -> None:
    for i in range(len(position)):
        height = (vector_at(position, i) - surface.point).dot(surface.normal)
        paths.side[i] = _side(height, surface.period)


@routine
def _go_to(
    i: int,
    time: float,
    there: TVector,
    paths: _Paths,
    surface: _Surface,
    clock: _Clock,
    counts: _Counts,
) -> None:
    """Follow ball i to a time; straight to where it is then, if its path is not known."""
    span = time - paths.since[i]
    if paths.on_chord[i] and span > 0.0:
        straight = (there - vector_at(paths.position, i)) * (1.0 / span)
        _cross(i, span, straight, straight * 0.0, paths, surface, counts)
        paths.since[i] = time
    elif not paths.on_chord[i]:
        _fly_to(i, time, paths, surface, clock, counts)


@routine
def _fly_to(
    i: int, time: float, paths: _Paths, surface: _Surface, clock: _Clock, counts: _Counts
) -> None:
    """Follow ball i on its flight to a time."""
    a = vector_at(paths.acceleration, i)
    if clock.step == 0.0 or a.mag_sqr() == 0.0:
        _leg(i, time, a, paths, surface, counts)
        return
    number = _steps_begun(paths.since[i], clock)
    last = _steps_begun(time, clock)
    while number < last:  # to the start of the next step, and its kick
        start = clock.origin + number * clock.step
        _leg(i, start, a * 0.0, paths, surface, counts)
        length = min(clock.step, clock.end - start)
        set_vector(paths.velocity, i, vector_at(paths.velocity, i) + a * length)
        number += 1
    _leg(i, time, a * 0.0, paths, surface, counts)


@inlined
def _steps_begun(time: float, clock: _Clock) -> int:
    """How many steps have begun before a time."""
    steps = (time - clock.origin) / clock.step
    return math.ceil(steps - _WHOLE * max(1.0, steps))


@routine
def _leg(
    i: int, time: float, a: TVector, paths: _Paths, surface: _Surface, counts: _Counts
) -> None:
    """Follow ball i along a parabola to a time."""
    span = max(0.0, time - paths.since[i])
    x, v = vector_at(paths.position, i), vector_at(paths.velocity, i)
    _cross(i, span, v, a, paths, surface, counts)
    set_vector(paths.position, i, x + v * span + a * (0.5 * span * span))
    set_vector(paths.velocity, i, v + a * span)
    paths.since[i] = time


@routine
def _cross(
    i: int, span: float, v: TVector, a: TVector, paths: _Paths, surface: _Surface, counts: _Counts
) -> None:
    """Count what ball i crosses from its place, on a parabola, within a time."""
    x = vector_at(paths.position, i)
    height = (x - surface.point).dot(surface.normal)
    vn, an = v.dot(surface.normal), a.dot(surface.normal)
    # In two parts where it turns back on its way: each rises or falls throughout.
    turn = -vn / an if an != 0.0 else span
    parts = 2 if 0.0 < turn < span else 1
    for part in range(parts):
        end = turn if part < parts - 1 else span
        there = _side(height + (vn + 0.5 * an * end) * end, surface.period)
        while paths.side[i] != there:
            step = 1 if there > paths.side[i] else -1
            level = surface.period * (paths.side[i] + (1 if step > 0 else 0))
            time = _time_at(height - level, vn, an, turn if part == 1 else 0.0, end)
            paths.side[i] += step
            where = x + v * time + a * (0.5 * time * time) - surface.normal * level
            at = paths.since[i] + time
            _count(i, FORWARD if step > 0 else BACKWARD, at, where, v + a * time, surface, counts)


@inlined
def _time_at(height: float, vn: float, an: float, first: float, last: float) -> float:
    """When height + vn·t + ½·an·t² is 0, in a part in which it rises or falls throughout."""
    if an == 0.0:
        return min(max(-height / vn, first), last) if vn != 0.0 else first
    root = math.sqrt(max(0.0, vn * vn - 2.0 * an * height))
    q = -(vn + math.copysign(root, vn))
    one = q / an
    other = 2.0 * height / q if q != 0.0 else one
    middle = 0.5 * (first + last)
    time = one if abs(one - middle) < abs(other - middle) else other
    return min(max(time, first), last)


@routine
def _count(
    i: int,
    direction: int,
    time: float,
    x: TVector,
    v: TVector,
    surface: _Surface,
    counts: _Counts,
) -> None:
    """Count a crossing at x, unless it is beside the disc."""
    d, size = x - surface.point, surface.size
    d = TVector(_nearest(d.x, size.x), _nearest(d.y, size.y), _nearest(d.z, size.z))
    if (d - surface.normal * d.dot(surface.normal)).mag_sqr() > surface.radius**2:
        return
    kind = counts.kind[i]
    counts.number[kind, direction] += 1
    bins = counts.histogram.shape[2]
    if bins == 0:
        return
    there = surface.point + d
    values = (there.x, there.y, there.z, time, v.dot(surface.normal), v.mag())
    value = values[counts.column]
    if counts.edges[0] <= value <= counts.edges[bins]:
        place = np.searchsorted(counts.edges, value, side="right") - 1
        counts.histogram[kind, direction, min(place, bins - 1)] += 1


@inlined
def _nearest(x: float, size: float) -> float:
    """A coordinate of the nearest image."""
    return x - size * math.floor(x / size + 0.5) if size > 0.0 else x
