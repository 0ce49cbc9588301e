"""Repeated impacts: after how many of them, in both engines, what happens.

Each ball has two counts: `repeated`, of its last impacts that each came after a short path, and
`wedged`, of those between which it did not move at all. With fixed steps both begin anew in each
step, and `chatter_count` goes on from step to step as `repeated` does in the exact engine.
"""

# --- Short paths, in radii ---------------------------------------------------------------------

COLLAPSE_PATH = 1e-4
"""Where no contact lasts: so short are only the paths of an inelastic collapse."""

REPEATED_PATH = 0.1
"""Where contacts may last: a soft bounce covers less, a ball in flight more."""


# --- Impacts after short paths, or without motion ----------------------------------------------

REPEATED_IMPACTS = 4
"""Repeated impacts from which on two balls may stay in contact: bounces that end have a ratio."""

COLLAPSE_IMPACTS = 16
"""More repeated impacts are an inelastic collapse: impacts are elastic from then on. A ball with as
many impacts without motion may come to rest, be it elastic: in free corners there are fewer."""

CROWDED_IMPACTS = 32
"""More repeated impacts in a fixed step although its island was solved: there is no clearance, and
gaps may close."""

CHATTER_STOPS = 128
"""Impacts without motion after which the restitution of an inelastic ball is 0 in the exact engine;
repeated impacts in a fixed step after which a soft one stops a ball. In a narrow wedge, where each
takes little, there would be thousands."""

MOST_REPEATED_IMPACTS = 200_000
"""Repeated impacts after which an inelastic ball stands still until the next fixed step, for a step
must end; and with the exact engine a ball that an obstacle squeezes is jammed."""


# --- Impacts without motion, which rounding does not let end --------------------------------------

WEDGED_IMPACTS = 10_000
"""More of them: the ball is in a corner that rounding does not let it enter any further. If it is
elastic it leaves as after all bounces of the corner; else an impact takes all of its approach."""

STUCK_IMPACTS = 2 * WEDGED_IMPACTS
"""After more than these no way out is sought any more, and the ball stops relative to what it is
stuck in."""

JAMMED_IMPACTS = 3 * WEDGED_IMPACTS
"""After more than these not even that has helped: with fixed steps the ball stands still, and the
exact engine puts it to sleep, or cannot go on."""

SQUEEZED_IMPACTS = 4 * WEDGED_IMPACTS
"""After more than these an obstacle that moves squeezes the ball: it hits nothing more in the
fixed step."""
