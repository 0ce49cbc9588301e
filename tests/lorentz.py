"""The Lorentz gas: points between fixed discs, here the axes of pillars on a triangular lattice.

A ball is a point to a pillar that is wider by its radius, so pillars of radius 1 − r and
balls of radius r make discs of radius 1. The balls fly at right angles to the pillars, each
at a height of its own: they never meet, and thousands of them are an ensemble of points.
"""

import math
from typing import Any

import numpy as np

from spheresim import Ball, Cylinder, Simulation, TVector
from spheresim.state import Box

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
        Ball((*place[k], 4.0 * RADIUS * (k + 0.5)), (math.cos(angle[k]), math.sin(angle[k]), 0), RADIUS)
        for k in range(points)
    ]
    simulation = Simulation(balls, pillars(gap, cells), engine="events", box=box)
    simulation.events_engine.record(False)
    return simulation


def mean_free_time(gap: float) -> float:
    """π · area / perimeter of the free space of a billiard, at speed 1 (Santaló's formula).

    N. Chernov, Entropy, Lyapunov exponents, and mean free path for billiards, Journal of
    Statistical Physics 88, 1 (1997). Here (√3 (2 + w)² − 2π) / 4.
    """
    return (math.sqrt(3.0) * (2.0 + gap) ** 2 - 2.0 * math.pi) / 4.0


def machta_zwanzig(gap: float) -> float:
    """The diffusion coefficient of a random walk between the pockets of three discs.

    J. Machta and R. Zwanzig, Diffusion in a periodic Lorentz gas, Physical Review Letters
    50, 1959 (1983): exact as the gap goes to 0.
    """
    return gap * (2.0 + gap) ** 2 / (math.pi * (math.sqrt(3.0) * (2.0 + gap) ** 2 - 2.0 * math.pi))


def diffusion(simulation: Simulation, start: float, end: float, pieces: int = 8) -> Any:
    """⟨|Δx|²⟩ / 4Δt in the plane, between two times, and its error, from unwrapped positions.

    Of each piece of time all displacements count: (pieces · n,) squares.
    """
    span = (end - start) / pieces
    simulation.run(until=start)
    squares = []
    for k in range(pieces):
        before = simulation.position[:, :2].copy()
        simulation.run(until=start + (k + 1) * span)
        squares.append(((simulation.position[:, :2] - before) ** 2).sum(axis=1))
    samples = np.concatenate(squares) / (4.0 * span)
    return float(samples.mean()), float(samples.std() / math.sqrt(len(samples)))
