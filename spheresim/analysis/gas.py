"""Figures of a gas, averaged over a run with standard errors, beside published values.

Conventions: n balls, temperature as kT, T = 2 E_kin / (d n) for balls that move along d axes.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from spheresim.analysis.hard_spheres import FREEZING, collision_rate, compressibility_factor
from spheresim.engines.event_driven.statistics import (
    BALLS_SO_FAR,
    KINETIC,
    SPEEDS,
    TIME,
    VIRIAL_SO_FAR,
)
from spheresim.model.state import World

SETTLING = 10.0
"""Impacts per ball that a gas needs to forget how it began."""

_MOST_GROUPS = 32
"""Groups into which blocks are put at the most, to take the error from their averages."""

_FEWEST_GROUPS = 4
"""With fewer groups the scatter of their averages says nothing of the error."""

def gas_figures(world: World, snapshots: Any, dimensions: int = 3) -> dict[str, Any]:
    """Averages over a run with their standard errors, from snapshots of its running sums.

    snapshots: (m, 6), with the columns of `engines.event_driven.statistics`; dimensions: along
    how many axes balls move. The first `SETTLING` impacts per ball are left out, or the first
    quarter of the run if it has fewer than four times as many. A figure that cannot be known
    is None: all of them without an impact; errors with too few blocks; pressure and Z unless
    the box is periodic along all axes and holds nothing but balls; and pressure, which needs
    a volume, if balls move in a plane.
    """
    # Leave out the snapshots of a gas that still remembers how it began.
    n = len(world.radius)
    per_ball = 2.0 * (snapshots[:, BALLS_SO_FAR] - snapshots[0, BALLS_SO_FAR]) / n
    settled = min(SETTLING, 0.25 * float(per_ball[-1]))
    rows = snapshots[int(np.searchsorted(per_ball, settled)) :]
    figures: dict[str, Any] = {
        "measured_from": float(rows[0, TIME]),
        "measured_impacts": int(rows[-1, BALLS_SO_FAR] - rows[0, BALLS_SO_FAR]),
    }

    # Average each figure; those that need a volume are known only where the box has one.
    packing_fraction, volume = _packing(world)
    divisors: dict[str, float | None] = dict.fromkeys(_FIGURES, 1.0)
    divisors["pressure"] = volume if dimensions == 3 else None
    divisors["compressibility_factor"] = None if volume is None else 1.0
    averages = {
        name: _average(rows, n, dimensions, figure, divisors[name])
        for name, figure in _FIGURES.items()
    }
    for name, (value, error) in averages.items():
        figures[name] = value
        figures[f"{name}_error"] = error
    figures["packing_fraction"] = packing_fraction

    # Add what is published, which is of balls that move in space.
    if dimensions == 3:
        figures |= _published(world, packing_fraction, averages["temperature"][0])
    return figures


def _packing(world: World) -> tuple[float | None, float | None]:
    """Packing fraction and volume of a box that is periodic along all axes; else None, None.

    None as well if obstacles stand in the box: they take some of its volume, and impacts on
    them add to the pressure.
    """
    if world.box is None or not all(world.box.periodic) or len(world.obstacles.kind) > 0:
        return None, None
    volume = float(np.prod(world.box.size))
    return float((world.radius**3).sum()) * 4.0 / 3.0 * np.pi / volume, volume


def _published(
    world: World, packing_fraction: float | None, temperature: float | None
) -> dict[str, Any]:
    """Published figures of a fluid of equal elastic balls in a periodic box, if it is one."""
    if packing_fraction is None or not temperature:
        return {}
    equal = np.ptp(world.radius) == 0.0 and np.ptp(world.mass) == 0.0
    elastic = (world.restitution == 1.0).all()
    weightless = world.gravity.mag_sqr() == 0.0
    if not (equal and elastic and weightless and packing_fraction <= FREEZING):
        return {}
    diameter = 2.0 * float(world.radius[0])
    speed = float(np.sqrt(temperature / world.mass[0]))
    return {
        "compressibility_factor_published": compressibility_factor(packing_fraction),
        "collision_rate_published": collision_rate(packing_fraction, diameter, speed),
    }


# Each figure is a function of snapshots, the number of balls n, and the number of axes d.


def _temperature(rows: Any, n: int, d: int) -> float:
    return float(rows[:, KINETIC].mean()) * 2.0 / (float(d) * n)


def _collision_rate(rows: Any, n: int, _d: int) -> float:
    return float(2.0 * _increase(rows, BALLS_SO_FAR) / (n * _increase(rows, TIME)))


def _mean_free_time(rows: Any, n: int, d: int) -> float:
    return 1.0 / _collision_rate(rows, n, d)


def _mean_free_path(rows: Any, n: int, d: int) -> float:
    return float(rows[:, SPEEDS].mean()) / n * _mean_free_time(rows, n, d)


def _pressure_times_volume(rows: Any, n: int, d: int) -> float:
    """N kT plus the virial of impacts, Σ r·Δp / (d t)."""
    virial_rate = float(_increase(rows, VIRIAL_SO_FAR) / _increase(rows, TIME))
    return n * _temperature(rows, n, d) + virial_rate / float(d)


def _compressibility_factor(rows: Any, n: int, d: int) -> float:
    return _pressure_times_volume(rows, n, d) / (n * _temperature(rows, n, d))


def _increase(rows: Any, column: int) -> Any:
    return rows[-1, column] - rows[0, column]


_FIGURES: dict[str, Callable[[Any, int, int], float]] = {
    "collision_rate": _collision_rate,
    "mean_free_time": _mean_free_time,
    "mean_free_path": _mean_free_path,
    "temperature": _temperature,
    "pressure": _pressure_times_volume,
    "compressibility_factor": _compressibility_factor,
}


def _average(
    rows: Any,
    n: int,
    d: int,
    figure: Callable[[Any, int, int], float],
    divisor: float | None,
) -> tuple[float | None, float | None]:
    """A figure of all rows, and its standard error from block averages; both by a divisor.

    H. Flyvbjerg and H. G. Petersen, Error estimates on averages of correlated data, Journal
    of Chemical Physics 91, 1989: groups of blocks are long enough to be independent.
    """
    if divisor is None or len(rows) < 2:
        return None, None
    if _increase(rows, BALLS_SO_FAR) == 0.0 or _increase(rows, TIME) == 0.0:
        return None, None
    value = figure(rows, n, d) / divisor

    # The last snapshot is of now: the block that it ends is shorter than the others.
    whole = rows[:-1] if len(rows) > 2 else rows
    groups = min(_MOST_GROUPS, len(whole) - 1)
    if groups < _FEWEST_GROUPS:
        return value, None
    edges = np.linspace(0, len(whole) - 1, groups + 1).astype(int)
    averages = [figure(whole[a : b + 1], n, d) for a, b in pairwise(edges)]
    return value, float(np.std(averages, ddof=1) / np.sqrt(groups)) / divisor
