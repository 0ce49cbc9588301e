"""The exact engine as Python sees it: go on, look, take the impacts out."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from spheresim.events.advance import advance, begin_anew, look
from spheresim.events.calendar import empty_calendar
from spheresim.events.cells import clear, empty_cells
from spheresim.events.flight import (
    BALL_FIELDS,
    BALL_IMPACTS,
    BLOCK_IMPACTS,
    BLOCKS,
    BODY_FIELDS,
    COLLAPSE_ANSWERS,
    DEEPEST_OVERLAP,
    EVENT_FIELDS,
    FALLING_BALL_FIELDS,
    JAMMED,
    NOW,
    OBSTACLE_IMPACTS,
    RECORDED,
    RECORDING,
    RECORDS,
    ROW,
    VIRIAL,
    Around,
    Falling,
    Flight,
    Straight,
    absolute,
    records,
)
from spheresim.events.space import smallest_period, space_of
from spheresim.events.statistics import (
    BALLS_SO_FAR,
    BLOCKS_KEPT,
    KINETIC,
    OBSTACLES_SO_FAR,
    SPEEDS,
    TIME,
    VIRIAL_SO_FAR,
)
from spheresim.impacts import Impacts, Tally, recorded_impacts
from spheresim.lanes import EQUALS, LANES, on_lines
from spheresim.state import State, World

_IMPACTS_AT_ONCE = 100_000
"""What is done between two moments at which Python can be interrupted."""

_NEIGHBOURS_WANTED = 13.0
"""With more, too many are asked in vain, with fewer neighbourhoods are left too often.
Measured: at packing fraction .1 ten would be 5 % faster, at .49 sixteen 1 %."""

_FEW_BALLS = 24
"""Up to so many, all are neighbours of all, and nobody ever leaves his neighbourhood."""

_EVERYTHING = 1e77
"""A margin that holds all coordinates that a scene may have, and can be squared."""

_LEAST_BLOCK = 1000

_SPREAD = [
    (32, 0x001F00000000FFFF),
    (16, 0x001F0000FF0000FF),
    (8, 0x100F00F00F00F00F),
    (4, 0x10C30C30C30C30C3),
    (2, 0x1249249249249249),
]
"""Shifts that halve the groups of bits that are still together, and where those are then."""

_PASSING = ("found", "lanes", "names", "numbers")


class Events:
    """Advances a state from impact to impact.

    The state's arrays are the caller's: what is written into them between two calls is
    adopted, and prediction starts anew. `step` is only what `step_once` goes on by.
    """

    def __init__(self, world: World, state: State, step: float) -> None:
        self._world = world
        self._state = state
        self._step = step
        density = _density(world, state)
        margin = _margins(world, density)
        gravity = world.gravity.mag_sqr() > 0.0
        lead, early = _lead_and_early(world, density)
        self._around = Around(
            world.obstacles,
            space_of(world.box),
            (Falling if gravity else Straight)(world.gravity),
            # Under gravity some of the margin is left for the bend of the path.
            lead * (0.7 if gravity else 1.0),
            early,
        )
        order = _order(state.position, 2.0 * float(np.median(world.radius + margin)))
        self._margin = margin[order]
        self._flight = _take_off(world, state, order, self._margin)
        self._shown = state.position.copy(), state.velocity.copy()
        self._begin()
        self._flight.block[0] = self.snapshots[-1]

    @property
    def step(self) -> float:
        """How far `step_once` goes."""
        return self._step

    @property
    def tally(self) -> Tally:
        """Impacts, answers by the collapse rule, deepest overlap at an impact; no steps."""
        count = self._flight.count
        return Tally(
            0,
            int(count[BALL_IMPACTS]),
            int(count[OBSTACLE_IMPACTS]),
            int(count[COLLAPSE_ANSWERS]),
            max(0.0, float(self._flight.measure[DEEPEST_OVERLAP])),
        )

    @property
    def fault(self) -> str | None:
        """Why it cannot go on, or None."""
        jammed = int(self._flight.count[JAMMED]) - 1
        if jammed < 0:
            return None
        return (
            f"ball {jammed} is jammed at t = {float(self._state.time[0])!r}: it is hit again "
            "and again without any time between, and there is no room into which it could move"
        )

    def run(
        self, until: float, is_interrupted: Callable[[], bool] = lambda: False
    ) -> list[Impacts]:
        """Go to a time; it stays before it where it is interrupted, or cannot go on."""
        return self._advance(until, is_interrupted=is_interrupted)

    def run_impacts(
        self, impacts: int, before: float, is_interrupted: Callable[[], bool] = lambda: False
    ) -> list[Impacts]:
        """Go on for so many impacts, and stop at the last; or at a time, if that is before."""
        return self._advance(before, impacts, is_interrupted)

    def next_impact(self, before: float) -> list[Impacts]:
        """Go to the next impact and stop there, or at a time."""
        return self._advance(before, 1)

    def step_once(self) -> list[Impacts]:
        """Go on by one step."""
        return self._advance(float(self._state.time[0]) + self._step)

    def compile(self) -> None:
        """Compile all kernels, without going on."""
        self._advance(float(self._state.time[0]))

    @property
    def snapshots(self) -> Any:
        """Rows of running sums, see `statistics` for the columns; the last is of now."""
        flight, state, world = self._flight, self._state, self._world
        kept = flight.block[: flight.count[BLOCKS]]
        speed = np.sqrt((state.velocity**2).sum(axis=1))
        now = np.zeros((1, kept.shape[1]))
        now[0, TIME] = state.time[0]
        now[0, BALLS_SO_FAR] = flight.count[BALL_IMPACTS]
        now[0, OBSTACLES_SO_FAR] = flight.count[OBSTACLE_IMPACTS]
        now[0, VIRIAL_SO_FAR] = flight.measure[VIRIAL]
        now[0, KINETIC] = 0.5 * float(world.mass @ speed**2)
        now[0, SPEEDS] = float(speed.sum())
        return np.concatenate([kept, now])

    def save(self) -> dict[str, Any]:
        """All that it takes to go on from here, as arrays by name."""
        return {**dict(_lasting(self._flight)), "time": self._state.time}

    def restore(self, time: float, position: Any, velocity: Any) -> None:
        """Go on from another state: all is predicted anew, so later digits may differ."""
        state = self._state
        state.time[0] = time
        state.position[:] = position
        state.velocity[:] = velocity
        self._flight.count[JAMMED] = 0
        self._begin()
        self._show(time)

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `save` gave, to the last bit; ValueError if it is of another scene."""
        arrays = dict(_lasting(self._flight))
        for name, array in arrays.items():
            if name not in saved or saved[name].shape != array.shape:
                raise ValueError(f"it does not fit the scene, which has another {name}")
            if saved[name].dtype != array.dtype:
                raise ValueError(f"it is of another version of the engine: {name} differs")
        if not np.array_equal(saved["body"]["mass"], arrays["body"]["mass"]):
            raise ValueError("it does not fit the scene, whose balls have other masses")
        for name, array in arrays.items():
            np.copyto(array, saved[name])
        self._show(float(saved["time"][0]))

    def record(self, wanted: bool) -> None:
        """Whether impacts are written down, and handed over by `run`."""
        self._flight.count[RECORDING] = int(wanted)

    def _advance(
        self,
        until: float,
        impacts: float = math.inf,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> list[Impacts]:
        self._adopt_edits()
        batches = []
        arrived = False
        while not arrived and impacts > 0 and not is_interrupted():
            budget = int(min(impacts, _IMPACTS_AT_ONCE))
            before = self._impacts_done()
            arrived = advance(self._around, self._flight, until, budget)
            batches.append(self._take_impacts())
            impacts -= self._impacts_done() - before
            if self._flight.count[JAMMED]:
                break
        self._show(until if arrived else absolute(self._flight, self._flight.measure[NOW]))
        return batches

    def _impacts_done(self) -> int:
        count = self._flight.count
        return int(count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS])

    def _take_impacts(self) -> Impacts:
        count = self._flight.count
        recorded = int(count[RECORDED])
        count[RECORDED] = 0
        names = self._flight.names[:recorded].copy()
        numbers = self._flight.numbers[:recorded].copy()
        return recorded_impacts(numbers[:, 0], names, numbers[:, 1:])

    def _show(self, time: float) -> None:
        """Let the state say where everything is at a time."""
        state = self._state
        look(self._around, self._flight, time, state.position, state.velocity)
        state.time[0] = time
        for copy, array in zip(self._shown, (state.position, state.velocity), strict=True):
            np.copyto(copy, array)

    def _adopt_edits(self) -> None:
        state = self._state
        if all(map(np.array_equal, self._shown, (state.position, state.velocity))):
            return
        if not (np.isfinite(state.position).all() and np.isfinite(state.velocity).all()):
            raise ValueError("a position or velocity that was written into the state is not finite")
        self._begin()

    def _begin(self) -> None:
        """Predict everything from the state as it is."""
        state, flight, cells = self._state, self._flight, self._flight.cells
        flight.row.reshape(-1, ROW)[:, 0] = 0
        flight.row.reshape(-1, ROW)[:, 1:] = np.arange(len(flight.ball))[:, np.newaxis]
        clear(cells)
        time = float(state.time[0])
        begin_anew(self._around, flight, time, state.position, state.velocity, self._margin)


