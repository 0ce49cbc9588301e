"""Thresholds and tolerances of contact and rest, for both engines: each with its unit and reason.

Heights and lengths are in units of the (smaller) ball's radius r, speeds in units of √(g·r), where
g is the acceleration that presses the ball onto the contact. So they hold for any radius and any
gravity.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector


class Thresholds(NamedTuple):
    """Heights, in units of a ball's radius, that decide about lasting contact and sleep.

    A height stands for the speed with which a ball reaches it, against the acceleration that
    presses the ball onto the contact. rest_height: a ball that would bounce no higher stays on the
    obstacle. soft_height: two balls that hit each other repeatedly, and would part no faster, stay
    in contact. wake_height: an impact that is faster wakes a sleeping ball. sleep_height: balls in
    contact that are slower fall asleep, if their equilibrium can be proved."""

    rest_height: float = 1e-6
    soft_height: float = 1e-3
    wake_height: float = 1e-4
    sleep_height: float = 1e-5


# --- Repeated impacts ------------------------------------------------------------------------

REPEATED_PATH = 0.1
"""Path between two impacts, in radii, below which they follow each other: a soft bounce covers
less, a ball in flight more."""

REPEATED_IMPACTS = 4
"""Repeated impacts from which on two balls may stay in contact: bounces that end have a ratio."""

CHATTER_WEDGED = 16
"""Impacts without motion after which a ball counts as wedged in, so that an elastic one, too, may
come to rest: in free corners there are fewer."""

CHATTER_CROWDED = 32
"""Rapid impacts in a fixed step after which gaps may close: forces have found no clearance."""

CHATTER_STOPS = 128
"""Impacts without motion after which restitution is 0: in a narrow wedge, where each takes little,
there would be thousands."""

PARTING_SPEED = 1e-8
"""Normal speed after a soft impact, in √(g·r): above 0, so that the impact is over. Its energy is
5e-17·m·g·r."""


# --- Distances -------------------------------------------------------------------------------

TOUCHING = 1e-9
"""Gap, in radii, up to which two surfaces touch: above the rounding of positions, far below
`rest_height`."""

PENETRATION = 1e-10
"""Overlap, in radii, that a ball may reach with what it touches, also where it slides on a curved
surface; the law allows 1e-9."""

LARGEST_CREEP = 3.0
"""Overlap, in units of PENETRATION, from which on a crowded ball may not approach further."""

GRAZING = 1e-12
"""Gap, relative to the ball's coordinates and radius, that is rounding of the position."""

LEAST_CLEARANCE, MOST_CLEARANCE = 1e-8, 1e-4
"""Bounds of the clearance, in radii, between balls of an island; a small island has the least. In
fixed steps the least is `rest_height`. With less the balls move less; with more the residual of the
forces makes fewer impacts."""

RIDING_CLEARANCE = 1e-6
"""Further clearance, in radii, from an obstacle that vibrates or turns, in the exact engine: so far
its path may leave the parabola of a ball on it within a step. That is `rest_height`."""

LARGE_ISLAND = 64
"""Members from which on an island is large: its forces are found with a residual that counts."""

CLEARANCE_PER_SPEED = 3e-3
"""Clearance between those bounds, in radii, for a speed in √(2·g·r): so the residual is a fiftieth
of the speed. With three times as much, residuals keep some piles in motion."""

LIFTING_FRACTION = 0.1
"""Largest energy, as a fraction of that of the motion, with which that clearance lifts a pile: if
it took all, a high pile would rise and fall for ever."""

OBSTACLE_CLEARANCE = 5e-10
"""Clearance, in radii, between a ball and an obstacle in fixed steps: less than between two balls,
because the solver removes its residual last."""

PARTING_FRACTION = 0.25
"""Fraction of the clearance by which touching surfaces part in a step, so that no rounding makes
them touch again. In fixed steps this fraction of what is missing comes back in a step (J.
Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems, 1972), and
likewise of what a gap is wider, up to once the clearance."""

