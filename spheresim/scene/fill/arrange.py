"""Arranging the balls of a fill: where they are, how large, how heavy, how fast."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from spheresim.broadphase.grid import Grid, empty_grid
from spheresim.model.balls import Balls
from spheresim.model.labels import Labels
from spheresim.model.state import Box
from spheresim.numerics.vector import TVector
from spheresim.scene.fill.lattice import on_fcc_lattice
from spheresim.scene.fill.occupancy import empty_crowd
from spheresim.scene.fill.placing import add_at_random, add_on_lattice, place_all
from spheresim.scene.fill.room import Room
from spheresim.scene.tables.balls import FillTable, Region

_THROWS_AT_ONCE = 50_000
_MOST_SITES = 20_000_000
"""Sites of a lattice that are looked at, of which most may be taken."""


class Spheres(NamedTuple):
    """Balls that are there: position (n, 3) and radius (n,)."""

    position: Any
    radius: Any


def spheres_of(balls: Balls) -> Spheres:
    """Positions and radii of balls, as arrays of the type that kernels are compiled for."""
    return Spheres(np.array(balls.position), np.array(balls.radius))


def with_images(there: Spheres, box: Box, low: TVector, high: TVector) -> Spheres:
    """Balls and images of them, of a periodic box: all that reach into a region."""
    position, radius = there
    for axis in np.flatnonzero(box.periodic):
        side = box.size[axis]
        x = position[:, axis]
        first = np.ceil((low[axis] - radius - x) / side)
        many = np.maximum(0.0, np.ceil((high[axis] + radius - x) / side) - first).astype(int)
        ball = np.repeat(np.arange(len(x)), many)
        turns = first[ball] + np.arange(len(ball)) - np.repeat(np.cumsum(many) - many, many)
        position, radius = position[ball], radius[ball]
        position[:, axis] += turns * side
    return Spheres(position, radius)


def seed_of(fill: FillTable, index: int) -> int:
    """The seed that a fill has, or gets as one of several."""
    return index if fill.seed is None else fill.seed


def corners_of(region: Region, largest: float) -> tuple[TVector, TVector]:
    """The corners of a region; one that is flat is as thick as the largest ball."""
    flat = _flat_axes(region)
    low, high = ([*corner] for corner in (region.low, region.high))
    for axis in flat:
        low[axis], high[axis] = low[axis] - largest, high[axis] + largest
    return TVector(low), TVector(high)


def _flat_axes(region: Region | None) -> list[int]:
    """The axes along which a region has no depth."""
    return [] if region is None else [k for k in range(3) if region.low[k] == region.high[k]]


def arrange(fill: FillTable, seed: int, room: Room, there: Spheres, restitution: float) -> Balls:
    """The balls of a fill, without names; ValueError says how many fit if not all do."""
    rng = np.random.default_rng(seed)
    # In this order: the places come last, since nobody knows how many throws they take.
    radius = _radii(fill, rng)
    mass = _masses(fill, radius)
    flat = _flat_axes(fill.region)
    velocity = _velocities(fill, mass, flat, rng)
    tried = radius[: _at_most(room, radius)]
    if len(tried) == 0:
        position = np.zeros((0, 3))
    elif fill.arrangement == "random":
        position = _at_random(room, tried, there, flat, rng)
    elif fill.arrangement == "fcc" and flat:
        raise ValueError('arrangement = "fcc" is none of a flat region, "random" and "cubic" are')
    elif fill.arrangement == "fcc":
        position = on_fcc_lattice(room, tried, _grid_with(there, tried[:1]), rng)
    else:
        position = _on_lattice(room, tried, there)
    if len(position) < fill.count:
        raise ValueError(_too_full(fill, room, radius, len(position)))
    if fill.region is not None:
        position[:, flat] = np.array(fill.region.low)[flat]  # to the last bit
    color = Labels.same(fill.color, fill.count)
    return Balls(position, velocity, radius, mass, np.full(fill.count, restitution), color=color)


def _at_most(room: Room, radius: Any) -> int:
    """More balls than could ever fit need not be tried."""
    if 2.0 * radius.max() > min(room.high - room.low) * (1.0 + 1e-9):
        return 0
    return 1 + int(min(room.volume / volume_of(float(radius.min())), 1e9))


def volume_of(radius: Any) -> Any:
    """The volume of balls."""
    return (4.0 / 3.0 * math.pi) * radius**3


def radii_of(fill: FillTable, seed: int) -> Any:
    """The radii that a fill's balls will have, (count,)."""
    return _radii(fill, np.random.default_rng(seed))


def _radii(fill: FillTable, rng: Generator) -> Any:
    smallest, largest = fill.radius
    if smallest == largest:
        return np.full(fill.count, smallest)
    return rng.uniform(smallest, largest, fill.count)


def _masses(fill: FillTable, radius: Any) -> Any:
    if fill.density is not None:
        return fill.density * volume_of(radius)
    return np.full(fill.count, 1.0 if fill.mass is None else fill.mass)