def _arrays(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All arrays in nested named tuples, by path."""
    for name, part in tree._asdict().items():
        if hasattr(part, "_asdict"):
            yield from _arrays(part, f"{path}{name}.")
        else:
            yield path + name, part


def _lasting(flight: Flight) -> Iterator[tuple[str, Any]]:
    """All arrays but those that hold nothing between two calls."""
    return ((name, part) for name, part in _arrays(flight) if name not in _PASSING)


def _take_off(world: World, state: State, order: Any, margin: Any) -> Flight:
    """Arrays for balls in the given order, none of them in the air yet."""
    n = len(order)
    falls = world.gravity.mag_sqr() > 0.0
    ball = records(n, FALLING_BALL_FIELDS if falls else BALL_FIELDS)
    ball.radius = world.radius[order]
    body = records(n, BODY_FIELDS)
    body.mass, body.restitution = world.mass[order], world.restitution[order]
    body.name = order
    reach = ball.radius + margin
    _, body.level = np.unique(np.floor(np.log2(reach / reach.min())), return_inverse=True)
    box = world.box
    sides = [0.0] * 3
    if box is not None:
        sides = [a if wraps else 0.0 for a, wraps in zip(box.size, box.periodic, strict=True)]
    extent = np.ptp(state.position, axis=0) + 2.0 * float(reach.max())
    count = np.zeros(10, dtype=np.int64)
    count[RECORDING] = 1
    count[BLOCKS], count[BLOCK_IMPACTS] = 1, max(_LEAST_BLOCK, n)
    return Flight(
        ball=ball,
        event=records(n, EVENT_FIELDS),
        body=body,
        image=np.zeros((n, 3)),
        row=on_lines(n * ROW, np.uint32),
        found=np.zeros(2 * n + EQUALS, dtype=np.uint32),
        lanes=on_lines(len(ball.dtype) * LANES, np.float64),
        cells=empty_cells(reach, body.level, sides, extent),
        calendar=empty_calendar(n),
        names=np.zeros((RECORDS, 3), dtype=np.int64),
        numbers=np.zeros((RECORDS, 10)),
        block=np.zeros((BLOCKS_KEPT, 6)),
        count=count,
        measure=np.zeros(5),
    )


def _density(world: World, state: State) -> float:
    """Balls per volume where a ball typically is, which may be a heap in a large box."""
    n = len(world.radius)
    spread = np.ptp(state.position, axis=0) + 2.0 * float(world.radius.max())
    if world.box is not None:
        spread = np.where(world.box.periodic, world.box.size, spread)
    density = n / float(np.prod(spread))
    if n <= _FEW_BALLS:
        return density
    for _ in range(20):
        width = (8.0 / density) ** (1.0 / 3.0)
        cell = np.floor((state.position - state.position.min(axis=0)) / width)
        code = np.minimum(cell, 2.0**20).astype(np.int64) @ np.array([1 << 42, 1 << 21, 1])
        _, where, count = np.unique(code, return_inverse=True, return_counts=True)
        typical = float(np.median(count[where])) / width**3
        if typical < 3.0 * density:
            break
        density = typical
    return density


def _margins(world: World, density: float) -> Any:
    """How far each ball may go in its neighbourhood, for the wanted number of neighbours.

    On a periodic axis so little that a ball meets only the nearest image of another.
    """
    most = (0.499 * smallest_period(world.box) - 2.0 * float(world.radius.max())) / 4.0
    if most <= 0.0:
        raise ValueError(
            f"box must be more than 4.02 times the largest radius, {world.radius.max()!r}, "
            f"along a periodic axis, not {smallest_period(world.box)!r}"
        )
    if len(world.radius) <= _FEW_BALLS:
        return np.full(len(world.radius), min(_EVERYTHING, most))
    reach = 0.5 * (_NEIGHBOURS_WANTED / density * 0.75 / math.pi) ** (1.0 / 3.0)
    radius = float(np.mean(world.radius))
    margin = np.maximum(reach - radius, 0.1 * world.radius)
    return np.minimum(margin, most)


def _lead_and_early(world: World, density: float) -> tuple[float, float]:
    """How far a neighbourhood leads its ball, and when a new one is due early.

    Measured: at low density long flights make a large lead worth while, at high density
    a ball soon turns back.
    """
    if len(world.radius) <= _FEW_BALLS:
        return 0.0, 0.0
    packing = density * float(np.mean(world.radius**3)) * 4.0 / 3.0 * math.pi
    lead = float(np.interp(packing, (0.1, 0.3, 0.49), (0.9, 0.7, 0.2)))
    early = float(np.interp(packing, (0.1, 0.3, 0.49), (0.4, 0.25, 0.0)))
    return lead, early


def _order(position: Any, width: float) -> Any:
    """Balls along a curve through their cells (Morton's), so that neighbours are near in memory."""
    n = len(position)
    if n < 64:
        return np.arange(n)
    cell = np.floor((position - position.min(axis=0)) / width)
    scale = min(1.0, 2**20 / max(1.0, float(cell.max())))
    cell = (cell * scale).astype(np.uint64)
    x, y, z = (_spread(cell[:, axis]) for axis in range(3))
    return np.argsort(x | y << np.uint64(1) | z << np.uint64(2), kind="stable")


def _spread(numbers: Any) -> Any:
    """Numbers of 21 bits, with two zeros between every two of their bits."""
    for shift, mask in _SPREAD:
        numbers = (numbers | numbers << np.uint64(shift)) & np.uint64(mask)
    return numbers
