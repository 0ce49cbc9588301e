"""Figures of a gas, averaged over a run with standard errors, beside published values.

Conventions: n balls, temperature as kT, T = 2 E_kin / (d n) for balls that move along d axes.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spheresim.analysis.measured import Measured, block_edges, standard_error
from spheresim.analysis.published_hard_spheres import enskog_viscosity, fluid_of, published_factor
from spheresim.collision.gas_sums import (
    BALLS_SO_FAR,
    KINETIC,
    SPEEDS,
    STRESS_COMPONENTS,
    STRESS_SO_FAR,
    TIME,
    VIRIAL_SO_FAR,
)
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats

SETTLING = 10.0
"""Impacts per ball after which a gas no longer depends on its initial state."""


class GasFigures(NamedTuple):
    """Averages over a run of a gas, as `Measured` values with standard error and unit.

    measured_from: the time at which averaging began [time]; measured_impacts: the number of impacts
    of two balls since then; collision_rate: impacts per ball and time; temperature: kT;
    packing_fraction: in a box that is periodic along all axes, without obstacles. A figure that
    is not defined is None. Where there is nothing but balls, temperature and speeds are relative to
    the motion of all balls together.

    stress: in a sheared box that is periodic along all axes, a dictionary of stress_xx, stress_yy,
    stress_zz, stress_xy, stress_xz and stress_yz, the stress tensor σ, and shear_viscosity, −σ_xy
    over the shear rate. The diagonal of σ is positive for a pressure; a third of the trace is the
    pressure. Temperature and speeds are then relative to the flow.
    """

    measured_from: float
    measured_impacts: int
    collision_rate: Measured | None
    mean_free_time: Measured | None
    mean_free_path: Measured | None
    temperature: Measured | None
    pressure: Measured | None
    compressibility_factor: Measured | None
    packing_fraction: float | None
    stress: dict[str, Measured | None]

    def info(self) -> dict[str, Any]:
        """The figures as numbers, by the names that they have in `run.json`."""
        info: dict[str, Any] = {}
        named = {**self._asdict(), **self.stress}
        del named["stress"]
        for name, figure in named.items():
            if name == "packing_fraction" or name.startswith("measured"):
                info[name] = figure
                continue
            info[name] = None if figure is None else figure.value
            info[f"{name}_error"] = None if figure is None else figure.error
            if figure is not None and figure.published is not None:
                info[f"{name}_published"] = figure.published
        return info

    def __str__(self) -> str:
        named = {**self._asdict(), **self.stress}
        lines = (f"{name.replace('_', ' '):<24} {named[name]}" for name in UNITS if named.get(name))
        return "\n".join(lines)


def gas_figures(
    world: World,
    snapshots: Floats,
    dimensions: int = 3,
    has_bath: bool = False,
    in_field: bool = False,
) -> GasFigures:
    """Averages over a run with their standard errors, from snapshots of its running sums.

    snapshots: (m, 12), with the columns of `collision.gas_sums`; dimensions: along how many axes
    balls move; has_bath, in_field: whether a heat bath or a field of force acts on them. The first
    `SETTLING` impacts per ball are left out, or the first quarter of the run if it has fewer than
    four times as many. A figure that cannot be known is None: all of them without an impact;
    pressure and Z unless the box is periodic along all axes and holds nothing but balls; and
    pressure, which needs a volume, if balls move in a plane. An error is None with too few blocks,
    or if some of them hold no impact.
    """
    # Leave out the snapshots of a gas that still remembers how it began.
    n = len(world.radius)
    per_ball = 2.0 * (snapshots[:, BALLS_SO_FAR] - snapshots[0, BALLS_SO_FAR]) / n
    settled = min(SETTLING, 0.25 * float(per_ball[-1]))
    rows = snapshots[int(np.searchsorted(per_ball, settled)) :]

    # Average each figure; those that need a volume are known only where the box has one.
    packing_fraction, volume = _packing(world)
    divisors: dict[str, float | None] = dict.fromkeys(_SCALARS, 1.0)
    divisors["pressure"] = volume if dimensions == 3 else None
    divisors["compressibility_factor"] = None if volume is None else 1.0
    averages = {name: _average(rows, n, dimensions, name, divisors[name]) for name in _SCALARS}
    # Add what is published, which is of balls that move in space.
    if dimensions == 3 and not in_field:
        _add_published(world, averages)
    return GasFigures(
        measured_from=float(rows[0, TIME]),
        measured_impacts=int(rows[-1, BALLS_SO_FAR] - rows[0, BALLS_SO_FAR]),
        packing_fraction=packing_fraction,
        stress=_stress(world, rows, dimensions, volume, has_bath),
        **averages,
    )


def _stress(
    world: World, rows: Floats, d: int, volume: float | None, has_bath: bool
) -> dict[str, Measured | None]:
    """The stress tensor and the shear viscosity in a sheared box; empty in any other.

    Nothing is published of the viscosity of a gas whose momentum a heat bath takes.
    """
    if world.box is None or not world.box.is_sheared or volume is None:
        return {}
    n = len(world.radius)
    figures = {name: _average(rows, n, d, name, volume) for name in _STRESS}
    viscosity = _average(rows, n, d, "stress_xy", -volume * world.box.shear_rate)
    figures["shear_viscosity"] = viscosity and viscosity._replace(
        unit=UNITS["shear_viscosity"],
        published=None if has_bath else _published_viscosity(world, rows),
    )
    return figures


def _published_viscosity(world: World, rows: Floats) -> float | None:
    """Enskog's viscosity of equal elastic balls, at the mean of √T: shear heats them."""
    n, mean = len(world.radius), _mean(rows, np.sqrt(rows[:, KINETIC] * 2.0 / 3.0))
    size = None if world.box is None else world.box.size
    fluid = fluid_of(world.radius, world.mass, size, mean * mean / n)
    if fluid is None or not world.is_elastic:
        return None
    temperature = fluid.mass * fluid.speed**2
    return enskog_viscosity(fluid.packing_fraction, fluid.diameter, fluid.mass, temperature)


