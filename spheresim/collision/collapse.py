"""What ends inelastic collapse, and recognises a ball that is wedged, in both engines.

Inelastic collapse is infinitely many impacts in finite time. The TC model ends it: an impact
is elastic if the one before it was less than a time t_c ago (S. Luding and S. McNamara, How
to handle the inelastic collapse of a dissipative hard-sphere gas with the TC model, Granular
Matter 1, 1998). Here a path takes the place of the time, for a path depends neither on the
time step nor on the speed: an impact is elastic if the ball, and its partner too, has gone
less than COLLAPSE_PATH of its radius before each of its last COLLAPSE_IMPACTS impacts. In a tube,
whose wall bends towards a ball that slides along it, the ball is also turned inwards to at
least GLIDE_ANGLE.

A ball is wedged after more than WEDGED_IMPACTS impacts without moving at all between them. It
is in a corner that rounding does not let it enter any further. An elastic ball then leaves as
it would after all the bounces of the corner (`corner`), with the energy that it had. Where
there is no corner, or no exit from it, the ball is jammed, and its impact takes all of its
approach; what is done if that does not help is each engine's own rule.
"""

from typing import Protocol

from spheresim.collision.journal import Counts
from spheresim.collision.repeated_impacts import (
    COLLAPSE_IMPACTS,
    COLLAPSE_PATH,
    STUCK_IMPACTS,
    WEDGED_IMPACTS,
)
from spheresim.compiler.decorators import inlined
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector

GLIDE_ANGLE = 1e-4

LONG_AGO = 1e100
"""The time since a ball's last impact, where that is not known any more: it has parted long ago."""


class CountsImpacts(Protocol):
    """A ball's record in an engine: how many of its last impacts came after short paths."""

    repeated: int
    wedged: int


@inlined
def count_repeated_impacts(
    record: CountsImpacts, x: TVector, radius: float, path: float, short: float = COLLAPSE_PATH
) -> None:
    """Update the counts `repeated` and `wedged` of a ball, at an impact at x, after a path of this
    length.

    short: below how many radii a path counts as short.
    """
    record.repeated = record.repeated + 1 if path < short * radius else 0
    record.wedged = record.wedged + 1 if path <= ROUNDING * (manhattan_norm(x) + radius) else 0


@inlined
def count_as_collapsing_at_once(
    record: CountsImpacts, before: int, parted: float, radius: float
) -> None:
    """Update the count `repeated` in worlds where nothing lies still: an impact counts at once.

    before: the count before this impact; parted: the speed of approach, times the time since the
    last impact. Balls may go far together on an obstacle that moves, so what counts is how far they
    can have parted. And where something presses them together for ever, a few impacts of low
    restitution would take all that they need to part again.
    """
    is_short = parted < COLLAPSE_PATH * radius
    record.repeated = max(before, COLLAPSE_IMPACTS) + 1 if is_short else 0


@inlined
def may_leave_corner(wedged: int, restitution: float) -> bool:
    """Whether a ball that is wedged is to be taken out of a corner: tried for as many impacts."""
    return (wedged > WEDGED_IMPACTS) & (wedged <= STUCK_IMPACTS) & (restitution == 1.0)


@inlined
def restitution_unless_collapsing(
    count: Counts, repeated: int, wedged: int, restitution: float
) -> float:
    """The restitution of an impact: 0 for a wedged ball, 1 in a collapse, else as it is given.

    count: of the engine's state, where the first two are counted.
    """
    if wedged > WEDGED_IMPACTS:
        count.collapse_answers += 1
        return 0.0
    if restitution < 1.0 and repeated > COLLAPSE_IMPACTS:
        count.collapse_answers += 1
        return 1.0
    return restitution
