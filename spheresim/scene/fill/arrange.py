"""Arranging the balls of a fill in a room: at random, or on a lattice."""

import math

import numpy as np

from spheresim.model.balls import Balls
from spheresim.model.labels import Labels
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.scene.fill.growing import can_grow, grown
from spheresim.scene.fill.lattice import on_cubic_lattice, on_fcc_lattice
from spheresim.scene.fill.occupancy import empty_occupancy
from spheresim.scene.fill.placement import Placement
from spheresim.scene.fill.placing import add_at_random
from spheresim.scene.fill.properties import (
    draw_radii,
    draw_spins,
    draw_velocities,
    masses_of,
    volume_of,
)
from spheresim.scene.fill.relaxation import relaxed
from spheresim.scene.fill.room import Room, flat_axes
from spheresim.scene.fill.sides import OnRightSide
from spheresim.scene.fill.spheres import Spheres, crowded_room, reaching_into
from spheresim.scene.schema.balls import FillTable

_TRIALS_AT_ONCE = 50_000

_DENSE = 0.385
"""The packing fraction from which on random sequential addition cannot place all balls."""

_CROWD, _DENSEST_RELAXED = 100, 0.635
"""So many equal balls or more never relax above this packing fraction: of 12 seeds none did."""

_LOOSE = 0.2
"""The packing fraction of the room, obstacles included, from which balls start to grow."""

_DRAWS = 100
"""How often as many places as balls are drawn, to find as many on the right side of obstacles."""

_DENSEST = 0.68
"""The packing fraction from which on no random places are tried; equal balls come to .65."""

_CLOSE_PACKED = math.pi / math.sqrt(18.0)
"""The packing fraction of fcc balls in contact: equal balls fit no closer (T. C. Hales, 2005)."""


def arrange(
    fill: FillTable,
    seed: int,
    room: Room,
    others: Spheres,
    restitution: float,
    side: OnRightSide | None = None,
) -> Balls:
    """The balls of a fill, without names, clear of others, on the right side of obstacles.

    ValueError says how many fit if not all do.
    """
    # Draw what does not depend on places; these come last, because the number of trials that
    # they take is unknown, and a place that fails must not change the radii and velocities that
    # follow.
    rng = np.random.default_rng(seed)
    radius = draw_radii(fill, rng)
    mass = masses_of(fill, radius)
    flat = flat_axes(fill.region)
    velocity = draw_velocities(fill, mass, flat, rng)
    spin = draw_spins(fill, fill.inertia_factor * mass * radius**2, flat, rng)

    # Place as many as could possibly fit, and see that they are all.
    tried = radius[: _most_that_fit(room, radius)]
    others = reaching_into(others, room.low, room.high)
    position = _places(fill.arrangement, Placement(room, tried, others, flat, rng, side))
    if len(position) < fill.count:
        raise ValueError(_too_full(fill, room, radius, others, len(position)))
    if fill.region is not None:
        position[:, flat] = np.array(fill.region.low)[flat]  # exactly, without rounding

    color = Labels.same(fill.color, fill.count)
    return Balls(
        *(position, velocity, radius, mass, np.full(fill.count, restitution)),
        color=color,
        angular_velocity=spin,
        material=Labels.same(fill.material, fill.count),
        inertia_factor=np.full(fill.count, fill.inertia_factor),
        acceleration=np.tile(fill.acceleration, (fill.count, 1)),
    )


def _places(arrangement: str, placement: Placement) -> Floats:
    """Centres (n, 3) of the balls, of fewer if not all fit."""
    if len(placement.radius) == 0:
        return np.zeros((0, 3))
    if arrangement == "random":
        return _at_random(placement)
    if arrangement == "cubic":
        return on_cubic_lattice(placement)
    if placement.flat:
        raise ValueError('arrangement must be "random" or "cubic" in a flat region, not "fcc"')
    return on_fcc_lattice(placement)


def _most_that_fit(room: Room, radius: Floats) -> int:
    """A number of balls that surely do not all fit; more need not be tried."""
    if 2.0 * radius.max() > min(room.high - room.low) * (1.0 + 1e-9):
        return 0
    return 1 + int(min(room.volume / volume_of(float(radius.min())), 1e9))


def _at_random(placement: Placement) -> Floats:
    """Centres (n, 3) at random; if the balls do not all fit, of those that do.

    By growth the balls of a dense fill come into equilibrium; relaxation leaves them in contact,
    and is for rooms in which balls cannot grow.
    """
    ways = [_by_addition, _by_growth, _by_relaxation]
    if placement.packing_fraction >= _DENSE:
        ways = [_by_growth, _by_relaxation, _by_addition]
    most = np.zeros((0, 3))
    for way in ways:
        position = way(placement)
        if len(position) == len(placement.radius):
            return position
        most = max(most, position, key=len)
    return most


