"""Haff's law: how a gas cools whose impacts take energy."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.analysis.measured import Curve, Measured
from spheresim.analysis.of_run import NotInRunError, takes_run
from spheresim.analysis.published_hard_spheres import Fluid, fluid_of
from spheresim.numerics.arrays import Floats

_FEWEST_FRAMES = 32
"""Of fewer there is no law."""

_BLOCKS = 32
"""Parts of the cooling at the most, from the deviations of which the errors are."""


class Cooling(NamedTuple):
    """The cooling of a gas: its granular temperature, and the fitted law T₀ / (1 + t/τ)^p.

    temperature: over time, with the fitted law as `published`; start, time, exponent: T₀, τ and p.
    By Haff's law p is 2."""

    temperature: Curve
    start: Measured
    time: Measured
    exponent: Measured


@takes_run(free_flights=True)
def cooling(
    t: Floats,
    velocity: Floats,
    mass: Floats,
    restitution: Floats | None,
    gravity: npt.ArrayLike = (0.0, 0.0, 0.0),
    radius: Floats | None = None,
    size: Floats | None = None,
    angular_velocity: Floats | None = None,
    is_lossy: bool | None = None,
) -> Cooling:
    """The granular temperature over time, and T₀ / (1 + t/τ)^p fitted to it.

    Takes a `Run`, or arrays: t: (k,); velocity: (k, n, 3); mass: (n,); restitution: (n,), or None
    if it depends on the speed or the pair; is_lossy: whether impacts take energy, by default
    whether a restitution is below 1. With radius (n,) and size (3,) of a periodic box, for balls
    with a restitution and without spins, the result has the published τ too. NotInRunError if
    impacts take no energy, or change velocities not alone. P. K. Haff, Journal of Fluid Mechanics
    134, 401 (1983): p = 2 while the gas is uniform; later clusters and vortices slow the cooling.
    Errors: see `_errors`; chance in the impacts makes the temperature deviate as in a random walk.
    """
    if is_lossy is None:
        is_lossy = restitution is None or bool(np.any(np.asarray(restitution) < 1.0))
    if np.any(gravity) or not is_lossy:
        raise NotInRunError("it needs impacts that take energy, and no gravity")
    if len(t) < _FEWEST_FRAMES:
        raise NotInRunError(f"it needs at least {_FEWEST_FRAMES} frames, and there are {len(t)}")
    moved = np.any(velocity, axis=(0, 1))
    freedom = len(mass) * max(int(moved.sum()), 1)
    temperature = np.einsum("j,ijk,ijk->i", mass, velocity, velocity) / freedom
    if not (temperature > 0.0).all():
        raise NotInRunError("all balls are at rest in some frame, so there is no law of cooling")

    since = t - t[0]
    best = _fit(since, temperature)
    start, time, exponent = np.exp(best)
    errors = _errors(since, temperature, best)
    # What is published is of smooth balls.
    fluid = fluid_of(radius, mass, size, float(start)) if angular_velocity is None else None
    law = start / (1.0 + since / time) ** exponent
    return Cooling(
        Curve(t, temperature, None, law),
        Measured(float(start), errors[0], "energy"),
        Measured(float(time), errors[1], "time", _published(fluid, restitution)),
        Measured(float(exponent), errors[2], "1", None if restitution is None else 2.0),
    )


def _fit(since: Floats, temperature: Floats) -> Floats:
    """The logarithms of T₀, τ and p that fit ln T best."""
    from scipy.optimize import least_squares

    logs = np.log(temperature)
    half = since[np.argmin(np.abs(logs - logs[0] + np.log(2.0)))] or since[-1]
    guess = np.array([logs[0], np.log(2.4 * half), np.log(2.0)])

    def residual(parameters: Floats) -> Floats:
        start, time, exponent = parameters
        return logs - start + np.exp(exponent) * np.log1p(since * np.exp(-time))

    return least_squares(residual, guess, x_scale="jac").x


def _errors(since: Floats, temperature: Floats, best: Floats) -> Sequence[float | None]:
    """The standard errors of T₀, τ and p, given their logarithms; None each if it hardly cools.

    By chance, impacts take more or less energy than on average (J. J. Brey, M. I. García de Soria,
    P. Maynar and M. J. Ruiz-Montero, Physical Review E 70, 011302, 2004). The deviation of ln T
    adds up from impact to impact, and decays, because a gas hotter than the law cools faster: with
    u = 1 + t/τ, T^(−1/p) grows as u, so a deviation δ at u is δ·u/u′ at u′, and the deviation times
    u is a random walk. Its steps are independent, with variances σ²u²Δ(ln u), as the number of
    impacts grows as ln u. Blocks of equal Δ(ln u) give σ². The fit is linear in small deviations,
    and so its errors follow.
    """
    start, time, exponent = best[0], *np.exp(best[1:])
    u = 1.0 + since / time
    passed = np.log(u)
    walk = u * (np.log(temperature) - start + exponent * passed)

    # From blocks that are longer than most correlations, with two parameters that fit them.
    ends = np.searchsorted(passed, np.linspace(0.0, passed[-1], _BLOCKS + 1) * (1.0 - 1e-12))
    ends = np.unique(ends)
    if len(ends) < 4:
        return [None, None, None]
    steps = np.diff(walk[ends]) / np.sqrt(u[ends[1:]] * u[ends[:-1]])
    variance = np.sum(steps**2 / np.diff(passed[ends])) / (len(steps) - 2)

    # How much each step of the walk changes the parameters, by way of all later frames.
    slopes = np.column_stack([np.ones(len(u)), exponent * (1.0 - 1.0 / u), -exponent * passed])
    by_frame = np.linalg.pinv(slopes) / u
    by_step = np.cumsum(by_frame[:, :0:-1], axis=1)[:, ::-1]
    size = np.sqrt(variance * np.diff(passed) * u[1:] * u[:-1])
    return (np.exp(best) * np.linalg.norm(by_step * size, axis=1)).tolist()


def _published(fluid: Fluid | None, restitution: Floats | None) -> float | None:
    """τ = 6 / ((1 − α²) ω (1 + 3a₂/16)), with the collision rate ω at the start.

    T. P. C. van Noije and M. H. Ernst, Granular Matter 1, 57 (1998), with Sonine's a₂.
    """
    if fluid is None or restitution is None or np.ptp(restitution) > 0.0 or restitution[0] == 1.0:
        return None
    e = float(restitution[0])
    a2 = 16 * (1 - e) * (1 - 2 * e**2) / (81 - 17 * e + 30 * e**2 * (1 - e))
    return 6.0 / ((1.0 - e**2) * fluid.collision_rate * (1.0 + 3.0 * a2 / 16.0))
