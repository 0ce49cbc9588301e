"""What follows from impacts: free paths, the collision rate, pressure."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.analysis.measured import Curve, Measured, averaged, block_edges
from spheresim.analysis.of_run import NotInRunError, takes_run
from spheresim.numerics.arrays import Booleans, Floats, Records

_LONGEST = 6.0
"""Free paths are counted up to so many mean ones."""


class FreePaths(NamedTuple):
    """Free paths: their mean, and their density.

    density: of paths in units of the mean, with e^(−s), that of impacts without memory, as
    `published`; end_on_obstacles: whether some end on an obstacle."""

    mean: Measured
    density: Curve
    end_on_obstacles: bool


class Pressure(NamedTuple):
    """The pressure P, the compressibility factor Z = PV / NkT, and Z in blocks of time."""

    pressure: Measured
    compressibility_factor: Measured
    over_time: Curve


@takes_run(settled=True, of_sheared=True)
def collision_rate(t: Floats, impacts: Records, mass: Floats) -> tuple[Measured, Curve]:
    """Impacts of two balls per ball and time, 2 N_coll / (N t), and the same in blocks of time.

    Takes a `Run`, or arrays: t: (k,), impacts between the first and the last t count; impacts: the
    table `impacts` of a simulation; mass: (n,).
    D. C. Rapaport, The Art of Molecular Dynamics Simulation, 14.4.
    """
    times = impacts.t[impacts.kind == "ball"]
    edges = blocks_of_time(t)
    counts = np.histogram(times, edges)[0]
    rates = 2.0 * counts / (len(mass) * np.diff(edges))
    mean, error = averaged(rates)
    middle = 0.5 * (edges[1:] + edges[:-1])
    return Measured(float(mean), _number(error), "1/time"), Curve(middle, rates, None)


@takes_run(settled=True, of_sheared=True)
def pressure(
    t: Floats,
    velocity: Floats,
    impacts: Records,
    mass: Floats,
    radius: Floats,
    size: Floats,
) -> Pressure:
    """P = (N kT + Σ r·Δp / 3t) / V, from the virial of the impacts of two balls.

    Takes a `Run`, or arrays: t: (k,); velocity: (k, n, 3); impacts: the table `impacts` of a
    simulation; mass, radius: (n,); size: (3,), of a box that is periodic along all axes; Δp is the
    impulse, r the distance of the centres. B. J. Alder and T. E. Wainwright, Journal of Chemical
    Physics 33, 1439 (1960). Errors from blocks of time.
    """
    between = impacts[impacts.kind == "ball"]
    edges = blocks_of_time(t)
    virial = (radius[between.i] + radius[between.j]) * between.impulse
    rate = np.histogram(between.t, edges, weights=virial)[0] / np.diff(edges)
    volume = float(np.prod(size))
    # The temperature of each block is that of its frames, or of the frame before it.
    kinetic = 0.5 * np.einsum("j,ijk,ijk->i", mass, velocity, velocity)
    middle = 0.5 * (edges[1:] + edges[:-1])
    thermal = np.interp(middle, t, kinetic) * 2.0 / 3.0
    factors = 1.0 + rate / (3.0 * thermal)
    mean, error = averaged(thermal + rate / 3.0)
    factor, factor_error = averaged(factors)
    return Pressure(
        Measured(float(mean) / volume, _number(error, 1.0 / volume), "energy/length³"),
        Measured(float(factor), _number(factor_error)),
        Curve(middle, factors, None),
    )


@takes_run(settled=True, free_flights=True)
def free_paths(
    t: Floats,
    velocity: Floats,
    impacts: Records,
    mass: Floats,
    gravity: npt.ArrayLike = (0.0, 0.0, 0.0),
) -> FreePaths:
    """The lengths of the flights between two impacts on balls or obstacles.

    Takes a `Run`, or arrays: t: (k,); velocity: (k, n, 3), only the first frame is used; impacts:
    the table `impacts` of a simulation; mass: (n,). Velocities after each impact follow from the
    impulses. The mean is the path length of all balls divided by the number of ends of flights, so
    flights cut by the first or the last time do not bias it. (`gas_figures` has the mean between
    impacts of two balls.) NotInRunError where velocities change otherwise too: by gravity, a field
    of force, a thermostat or warm obstacles. R. Clausius, Annalen der Physik 105, 239 (1858).
    """
    if np.any(gravity):
        raise NotInRunError("free paths are measured where they are straight, without gravity")
    lengths, ends, is_whole = _flights(t, velocity[0], impacts, mass)
    if not is_whole.any():
        raise NotInRunError("no ball has two impacts between the first frame and the last")
    flights = lengths[is_whole][np.argsort(ends[is_whole], kind="stable")]
    n = len(mass)
    mean = float(lengths.sum()) / (len(lengths) - n)  # each ball has one part more than ends
    _, error = averaged(flights)
    # How they are distributed, in blocks that end one after another.
    edges = np.linspace(0.0, _LONGEST, 61)
    blocks = block_edges(len(flights))
    parts = [flights] if blocks is None else np.split(flights, blocks[1:-1])
    shares = np.stack([np.histogram(p / mean, edges)[0] / (len(p) * edges[1]) for p in parts])
    middle = 0.5 * (edges[1:] + edges[:-1])
    return FreePaths(
        Measured(mean, _number(error), "length"),
        Curve(middle, *averaged(shares), np.exp(-middle)),
        bool((impacts.kind == "obstacle").any()),
    )


def _flights(
    t: Floats, velocity: Floats, impacts: Records, mass: Floats
) -> tuple[Floats, Floats, Booleans]:
    """The parts into which impacts cut the ways of all balls: length, end, and if it is whole.

    A part is whole if it is between two impacts, and neither begins at the first time nor ends
    at the last.
    """
    # A row for each ball that an impact changes, and for each ball one at the start and end.
    inside = (impacts.t > t[0]) & (impacts.t <= t[-1])
    rows = impacts[((impacts.kind == "ball") | (impacts.kind == "obstacle")) & inside]
    between = rows.kind == "ball"
    push = rows.impulse[:, None] * np.stack([rows.nx, rows.ny, rows.nz], axis=1)
    if "tx" in rows.dtype.names:
        push += np.stack([rows.tx, rows.ty, rows.tz], axis=1)
    n = len(velocity)
    every, nothing = np.arange(n), np.zeros((n, 3))
    ball = np.concatenate([every, rows.i, rows.j[between], every])
    time = np.concatenate([np.full(n, t[0]), rows.t, rows.t[between], np.full(n, t[-1])])
    changes = np.concatenate([nothing, push, -push[between], nothing]) / mass[ball][:, None]
    # Ball by ball in order of time; rows at the same time stay in the order above.
    order = np.lexsort((time, ball))
    ball, time, total = ball[order], time[order], np.cumsum(changes[order], axis=0)
    first = np.searchsorted(ball, every)
    before = np.concatenate([np.zeros((1, 3)), total])[first]
    after = velocity[ball] + total - before[ball]
    # From each row to the next one of the same ball.
    same = ball[1:] == ball[:-1]
    lengths = (np.linalg.norm(after[:-1], axis=1) * np.diff(time))[same]
    is_whole = same.copy()
    is_whole[1:] &= same[:-1]
    is_whole[:-1] &= same[1:]
    is_whole[[0, -1]] = False
    return lengths, time[1:][same], is_whole[same]


def blocks_of_time(t: Floats) -> Floats:
    """The edges of blocks of time for averages with errors, from the times of frames."""
    if len(t) < 2:
        raise NotInRunError("it needs at least two frames: they give the time that was measured")
    return np.linspace(t[0], t[-1], 33)


def _number(error: float, factor: float = 1.0) -> float | None:
    return None if error is None else float(error) * factor
