"""The Lorentz gas: points between fixed discs, here the axes of pillars on a triangular lattice.

A ball is a point to a pillar that is wider by its radius, so pillars of radius 1 − r and
balls of radius r make discs of radius 1. The balls fly at right angles to the pillars, each
at a height of its own: they never meet, and thousands of them are an ensemble of points.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim import Ball, Cylinder, Simulation, TVector
from spheresim.model.state import Box

RADIUS = 0.01


def box_of(gap: float, height: float, cells: int = 1) -> Box:
    """A box of so many rectangular cells along x and y, each with two discs, `gap` apart."""
    spacing = 2.0 + gap
    return Box(TVector(0, 0, 0), TVector(cells * spacing, cells * math.sqrt(3.0) * spacing, height))


def pillars(gap: float, cells: int = 1) -> list[Cylinder]:
    """The lattice: the corner and the middle of each cell."""
    spacing = 2.0 + gap
    return [
        Cylinder(
            (spacing * (i + half), math.sqrt(3.0) * spacing * (j + half), 0.0),
            (0, 0, 1),
            1.0 - RADIUS,
        )
        for i in range(cells)
        for j in range(cells)
        for half in (0.0, 0.5)
    ]


def lorentz_gas(points: int, gap: float, seed: int, cells: int = 1) -> Simulation:
    """Points at speed 1, uniform outside the discs and in direction: the invariant measure."""
    random = np.random.default_rng(seed)
    box = box_of(gap, 4.0 * RADIUS * points, cells)
    discs = np.array([pillar.point for pillar in pillars(gap, cells)])[:, :2]
    size = np.array(box.size)[:2]
    place = np.zeros((0, 2))
    while len(place) < points:
        thrown = random.uniform(size=(points, 2)) * size
        d = thrown[:, np.newaxis] - discs
        d -= size * np.rint(d / size)
        place = np.concatenate([place, thrown[(np.hypot(d[..., 0], d[..., 1]) > 1.0).all(axis=1)]])
    angle = random.uniform(0.0, 2.0 * math.pi, points)
    balls = [
        Ball(
            (*place[k], 4.0 * RADIUS * (k + 0.5)),
            (math.cos(angle[k]), math.sin(angle[k]), 0.0),
            RADIUS,
        )
        for k in range(points)
    ]
    return Simulation(balls, pillars(gap, cells), engine="events", box=box)


# --- What is published --------------------------------------------------------------------
# J. Machta and R. Zwanzig, Diffusion in a periodic Lorentz gas, Physical Review Letters 50,
# 1959 (1983), for discs of radius 1, gaps w and speed 1. Three neighbouring discs enclose a
# pocket, of the area A = √3/4 (2 + w)² − π/2, from which three gaps lead out.


def pocket(gap: float) -> float:
    """The area of a pocket."""
    return math.sqrt(3.0) / 4.0 * (2.0 + gap) ** 2 - 0.5 * math.pi


def mean_free_time(gap: float) -> float:
    """π times area over length of the discs' border: exact, by Santaló's formula.

    N. Chernov, Entropy, Lyapunov exponents, and mean free path for billiards, Journal of
    Statistical Physics 88, 1 (1997). A half of a disc borders on each pocket.
    """
    return pocket(gap)


def residence_time(gap: float) -> float:
    """How long a point stays in a pocket on average: π A / 3w, exact in the same way."""
    return math.pi * pocket(gap) / (3.0 * gap)


def machta_zwanzig(gap: float) -> float:
    """The diffusion coefficient l² / 4τ of a random walk between pockets, l = (2 + w) / √3.

    Exact only as w goes to 0: R. Klages and C. Dellago, Density-dependent diffusion in the
    periodic Lorentz gas, Journal of Statistical Physics 101, 145 (2000). That points remember
    whence they came makes it, as measured here, up to a tenth too large at small gaps, and by
    far too small at large ones.
    """
    return (2.0 + gap) ** 2 / (12.0 * residence_time(gap))


# --- What is measured ---------------------------------------------------------------------


class Average(NamedTuple):
    """A mean and its statistical error."""

    mean: float
    error: float


def average(samples: Any) -> Average:
    """Of independent samples."""
    return Average(float(np.mean(samples)), float(np.std(samples) / math.sqrt(len(samples))))


def diffusion(simulation: Simulation, end: float, pieces: int) -> Average:
    """⟨|Δx|²⟩ / 4Δt in the plane, from unwrapped positions.

    The start is in equilibrium, so each of the pieces of time counts alike.
    """
    simulation.log_impacts(False)
    squares = []
    for k in range(pieces):
        before = simulation.position.copy()
        simulation.run(until=end * (k + 1) / pieces)
        squares.append(((simulation.position - before) ** 2).sum(axis=1))
    return average(np.concatenate(squares) / (4.0 * end / pieces))


def hops(simulation: Simulation, gap: float) -> int:
    """How often the points went from pocket to pocket between their first and last impacts.

    Pockets border on each other along the lines through the centres of the discs, so each
    straight flight says by its ends alone how many it crosses.
    """
    impacts = simulation.impacts
    place = np.stack([impacts.x + RADIUS * impacts.nx, impacts.y + RADIUS * impacts.ny], axis=1)
    angles = np.radians([90.0, 150.0, 210.0])
    across = place @ np.stack([np.cos(angles), np.sin(angles)])
    row = np.floor(across / (math.sqrt(0.75) * (2.0 + gap)))
    order = np.lexsort((impacts.t, impacts.i))
    same = np.diff(impacts.i[order]) == 0
    return int(np.abs(np.diff(row[order], axis=0))[same].sum())


def flown_time(simulation: Simulation) -> float:
    """All the time that the points spent between their first and last impacts."""
    impacts = simulation.impacts
    first = np.full(len(simulation.balls), np.inf)
    last = np.full(len(simulation.balls), -np.inf)
    np.minimum.at(first, impacts.i, impacts.t)
    np.maximum.at(last, impacts.i, impacts.t)
    return float((last - first)[last > first].sum())


# --- The same without the package ---------------------------------------------------------


def diffusion_by_map(points: int, gap: float, seed: int, span: float) -> Average:
    """The same diffusion coefficient from a map of discs in the plane, written out anew.

    Discs around a point are asked as far as none can fly, all points at once, and each
    begins on a disc, where directions have the density cos of the angle to the normal.
    """
    random = np.random.default_rng(seed)
    a = 2.0 + gap
    i, j = np.meshgrid(np.arange(-7, 8), np.arange(-7, 8))
    discs = np.stack([a * (i + 0.5 * j), a * math.sqrt(0.75) * j], axis=-1).reshape(-1, 2)
    discs = discs[np.abs(discs[:, 0]) < 7.0 * a]
    turn = random.uniform(0.0, 2.0 * math.pi, points)
    angle = turn + np.arcsin(random.uniform(-1.0, 1.0, points))
    x = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    v = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    x += v * 1e-12
    centre, start, time = np.zeros_like(x), x.copy(), np.zeros(points)
    end = x.copy()
    while (time < span).any():
        d = (x - centre)[:, np.newaxis] - discs
        b = (d * v[:, np.newaxis]).sum(axis=2)
        under = b * b - (d * d).sum(axis=2) + 1.0
        reached = (b < 0.0) & (under > 0.0)
        t = np.where(reached, -b - np.sqrt(np.maximum(under, 0.0)), np.inf)
        t[:, np.flatnonzero((discs == 0.0).all(axis=1))] = np.inf  # the one that it leaves
        hit = np.argmin(t, axis=1)
        wait = t[np.arange(points), hit]
        assert wait.max() < 5.0 * a
        last = (time < span) & (time + wait >= span)
        end[last] = x[last] + v[last] * (span - time[last])[:, np.newaxis]
        x, time, centre = x + v * wait[:, np.newaxis], time + wait, centre + discs[hit]
        normal = x - centre
        v -= 2.0 * (v * normal).sum(axis=1)[:, np.newaxis] * normal
        v /= np.linalg.norm(v, axis=1)[:, np.newaxis]  # or rounding grows from hit to hit
    # What the first flight's start on a disc adds falls off as 1 / span.
    return average(((end - start) ** 2).sum(axis=1) / (4.0 * span))