def _by_addition(placement: Placement) -> Floats:
    """Centres (n, 3) by random sequential addition; if they do not all fit, of those that do."""
    # Prepare the largest balls first, because they need most room.
    room, radius, others, flat, rng, side = placement
    count = len(radius)
    order = np.argsort(-radius, kind="stable")
    largest_first = radius[order]
    crowded = crowded_room(room, others, float(radius.min()))
    occupancy = empty_occupancy(room, largest_first, placement.packing_fraction)
    position = np.zeros((count, 3))

    # Try until all are placed, or it is hopeless.
    placed, tried = 0, 0
    at_once, most = min(100 + 2 * count, _TRIALS_AT_ONCE), _most_trials(placement)
    while placed < count and tried < most:
        trials = rng.random((at_once, 3))
        trials[:, flat] = 0.5
        if side is not None:
            trials = trials[_on_right_side(side, room, trials, largest_first[placed:])]
        placed = add_at_random(crowded, occupancy, largest_first, trials, position, placed)
        tried += at_once

    # Put the places into the order of the radii.
    if placed < count:
        return position[:placed]
    in_order = np.empty_like(position)
    in_order[order] = position
    return in_order


def _by_relaxation(placement: Placement) -> Floats:
    """Centres (n, 3) of all balls, pushed apart from random places; none if they do not fit."""
    room, radius, others, flat, rng, side = placement
    none = np.zeros((0, 3))
    is_equal_crowd = len(radius) >= _CROWD and radius.min() == radius.max()
    if placement.packing_fraction > (_DENSEST_RELAXED if is_equal_crowd else _DENSEST):
        return none
    # Any places on the right side of all obstacles.
    low, size = np.array(room.low), np.array(room.high - room.low)
    r, start = radius[:, np.newaxis], np.zeros((0, 3))
    for _ in range(_DRAWS):
        trials = rng.random((len(radius), 3))
        trials[:, flat] = 0.5
        if side is not None:
            trials = trials[side(low + trials * size)]
        start = np.concatenate([start, trials])[: len(radius)]
        if len(start) == len(radius):
            position = relaxed(room, low + r + start * (size - 2.0 * r), radius, others)
            if position is None or not (side is None or side(position).all()):
                return none
            return position
    return none


def _by_growth(placement: Placement) -> Floats:
    """Centres (n, 3) of all balls, which grow into their places; none if they jam before."""
    room, radius, others, flat, _, _ = placement
    fraction, none = placement.packing_fraction, np.zeros((0, 3))
    if len(others.radius) > 0 or fraction > _DENSEST or not can_grow(room, radius):
        return none
    scale = min(1.0, _LOOSE / fraction) ** (1.0 / (3 - len(flat)))
    start = _by_addition(placement._replace(radius=scale * radius))
    position = grown(placement, start, scale) if len(start) == len(radius) else None
    return none if position is None else position


def _on_right_side(side: OnRightSide, room: Room, trials: Floats, radius: Floats) -> Booleans:
    """Which trials lead to the right side, for the largest and for the smallest radius."""
    right = np.ones(len(trials), dtype=bool)
    for r in (float(radius.max()), float(radius.min())):
        right &= side(np.array(room.low) + r + trials * (np.array(room.high - room.low) - 2.0 * r))
    return right


def _most_trials(placement: Placement) -> int:
    """After how many trials to give up: the last ball needs as many as thousands before it.

    Measured: about 1200 trials per ball at a packing fraction of .34; at .45 no number helps.
    """
    per_ball = 1500 if placement.packing_fraction < _DENSE else 50
    return 100_000 + per_ball * len(placement.radius)


def _too_full(fill: FillTable, room: Room, radius: Floats, others: Spheres, fitted: int) -> str:
    advice, beside = "a smaller radius, fewer balls or a larger region", ""
    fraction = volume_of(radius).sum() / room.volume
    if fill.arrangement == "random" and fraction < _CLOSE_PACKED:
        advice = f'arrangement = "cubic" or "fcc", {advice}'
    if len(others.radius) > 0:
        beside = ", not counting the balls before them"
        if others.radius.min() < radius.max():
            advice = f"to put the largest balls first, {advice}"
    return (
        f"only {fitted:,} of {fill.count:,} balls fit into the region, clear of obstacles and "
        f"other balls; all would make a packing fraction of {fraction:.3g}{beside} "
        f"(at random up to about .64, cubic up to .52, fcc up to .74); try {advice}"
    )
