"""The stress tensor of a gas, and its shear viscosity where it is sheared."""

from typing import NamedTuple

import numpy as np

from spheresim.analysis.measured import Measured, averaged
from spheresim.analysis.of_run import takes_run
from spheresim.analysis.pressure_and_free_paths import blocks_of_time
from spheresim.numerics.arrays import Floats, Records

_AXES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


class StressTensor(NamedTuple):
    """The components of the stress tensor; the diagonal is positive for a pressure.

    shear_viscosity: −σ_xy over the shear rate, None without shear.
    """

    xx: Measured
    yy: Measured
    zz: Measured
    xy: Measured
    xz: Measured
    yz: Measured
    shear_viscosity: Measured | None


@takes_run(settled=True, of_sheared=True)
def stress(
    t: Floats,
    velocity: Floats,
    impacts: Records,
    mass: Floats,
    radius: Floats,
    size: Floats,
    shear_rate: float = 0.0,
) -> StressTensor:
    """σ = (Σ m c c + Σ J (r_i + r_j) n n / t) / V, from velocities and the impacts of two balls.

    Takes a `Run`, or arrays: t: (k,); velocity: (k, n, 3), c in the formula, in a sheared box
    relative to the flow; impacts: the table `impacts` of a simulation; mass, radius: (n,); size:
    (3,), of a box that is periodic along all axes; shear_rate: of the box. J is the impulse along
    the normal n; tangential impulses of rough balls are left out. A third of the trace is the
    pressure. In a sheared box `gas_figures` has the same tensor from the engine's sums; it averages
    velocities over all times, not only over frames. J. H.
    Irving and J. G. Kirkwood, Journal of Chemical Physics 18, 817 (1950). Errors from blocks of
    time.
    """
    between = impacts[impacts.kind == "ball"]
    edges = blocks_of_time(t)
    moment = (radius[between.i] + radius[between.j]) * between.impulse
    normal = np.stack([between.nx, between.ny, between.nz])
    middle, volume = 0.5 * (edges[1:] + edges[:-1]), float(np.prod(size))
    found = {}
    for axes, (a, b) in _AXES.items():
        weights = moment * normal[a] * normal[b]
        rate = np.histogram(between.t, edges, weights=weights)[0] / np.diff(edges)
        kinetic = np.einsum("j,ij,ij->i", mass, velocity[:, :, a], velocity[:, :, b])
        mean, error = averaged((np.interp(middle, t, kinetic) + rate) / volume)
        found[axes] = Measured(
            float(mean), None if error is None else float(error), "energy/length³"
        )
    viscosity = None
    if shear_rate != 0.0:
        value, error, *_ = found["xy"]
        error = None if error is None else error / abs(shear_rate)
        viscosity = Measured(-value / shear_rate, error, "mass/(length·time)")
    return StressTensor(**found, shear_viscosity=viscosity)