def _velocities(fill: FillTable, mass: Any, flat: Sequence[int], rng: Generator) -> Any:
    """Maxwell's distribution, of a temperature or scaled to a mean speed; else at rest.

    There is none along the flat axes; the temperature is ½kT for each that is left.
    """
    if not fill.temperature and not fill.speed:
        return np.zeros((fill.count, 3))
    thermal = rng.standard_normal((fill.count, 3)) * np.sqrt(mass.max() / mass)[:, np.newaxis]
    thermal[:, flat] = 0.0
    if fill.temperature:
        if fill.count > 1:  # at rest as a whole, and of exactly this temperature
            thermal -= (mass @ thermal) / mass.sum()
            energy = 0.5 * float(mass @ (thermal**2).sum(axis=1))
            freedoms = (3 - len(flat)) * fill.count
            return thermal * math.sqrt(0.5 * freedoms * fill.temperature / energy)
        return thermal * math.sqrt(fill.temperature / mass.max())
    return thermal * (fill.speed / np.sqrt((thermal**2).sum(axis=1)).mean())


def _at_random(room: Room, radius: Any, there: Spheres, flat: Sequence[int], rng: Generator) -> Any:
    """Where the balls are; if they do not all fit, where those are that do."""
    count = len(radius)
    order = np.argsort(-radius, kind="stable")
    largest_first = radius[order]  # for they need most room
    grid = _grid_with(there, radius[:1])
    crowd = empty_crowd(room, largest_first, _packing_fraction(room, radius))
    found = np.zeros(len(there.radius) + 2, dtype=np.uint32)
    position = np.zeros((count, 3))
    placed, thrown = 0, 0
    at_once, at_most = min(100 + 2 * count, _THROWS_AT_ONCE), _throws(room, radius)
    while placed < count and thrown < at_most:
        throws = rng.random((at_once, 3))
        throws[:, flat] = 0.5
        placed = add_at_random(
            room.space,
            room.obstacles,
            room.tube,
            room.low,
            room.high,
            grid,
            crowd,
            largest_first,
            throws,
            found,
            position,
            placed,
        )
        thrown += at_once
    in_order = np.empty_like(position)
    in_order[order] = position
    return in_order if placed == count else position[:placed]


def _throws(room: Room, radius: Any) -> int:
    """After how many throws to give up: one ball in the end needs as many as thousands before.

    At a packing fraction of .34 it takes about 1200 per ball; at .45 no number helps.
    """
    return 100_000 + (1500 if _packing_fraction(room, radius) < 0.45 else 50) * len(radius)


def _grid_with(there: Spheres, radius: Any) -> Grid:
    """A grid of the balls that are there, with room for others of the given radii."""
    smallest = min(radius.min(initial=math.inf), there.radius.min(initial=math.inf))
    grid = empty_grid(len(there.radius) + len(radius), 2.0 * smallest * (1.0 + 1e-6))
    if len(there.radius) > 0:
        place_all(grid, there.position, there.radius)
    return grid


def _on_lattice(room: Room, radius: Any, there: Spheres) -> Any:
    """The widest lattice that has room for all; if none has, what fits on the tightest."""
    largest = float(radius.max())
    spacings = _spacings(room, largest, len(radius))
    widest, tightest = 0, len(spacings) - 1
    best = _free_sites(room, spacings[tightest], largest, there, len(radius))
    while widest < tightest and len(best) == len(radius):
        middle = (widest + tightest) // 2
        sites = _free_sites(room, spacings[middle], largest, there, len(radius))
        if len(sites) == len(radius):
            best, tightest = sites, middle
        else:
            widest = middle + 1
    return best


def _spacings(room: Room, radius: float, count: int) -> Any:
    """The spacings at which one more layer fits in some direction, the widest first.

    Not those with too many sites to look at.
    """
    free = np.maximum(np.array(room.high - room.low) - 2.0 * radius, 0.0)
    tightest = 2.0 * radius
    at_most = max(_MOST_SITES, count)
    layers = np.floor(free / tightest + 1e-9)
    while math.prod(n + 1.0 for n in layers.tolist()) > at_most:
        tightest *= 1.01
        layers = np.floor(free / tightest + 1e-9)
    steps = [side / np.arange(1.0, n + 1.0) for side, n in zip(free, layers, strict=True)]
    return np.unique(np.concatenate([*steps, [tightest, 2.0 * free.max() + tightest]]))[::-1]


def _free_sites(room: Room, spacing: float, radius: float, there: Spheres, wanted: int) -> Any:
    size = room.high - room.low
    layers = [max(0, math.floor((side - 2.0 * radius) / spacing + 1e-9)) for side in size]
    slack = [side - 2.0 * radius - n * spacing for side, n in zip(size, layers, strict=True)]
    first = room.low + TVector(radius, radius, radius) + TVector(slack) * 0.5
    sites = np.array(layers) + 1
    grid = _grid_with(there, np.array([radius]))
    found = np.zeros(len(there.radius) + 2, dtype=np.uint32)
    position = np.zeros((wanted, 3))
    taken = add_on_lattice(
        room.space,
        room.obstacles,
        room.tube,
        first,
        float(spacing),
        sites,
        grid,
        radius,
        found,
        position,
    )
    return position[:taken]


def _packing_fraction(room: Room, radius: Any) -> float:
    return float(volume_of(radius).sum()) / room.volume


def _too_full(fill: FillTable, room: Room, radius: Any, fitted: int) -> str:
    advice = "a smaller radius, fewer balls or a larger region"
    if fill.arrangement == "random":
        advice = f'arrangement = "cubic" or "fcc", {advice}'
    return (
        f"only {fitted:,} of {fill.count:,} balls fit into the region, clear of obstacles and "
        f"other balls; all would make a packing fraction of {_packing_fraction(room, radius):.3g} "
        f"(at random up to about .34, cubic up to .52, fcc up to .74); try {advice}"
    )
