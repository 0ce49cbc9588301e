"""Energy and momentum over time."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.analysis.of_run import takes_run
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import VectorLike


class Conservation(NamedTuple):
    """Energy and momentum at k times.

    kinetic, potential, total: (k,); momentum: (k, 3); error: (k,), a bound on what rounding
    adds to the total energy; speeds: (k,), Σ m|v|, by which a change of momentum is judged.
    """

    t: Floats
    kinetic: Floats
    potential: Floats
    total: Floats
    momentum: Floats
    error: Floats
    speeds: Floats


@takes_run(in_flow=False)
def energy_and_momentum(
    t: Floats,
    position: Floats,
    velocity: Floats,
    mass: Floats,
    gravity: VectorLike = (0.0, 0.0, 0.0),
    angular_velocity: Floats | None = None,
    inertia: Any = None,
) -> Conservation:
    """Energy and momentum over time: ½ Σ m v² + ½ Σ I ω², − Σ m g·x and Σ m v.

    Takes a `Run`, or arrays: t: (k,); position, velocity: (k, n, 3); mass: (n,); gravity: (3,); for
    balls that spin also angular_velocity: (k, n, 3) and inertia: (n,). L. D. Landau and E. M.
    Lifshitz, Mechanics, §§ 6 and 7. The error is Wilkinson's bound for sums that are added in
    pairs: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 4.2.
    """
    kinetic = 0.5 * np.einsum("j,ijk,ijk->i", mass, velocity, velocity)
    if angular_velocity is not None:
        kinetic += 0.5 * np.einsum("j,ijk,ijk->i", inertia, angular_velocity, angular_velocity)
    heights = position @ np.asarray(gravity)
    potential = -heights @ mass
    scale = kinetic + np.abs(heights) @ mass
    error = np.finfo(float).eps * (math.log2(len(mass)) + 4.0) * scale
    return Conservation(
        *(t, kinetic, potential, kinetic + potential),
        np.einsum("j,ijk->ik", mass, velocity),
        *(error, np.linalg.norm(velocity, axis=2) @ mass),
    )
