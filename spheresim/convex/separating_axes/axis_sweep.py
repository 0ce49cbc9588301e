"""From when to when two cores that move without turning overlap: on one axis, on all, as balls.

The rules for zero speed and for the order of enter and leave are at the head of `swept_sat`.
"""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import MinkowskiDifference
from spheresim.convex.geometry.support import project
from spheresim.convex.gjk.search import LIMIT, closest
from spheresim.convex.gjk.simplex import INDEX_A
from spheresim.convex.separating_axes.axes import axis_of, count_axes, many_axes
from spheresim.convex.separating_axes.line_clip import clip_line
from spheresim.numerics.arrays import Floats
from spheresim.numerics.roots import Quadratic, contact_quadratic
from spheresim.numerics.vector import ZERO, TVector

INFINITE = float("inf")


class AxisSweep(NamedTuple):
    """Times of entering and leaving; the axis entered last (b towards a); how many were tested."""

    enter: float
    leave: float
    axis: TVector
    tested: int


@routine
def sweep_on_axis(difference: MinkowskiDifference, velocity: TVector, axis: TVector) -> AxisSweep:
    """When two cores overlap on one axis; `velocity`: of a relative to b."""
    a, b, offset = difference
    low_a, high_a = project(a, axis)
    low_b, high_b = project(b, axis)
    shift, speed = axis.dot(offset), axis.dot(velocity)
    nearest, furthest = low_b + shift - high_a, high_b + shift - low_a
    if speed == 0.0:
        if nearest > 0.0 or furthest < 0.0:
            return AxisSweep(INFINITE, -INFINITE, axis, 1)
        return AxisSweep(-INFINITE, INFINITE, axis, 1)
    if speed > 0.0:
        return AxisSweep(nearest / speed, furthest / speed, -axis, 1)
    return AxisSweep(furthest / speed, nearest / speed, axis, 1)


@routine
def sweep_all_axes(difference: MinkowskiDifference, velocity: TVector) -> AxisSweep:
    """When two cores overlap on all axes; ends early once they are known to miss each other."""
    a, b, _ = difference
    enter, leave, tested = -INFINITE, INFINITE, 0
    normal = ZERO
    for index in range(count_axes(a, b)):
        axis = axis_of(a, b, index)
        if axis.mag_sqr() == 0.0:
            continue
        tested += 1
        own = sweep_on_axis(difference, velocity, axis)
        if own.enter > enter:
            enter, normal = own.enter, own.axis
        leave = min(leave, own.leave)
        if enter > leave:
            break
    return AxisSweep(enter, leave, normal, tested)


@routine
def sweep_by_line_clip(
    difference: MinkowskiDifference, velocity: TVector, simplex: Floats
) -> AxisSweep:
    """`sweep_all_axes` of bodies of many faces: the two axes that decide are searched for."""
    if velocity.mag_sqr() == 0.0:
        simplex[0, 0, INDEX_A] = -1.0
        found = closest(difference, simplex, 0, LIMIT, 0.0)
        end = INFINITE if found.overlapping else -INFINITE
        return AxisSweep(-end, end, found.point, found.steps)
    clipped = clip_line(difference, velocity, simplex)
    if clipped.hits < 0:
        return sweep_all_axes(difference, velocity)
    if clipped.hits == 0:
        return AxisSweep(INFINITE, -INFINITE, clipped.entering, clipped.tested)
    first = sweep_on_axis(difference, velocity, clipped.entering)
    last = sweep_on_axis(difference, velocity, clipped.leaving)
    return AxisSweep(first.enter, last.leave, first.axis, clipped.tested)


@routine
def sweep_cores(difference: MinkowskiDifference, velocity: TVector, simplex: Floats) -> AxisSweep:
    """When two cores overlap. `simplex`: scratch, one simplex."""
    a, b, _ = difference
    if many_axes(a, b):
        return sweep_by_line_clip(difference, velocity, simplex)
    return sweep_all_axes(difference, velocity)


@inlined
def sweep_balls(between: TVector, velocity: TVector, reach: float) -> AxisSweep:
    """When |velocity · t − between| ≤ reach, of two balls; `between`: from a's centre to b's."""
    quadratic = contact_quadratic(-between, velocity, reach)
    # The last contact is the first one of the reversed motion.
    reverse = Quadratic(quadratic.a, -quadratic.b, quadratic.c, quadratic.discriminant)
    enter, leave = quadratic.first_crossing(), -reverse.first_crossing()
    return AxisSweep(enter, leave, velocity * enter - between, 0)
