"""The tolerances of contact and rest, for both engines: each with its unit and reason.

Heights and lengths are in units of the (smaller) ball's radius r, speeds in units of √(g·r), where
g is the acceleration that presses the ball onto the contact. So they hold for any radius and any
gravity. Counts of impacts are in `collision.repeated_impacts`.
"""

from spheresim.contact.thresholds import USUAL_THRESHOLDS

# --- Distances -------------------------------------------------------------------------------

TOUCHING = 1e-9
"""Gap, in radii, up to which two surfaces touch: above the rounding of positions, far below
`rest_height`."""

PENETRATION = TOUCHING / 10.0
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

RIDING_CLEARANCE = USUAL_THRESHOLDS.rest_height
"""Further clearance, in radii, from an obstacle that vibrates or turns, in the exact engine: so far
its path may leave the parabola of a ball on it within a step."""

LARGE_ISLAND = 64
"""Members from which on an island is large: its balls keep a clearance that grows with their speed,
and impacts renew the forces near them only (in fixed steps, of so many balls around each)."""

CLEARANCE_PER_SPEED = 3e-3
"""Clearance between those bounds, in radii, for a speed in √(2·g·r): so the residual is a fiftieth
of the speed. With three times as much, residuals keep some piles in motion."""

LIFTING_FRACTION = 0.1
"""Largest energy, as a fraction of that of the motion, with which that clearance lifts a pile: if
it took all, a high pile would rise and fall for ever."""

MOST_LIFTING = 10.0
"""Most work for the sake of the clearance that is not paid back yet, as a multiple of what lifts
each ball by the clearance for each radius of its height: balls that fit exactly between walls take
no more."""

OBSTACLE_CLEARANCE = 0.5 * TOUCHING
"""Clearance, in radii, between a ball and an obstacle in fixed steps: less than between two balls,
because the solver removes its residual last."""

PARTING_FRACTION = 0.25
"""Fraction of the clearance by which touching surfaces part in a step, so that no rounding makes
them touch again. In fixed steps this fraction of what is missing comes back in a step (J.
Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems, 1972), and
likewise of what a gap is wider, up to once the clearance."""

DETECTION_REACH = 4.0
"""Contacts are listed up to this gap, in units of g·h²: eight times as far as a ball falls in a
step h of the exact engine."""


# --- Soft impacts ------------------------------------------------------------------------------

PARTING_SPEED = 1e-8
"""Normal speed after a soft impact, in √(g·r): above 0, so that the impact is over. Its energy is
5e-17·m·g·r."""

SOFT_IMPACTS_BETWEEN_SOLVES = 4
"""Soft impacts after which the contacts near them are solved again: in fixed steps of their
islands, in the exact engine, after more than so many, of their neighbourhood among many members."""

PATIENCE, BALLS_FOR_ONE_MORE = 8, 8
"""Of n balls, 8 + n/8. After more soft impacts the exact engine solves all members again, not
before, because each solve lifts what soft impacts have let fall (in a large island after more than
it has members). After so many solves in a fixed step, more soft impacts are allowed from one to the
next, so that the step ends even where forces do not help."""


# --- Residuals -------------------------------------------------------------------------------

STEP_RESIDUAL, FIXED_STEP_RESIDUAL = 0.2, 0.8
"""Residual of the solver, in the exact engine and in fixed steps: of forces as a fraction of the
clearance, of velocities as one of the speed with which touching surfaces part (PARTING_FRACTION).
In the exact engine it may add up over several steps."""

ROUGH_ISLAND = 1000
"""Members from which on sweeps are enough at the start of a fixed step: exact forces of so many
balls cost more than the impacts where sweeps leave a residual."""

CROWDED_RESIDUAL = 1e-4
"""Factor on the residual where there is no room for a clearance, else it would be an impact; and
for the contacts with obstacles that are solved last."""

APPROACH_NOISE = 1e-10
"""Speed, in √(g·r), below which an approach does not bounce: rounding of the forces' work."""

MOTION_NOISE = 1e-11
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


# --- Sleep -----------------------------------------------------------------------------------

QUIET_STEPS = 4
"""Steps in which all awake balls of islands are quiet, from one test of equilibrium to the next."""
