"""Time of impact by the tutorial's search in slices of a step: up to a slice early, or missed."""

import math

from spheresim.collision.constants import MOST_SLICES, SLICES
from spheresim.collision.toi import BallFlight, MovingSphere, flight_of, is_moderate
from spheresim.compiler.decorators import kernel
from spheresim.numerics.arguments import positive, truth, whole_number
from spheresim.numerics.powers_of_two import (
    divided_by_power_of_two,
    exponent_above,
    times_power_of_two,
)
from spheresim.numerics.vector import TVector


def sliced_toi(
    a: MovingSphere,
    b: MovingSphere,
    time_step: float,
    slices: int = SLICES,
    refine: bool = False,
) -> float:
    """Time of impact of two spheres by the tutorial's search in slices; inf if it finds none.

    a, b: anything with position, velocity and radius, such as a `Ball`; time_step > 0 [time];
    slices: the number of slices. The spheres are tested at the end of each slice. The result is the
    start of the first slice at whose end they touch or overlap. With `refine` the result is
    interpolated linearly inside this slice. Two spheres that touch for less than a slice may be
    missed. ValueError for a time step that is not positive, and for a number of slices that is not
    from 1 to 10⁹.

    >>> from spheresim.model.balls import Ball
    >>> pair = Ball((-5, 0, 0), (1, 0, 0), 1), Ball((0, 1.2, 0), radius=1)
    >>> sliced_toi(*pair, time_step=6, slices=3), round(sliced_toi(*pair, 6, refine=True), 3)
    (2.0, 3.4)
    """
    return flights_sliced_toi(
        flight_of(a),
        flight_of(b),
        positive(time_step, "time_step"),
        whole_number(slices, "slices", low=1, high=MOST_SLICES),
        truth(refine, "refine"),
    )


def flights_sliced_toi(
    a: BallFlight, b: BallFlight, time_step: float, slices: int, refine: bool
) -> float:
    """The same of values that have been checked."""
    d, v, s = a.position - b.position, a.velocity - b.velocity, a.radius + b.radius
    if is_moderate(d, v, s):
        return pair_sliced_toi(d, v, s, time_step, slices, refine)

    # In units of length and time, powers of two, that suit the pair; of half of everything where
    # a difference of two large floats overflows.
    part = 1.0 if math.isfinite(max(map(abs, (*d, *v, s)))) else 0.5
    d, v = a.position * part - b.position * part, a.velocity * part - b.velocity * part
    s = a.radius * part + b.radius * part
    length, speed = exponent_above([s, *d]), exponent_above(v)
    step = times_power_of_two(time_step, speed - length)
    d, v = divided_by_power_of_two(d, length), divided_by_power_of_two(v, speed)
    s = math.ldexp(s, -length)
    return times_power_of_two(pair_sliced_toi(d, v, s, step, slices, refine), length - speed)


@kernel
def pair_sliced_toi(
    d: TVector, v: TVector, s: float, time_step: float, slices: int, refine: bool
) -> float:
    """The tutorial's loop: move by a slice, and ask whether the centres are within reach."""
    if d.dot(v) >= 0.0:
        return math.inf
    gap = d.mag() - s
    if gap <= 0.0:
        return 0.0
    slice_time = time_step / slices
    for i in range(slices):
        next_gap = (d + v * ((i + 1) * slice_time)).mag() - s
        if next_gap <= 0.0:
            if refine:
                return (i + gap / (gap - next_gap)) * slice_time
            return i * slice_time
        gap = next_gap
    return math.inf