def _packing(world: World) -> tuple[float | None, float | None]:
    """Packing fraction and volume of a box that is periodic along all axes; else None, None.

    None as well if obstacles stand in the box: they take some of its volume, and impacts on
    them add to the pressure.
    """
    if world.box is None or not all(world.box.periodic) or len(world.obstacles.kind) > 0:
        return None, None
    volume = float(np.prod(world.box.size))
    return float((world.radius**3).sum()) * 4.0 / 3.0 * np.pi / volume, volume


def _add_published(world: World, averages: dict[str, Measured | None]) -> None:
    """Add the published figures of a fluid of elastic balls, if it is one; most need equal ones."""
    if not world.is_lossless or world.gravity.mag_sqr() != 0.0:
        return
    temperature = averages["temperature"]
    size = None if _packing(world)[1] is None or world.box is None else world.box.size
    fluid = fluid_of(world.radius, world.mass, size, temperature and temperature.value)
    published = {
        "compressibility_factor": published_factor(world.radius, size),
        "collision_rate": None if fluid is None else fluid.collision_rate,
    }
    for name, value in published.items():
        averages[name] = (figure := averages[name]) and figure._replace(published=value)


# Each figure is a function of snapshots, the number of balls n, and the number of axes d.


def _temperature(rows: Floats, n: int, d: int) -> float:
    return _mean(rows, rows[:, KINETIC]) * 2.0 / (float(d) * n)


def _collision_rate(rows: Floats, n: int, _d: int) -> float:
    return float(2.0 * _increase(rows, BALLS_SO_FAR) / (n * _increase(rows, TIME)))


def _mean_free_time(rows: Floats, n: int, d: int) -> float:
    return 1.0 / _collision_rate(rows, n, d)


def _mean_free_path(rows: Floats, n: int, d: int) -> float:
    return _mean(rows, rows[:, SPEEDS]) / n * _mean_free_time(rows, n, d)


def _pressure_times_volume(rows: Floats, n: int, d: int) -> float:
    """N kT plus the virial of impacts, Σ r·Δp / (d t)."""
    virial_rate = float(_increase(rows, VIRIAL_SO_FAR) / _increase(rows, TIME))
    return n * _temperature(rows, n, d) + virial_rate / float(d)


def _compressibility_factor(rows: Floats, n: int, d: int) -> float:
    return _pressure_times_volume(rows, n, d) / (n * _temperature(rows, n, d))


def _stress_times_volume(column: int) -> Callable[[Floats, int, int], float]:
    """Σ m c c + Σ J r n / t of one pair of axes, with velocities c beside the flow."""
    return lambda rows, _n, _d: float(_increase(rows, column) / _increase(rows, TIME))


def _mean(rows: Floats, values: Floats) -> float:
    """The mean over time: rows have equal numbers of impacts, in longer times as a gas cools."""
    return float(np.trapezoid(values, rows[:, TIME]) / _increase(rows, TIME))


def _increase(rows: Floats, column: int) -> float:
    return rows[-1, column] - rows[0, column]


_FIGURES: dict[str, Callable[[Floats, int, int], float]] = {
    "collision_rate": _collision_rate,
    "mean_free_time": _mean_free_time,
    "mean_free_path": _mean_free_path,
    "temperature": _temperature,
    "pressure": _pressure_times_volume,
    "compressibility_factor": _compressibility_factor,
}
_SCALARS = tuple(_FIGURES)

_PER_IMPACT = ("mean_free_time", "mean_free_path")
"""The averages over impacts; all others are over time."""

_STRESS = tuple(f"stress_{axes}" for axes in STRESS_COMPONENTS)
_FIGURES |= {
    name: _stress_times_volume(STRESS_SO_FAR + column) for column, name in enumerate(_STRESS)
}

UNITS = {
    "collision_rate": "1/time",
    "mean_free_time": "time",
    "mean_free_path": "length",
    "temperature": "energy",
    "pressure": "energy/length³",
    "compressibility_factor": "1",
    **dict.fromkeys(_STRESS, "energy/length³"),
    "shear_viscosity": "mass/(length·time)",
}
"""The figures that are averages, and their units, in powers of those of the user."""


def _average(rows: Floats, n: int, d: int, name: str, divisor: float | None) -> Measured | None:
    """A figure of all rows, and its standard error from block averages; both by a divisor."""
    if divisor is None or not _is_measurable(rows):
        return None
    figure = _FIGURES[name]
    value = figure(rows, n, d) / divisor

    # The last snapshot is of now: the block that it ends is shorter than the others.
    whole = rows[:-1] if len(rows) > 2 else rows
    edges = block_edges(len(whole) - 1)
    error = None
    if edges is not None:
        blocks = [whole[a : b + 1] for a, b in pairwise(edges)]
        if all(map(_is_measurable, blocks)):
            averages = np.array([figure(block, n, d) for block in blocks])
            column = BALLS_SO_FAR if name in _PER_IMPACT else TIME
            shares = np.array([_increase(block, column) for block in blocks])
            error = float(standard_error(averages, shares)) / abs(divisor)
    return Measured(value, error, UNITS[name])


def _is_measurable(rows: Floats) -> bool:
    """Whether between two snapshots there are time, impacts and motion to be averaged."""
    if len(rows) < 2 or not rows[:, KINETIC].any():
        return False
    return bool(_increase(rows, BALLS_SO_FAR) > 0.0 and _increase(rows, TIME) > 0.0)
