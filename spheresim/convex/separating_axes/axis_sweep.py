"""When two cores that move without turning pass each other: on one axis, on all, as balls.

The rules are those at the head of `swept_sat`.
"""

from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import Placed, project
from spheresim.convex.gjk.search import LIMIT, closest
from spheresim.convex.gjk.simplex import INDEX_A
from spheresim.convex.separating_axes.axes import axis_of, count_axes, many_axes
from spheresim.convex.separating_axes.line_clip import clip
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.vector import TVector

INFINITE = float("inf")


class Passing(NamedTuple):
    """On one axis or all: enter, leave, the axis that enters last (b towards a), axes tested."""

    enter: float
    leave: float
    axis: TVector
    tested: int


@routine
def passing_on(a: Placed, b: Placed, offset: TVector, velocity: TVector, axis: TVector) -> Passing:
    """When two cores pass each other on one axis; `velocity`: of a, seen from b."""
    low_a, high_a = project(a, axis)
    low_b, high_b = project(b, axis)
    shift, speed = axis.dot(offset), axis.dot(velocity)
    nearest, furthest = low_b + shift - high_a, high_b + shift - low_a
    if speed == 0.0:
        if nearest > 0.0 or furthest < 0.0:
            return Passing(INFINITE, -INFINITE, axis, 1)
        return Passing(-INFINITE, INFINITE, axis, 1)
    if speed > 0.0:
        return Passing(nearest / speed, furthest / speed, -axis, 1)
    return Passing(furthest / speed, nearest / speed, axis, 1)


@routine
def passing(a: Placed, b: Placed, offset: TVector, velocity: TVector) -> Passing:
    """Over all axes, or as far as it takes to see that two cores miss each other."""
    enter, leave, tested = -INFINITE, INFINITE, 0
    normal = TVector(0.0, 0.0, 0.0)
    for index in range(count_axes(a, b)):
        axis = axis_of(a, b, index)
        if axis.mag_sqr() == 0.0:
            continue
        tested += 1
        own = passing_on(a, b, offset, velocity, axis)
        if own.enter > enter:
            enter, normal = own.enter, own.axis
        leave = min(leave, own.leave)
        if enter > leave:
            break
    return Passing(enter, leave, normal, tested)


@routine
def passing_of_many(
    a: Placed, b: Placed, offset: TVector, velocity: TVector, simplex: Any
) -> Passing:
    """`passing` of bodies of many faces: the two axes that count are searched."""
    if velocity.mag_sqr() == 0.0:
        simplex[0, 0, INDEX_A] = -1.0
        found = closest(a, b, offset, simplex, 0, LIMIT, 0.0)
        end = INFINITE if found.overlapping else -INFINITE
        return Passing(-end, end, found.point, found.steps)
    clipped = clip(a, b, offset, velocity, simplex)
    if clipped.hits < 0:
        return passing(a, b, offset, velocity)
    if clipped.hits == 0:
        return Passing(INFINITE, -INFINITE, clipped.entering, clipped.tested)
    first = passing_on(a, b, offset, velocity, clipped.entering)
    last = passing_on(a, b, offset, velocity, clipped.leaving)
    return Passing(first.enter, last.leave, first.axis, clipped.tested)


@routine
def passing_of(a: Placed, b: Placed, offset: TVector, velocity: TVector, simplex: Any) -> Passing:
    """When two cores pass each other. `simplex`: scratch, one of them."""
    if many_axes(a, b):
        return passing_of_many(a, b, offset, velocity, simplex)
    return passing(a, b, offset, velocity)


@inlined
def passing_of_balls(between: TVector, velocity: TVector, reach: float) -> Passing:
    """|velocity · t − between| = reach: the quadratic of two balls; `between`: from a's to b's."""
    quadratic = contact_quadratic(-between, velocity, reach)
    if quadratic.discriminant < 0.0 or (quadratic.a == 0.0 and quadratic.c > 0.0):
        return Passing(INFINITE, -INFINITE, between, 0)
    if quadratic.a == 0.0:
        return Passing(-INFINITE, INFINITE, between, 0)
    # The root that is larger in size first: in the other, c over it, nothing cancels.
    larger = abs(quadratic.b) + quadratic.discriminant**0.5
    other = quadratic.c / larger if larger > 0.0 else 0.0
    if quadratic.b <= 0.0:
        enter, leave = other, larger / quadratic.a
    else:
        enter, leave = -larger / quadratic.a, -other
    return Passing(enter, leave, velocity * enter - between, 0)