DETECTION_STEPS = 4.0
"""Contacts are listed up to the distance that balls fall towards each other in this many steps."""


# --- Residuals -------------------------------------------------------------------------------

STEP_RESIDUAL, FIXED_STEP_RESIDUAL = 0.2, 0.8
"""Residual of the solver, as a fraction of the clearance: in the exact engine, where it may add up
over several steps, and in fixed steps, where it may not."""

CROWDED_RESIDUAL = 1e-4
"""Factor on the residual for crowded balls, for which there is no clearance."""

STILL = 1e-10
"""Speed, in √(g·r), below which an approach does not bounce: rounding of the forces' work."""

STANDSTILL = 1e-11
"""Speed, in √(g·r), below which a ball in contact moves by rounding only, in fixed steps."""


# --- Steps of an island in the exact engine ----------------------------------------------------

STEP_FRACTION = 0.05
"""Length of a step, in √(r/g) of the smallest ball: forces follow the motion to this order."""

SHORTEST_STEP = 1e-3
"""Shortest time for which an island is solved, as a fraction of a usual step. In the exact engine
it is so for the sake of an obstacle that changes its motion: so sharply it is known when a ball
leaves what falls faster than it. In fixed steps it is near the end of a step."""

LEAST_TURNING = 0.01
"""Least pressing acceleration without gravity, as a fraction of v²/r."""


# --- Curved walls ----------------------------------------------------------------------------

STEEPEST_CHORD = 0.1
"""Largest speed away from a concave wall, as a fraction of the speed along it: beyond it a ball
does not even move straight for one fixed step."""

KICK_NOISE = 6.0
"""Largest noise of the integrator, in kicks g·h, below which bounces of fixed steps are contact."""


# --- Sleep -----------------------------------------------------------------------------------

QUIET_STEPS = 4
"""Steps in which all awake balls of islands are quiet, from one test of equilibrium to the next."""


@inlined
def clearance_at(height: float) -> float:
    """The clearance of a large island whose balls could rise to this mean height, in radii."""
    return min(CLEARANCE_PER_SPEED * math.sqrt(height), MOST_CLEARANCE)


@inlined
def clearance_of_large_island(
    members: int, rising: float, above: float, least: float, sleep_height: float
) -> float:
    """The clearance between the balls of a large island, in radii.

    rising: the sum of the heights, in radii, to which the balls could rise; above: the sum of their
    heights above the lowest ball, in radii, where a gap comes every two radii; least: the clearance
    of a small island; sleep_height: see `Thresholds`; slower than there it does not help that the
    residual is less.
    """
    clearance = clearance_at(rising / members)
    if above > 0.0:
        clearance = min(clearance, 2.0 * LIFTING_FRACTION * rising / above)
    return max(clearance, clearance_at(sleep_height), least)


@inlined
def elastic_rest_height(x: TVector, radius: float) -> float:
    """The `rest_height` of a ball at x that loses no energy: some hundred units in the last place
    of its coordinates, so that only a ball that starts at rest stays."""
    return 256.0 * ROUNDING * (1.0 + manhattan_norm(x) / radius)


@inlined
def height_against(gravity: TVector, x: TVector) -> float:
    """The height of x, as a length; 0 without gravity."""
    g = gravity.mag()
    return -x.dot(gravity) / g if g > 0.0 else 0.0


@inlined
def rising_speed(acceleration: float, radius: float, height: float) -> float:
    """The speed with which a ball rises by a height, in radii, against an acceleration."""
    return math.sqrt(2.0 * acceleration * height * radius)


@inlined
def rising_height(acceleration: float, radius: float, speed_sqr: float) -> float:
    """The height, in radii, to which a ball with this speed, squared, rises against an
    acceleration; inf if there is none."""
    return speed_sqr / (2.0 * acceleration * radius) if acceleration > 0.0 else math.inf
