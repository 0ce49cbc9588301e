"""Haff's law: how a gas cools whose impacts take energy."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.analysis.hard_spheres import Fluid, fluid_of
from spheresim.analysis.measured import Curve, Measured
from spheresim.analysis.of_run import NotInRunError, takes_run
from spheresim.numerics.arrays import Floats

_LEFT_OUT = 16
"""Blocks of frames that are left out in turn, to see how much the fit depends on them."""


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
    Errors by leaving out each of sixteen blocks of frames in turn (the jackknife: B. Efron, Annals
    of Statistics 7, 1, 1979); they assume that the blocks are independent.
    """
    if is_lossy is None:
        is_lossy = restitution is None or bool(np.any(np.asarray(restitution) < 1.0))
    if np.any(gravity) or not is_lossy:
        raise NotInRunError("it needs impacts that take energy, and no gravity")
    if len(t) < 2 * _LEFT_OUT:
        raise NotInRunError(f"it needs at least {2 * _LEFT_OUT} frames, and there are {len(t)}")
    moved = np.any(velocity, axis=(0, 1))
    freedom = len(mass) * max(int(moved.sum()), 1)
    temperature = np.einsum("j,ijk,ijk->i", mass, velocity, velocity) / freedom
    if not (temperature > 0.0).all():
        raise NotInRunError("all balls are at rest in some frame, so there is no law of cooling")

    # Fit all frames, then all but one block of them.
    since = t - t[0]
    best = _fit(since, temperature)
    blocks = np.array_split(np.arange(len(t)), _LEFT_OUT)
    others = [_fit(np.delete(since, b), np.delete(temperature, b), best) for b in blocks]
    spread = np.var(np.exp(others), axis=0) * (_LEFT_OUT - 1)
    start, time, exponent = np.exp(best)
    errors = np.sqrt(spread)
    # What is published is of smooth balls.
    fluid = fluid_of(radius, mass, size, float(start)) if angular_velocity is None else None
    law = start / (1.0 + since / time) ** exponent
    return Cooling(
        Curve(t, temperature, None, law),
        Measured(float(start), float(errors[0]), "energy"),
        Measured(float(time), float(errors[1]), "time", _published(fluid, restitution)),
        Measured(float(exponent), float(errors[2]), "1", None if restitution is None else 2.0),
    )


def _fit(since: Floats, temperature: Floats, guess: Floats | None = None) -> Any:
    """The logarithms of T₀, τ and p that fit ln T best."""
    from scipy.optimize import least_squares

    logs = np.log(temperature)
    if guess is None:
        half = since[np.argmin(np.abs(logs - logs[0] + np.log(2.0)))] or since[-1]
        guess = np.array([logs[0], np.log(2.4 * half), np.log(2.0)])

    def residual(parameters: Floats) -> Any:
        start, time, exponent = parameters
        return logs - start + np.exp(exponent) * np.log1p(since * np.exp(-time))

    return least_squares(residual, guess, x_scale="jac").x


def _published(fluid: Fluid | None, restitution: Floats | None) -> float | None:
    """τ = 6 / ((1 − α²) ω (1 + 3a₂/16)), with the collision rate ω at the start.

    T. P. C. van Noije and M. H. Ernst, Granular Matter 1, 57 (1998), with Sonine's a₂.
    """
    if fluid is None or restitution is None or np.ptp(restitution) > 0.0 or restitution[0] == 1.0:
        return None
    e = float(restitution[0])
    a2 = 16 * (1 - e) * (1 - 2 * e**2) / (81 - 17 * e + 30 * e**2 * (1 - e))
    return 6.0 / ((1.0 - e**2) * fluid.collision_rate * (1.0 + 3.0 * a2 / 16.0))
