"""What ends inelastic collapse, and recognises a ball that is stuck, in both engines.

Inelastic collapse is infinitely many impacts in finite time. The TC model ends it: an impact
is elastic if the one before it was less than a time t_c ago (S. Luding and S. McNamara, How
to handle the inelastic collapse of a dissipative hard-sphere gas with the TC model, Granular
Matter 1, 1998). Here a path takes the place of the time, for a path depends neither on the
time step nor on the speed: an impact is elastic if the ball, and its partner too, has gone
less than RAPID_PATH of its radius before each of its last RAPID_IMPACTS impacts. In a tube,
whose wall bends towards a ball that slides along it, the ball is also turned inwards to at
least GLIDE_ANGLE.

A ball is stuck after more than STUCK_IMPACTS impacts without moving at all between them. It
is in a corner that rounding does not let it enter any further. An elastic ball then leaves as
it would after all the bounces of the corner (`corner`), with the energy that it had. Where
there is no corner, or no exit from it, the ball is jammed, and its impact takes all of its
approach; what is done if that does not help is each engine's own rule.
"""

from typing import Any

from spheresim.collision.journal import COLLAPSE_ANSWERS
from spheresim.compiler.decorators import inlined
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector

RAPID_IMPACTS = 16
RAPID_PATH = 1e-4
STUCK_IMPACTS = 10_000
GLIDE_ANGLE = 1e-4


@inlined
def count_rapid_impacts(
    record: Any, x: TVector, radius: float, path: float, short: float = RAPID_PATH
) -> None:
    """Update a ball's counts `rapid` and `stuck` at an impact at x, after a path of this length.

    short: below how many radii a path counts as short.
    """
    record.rapid = record.rapid + 1 if path < short * radius else 0
    record.stuck = record.stuck + 1 if path <= ROUNDING * (manhattan_norm(x) + radius) else 0


@inlined
def count_as_rapid_at_once(record: Any, room: float, radius: float) -> None:
    """Update the count `rapid` in worlds where nothing lies still: an impact counts at once.

    room: the speed of approach, times the time since the last impact. Balls may go far together
    on an obstacle that moves, so what counts is how far they can have parted. And where something
    presses them together for ever, a few impacts of low restitution would take all that they need
    to part again.
    """
    record.rapid = RAPID_IMPACTS + 1 if room < RAPID_PATH * radius else 0


@inlined
def may_leave_corner(stuck: int, restitution: float) -> bool:
    """Whether a ball that is stuck is to be taken out of a corner: tried for as many impacts."""
    return (stuck > STUCK_IMPACTS) & (stuck <= 2 * STUCK_IMPACTS) & (restitution == 1.0)


@inlined
def restitution_unless_collapsing(count: Any, rapid: int, stuck: int, restitution: float) -> float:
    """The restitution of an impact: 0 for a stuck ball, 1 in a collapse, else as it is given.

    count: of the engine's state, where the first two are counted.
    """
    if stuck > STUCK_IMPACTS:
        count[COLLAPSE_ANSWERS] += 1
        return 0.0
    if restitution < 1.0 and rapid > RAPID_IMPACTS:
        count[COLLAPSE_ANSWERS] += 1
        return 1.0
    return restitution
