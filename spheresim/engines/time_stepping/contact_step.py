"""The contact solve of a fixed step: velocities with which the balls of islands do not overlap.

With the gaps and normals at the start of a step of length h, the velocities v after gravity's
kick must satisfy gap + h·n·(v_i − v_j) ≥ 0 for every contact, with the least change
(J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The
non-smooth contact dynamics method, 1999). Balls fly straight inside a step, and the distance of two
convex bodies is a convex function of their relative position. So balls touch nothing before the end
of the step. On a concave wall the chord ends on the wall. Gaps that the solver's residual closes,
and balls from outside, lead to impacts.
"""

import math
from typing import NamedTuple

from spheresim.collision.impacts import SLIDE, WAKE
from spheresim.collision.journal import NO_RESPONSE, Event, log_event
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import ASLEEP, FREE, IN_ISLAND, SLIDING
from spheresim.contact.contact_list import NO_INDEX, ContactList, next_contact
from spheresim.contact.rise import (
    clearance_of_large_island,
    height_against,
    lifting_work,
    rising_height,
    rounding_of_place,
    speed_unit,
)
from spheresim.contact.solver import SolverGoal, solve_contacts
from spheresim.contact.tolerances import (
    CROWDED_RESIDUAL,
    FIXED_STEP_RESIDUAL,
    LARGE_ISLAND,
    LEAST_CLEARANCE,
    MOTION_NOISE,
    OBSTACLE_CLEARANCE,
    PARTING_FRACTION,
    QUIET_STEPS,
    ROUGH_ISLAND,
    SHORTEST_STEP,
)
from spheresim.engines.time_stepping.contact_work import energy_at, take_work
from spheresim.engines.time_stepping.engine_state import (
    NO_PART,
    EngineState,
    absolute,
)
from spheresim.engines.time_stepping.islands import (
    call_island,
    find_islands,
    recall_forces,
    store_forces,
)
from spheresim.engines.time_stepping.predict import predict_next_event, renew_sphere
from spheresim.engines.time_stepping.riding import (
    chord_speed,
    rising_speed_of_wall,
    seen_by,
    wall_speed,
)
from spheresim.model.state import World
from spheresim.numerics.arrays import Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO

_PARALLEL = 1e-9
"""Sine of the angle between two normals below which they count as one: rounding of normals."""


class Solve(NamedTuple):
    """length: the time for which islands are solved, the rest of the step; is_whole: whether whole
    islands are solved, at the start of a step, or parts of them around impacts."""

    length: float
    is_whole: bool


@routine
def step_contacts(world: World, state: EngineState) -> None:
    """Solve the velocities of all balls in contact, at the start of a step, after gravity."""
    count, length = state.count, float(state.measure.length)
    count.soft_since_solve = count.resolves = count.called_balls = count.logged = 0
    for i in range(state.ball.size):
        ball = state.ball[i]
        ball.part, ball.head = NO_PART, NO_INDEX
        ball.clearance = state.rule.limits.rest_height
        if ball.held != IN_ISLAND:
            ball.owed = 0.0
        call_island(state, i)
        if ball.held == ASLEEP:
            set_vector(state.velocity, i, ZERO)
            state.islands.inverse_mass[i] = 0.0
    if state.count.called_balls == 0:
        state.count.remembered = 0
        return
    # Contacts are sought in spheres renewed now, because bits must not depend on the past.
    for i in range(state.ball.size):
        if state.ball[i].held != FREE and state.ball[i].ball_due <= state.count.step:
            renew_sphere(world, state, i, length)
    find_islands(world, state, length, state.ball.size)
    recall_forces(state)
    _solve_islands(world, state, Solve(length, True))
    state.measure.solved_length = length
    store_forces(state)
    # The states of the balls, and whether an equilibrium test is due.
    quiet = 0
    for m in range(state.count.members):
        i = int(state.islands.member[m])
        ball = state.ball[i]
        ball.slides_on = int(_slides_on(world, state, i))
        rides, leans = _what_carries(world, state, i)
        goes_on = rides or (ball.held == SLIDING and ball.slides_on == 1)
        # A sleeping ball that is pressed must carry the other, or wake, at any speed of that.
        if leans:
            quiet += QUIET_STEPS
        elif not goes_on and _is_quiet(world, state, i):
            quiet += 1
        _update_contact_state(state, i)
        ball.part, ball.ball_due = NO_PART, state.count.step
    state.count.quiet += quiet
    if state.count.quiet >= state.count.quiet_until and quiet > 0:
        state.count.proof_due = 1


@routine
def resolve_contacts(world: World, state: EngineState) -> None:
    """Solve again, in the middle of a step, the islands with soft impacts since the last solve, or
    of a large island the part around them."""
    state.count.soft_since_solve = 0
    state.count.resolves += 1
    length = float(state.measure.length)
    rest = max(length - state.measure.now, SHORTEST_STEP * length)
    find_islands(world, state, rest, LARGE_ISLAND)
    _solve_islands(world, state, Solve(rest, False))
    for m in range(state.count.members):
        i = int(state.islands.member[m])
        state.ball[i].part = NO_PART
        predict_next_event(world, state, i)


@inlined
def _solve_islands(world: World, state: EngineState, solve: Solve) -> None:
    """Solve the velocities, island by island."""
    ends, member, contact = state.islands.ends, 0, 0
    for k in range(state.count.islands_now):
        members = state.islands.member[member : ends[k, 0]]
        contacts = state.islands.contacts[contact : ends[k, 1]]
        for m in range(len(members)):
            state.ball[members[m]].held = IN_ISLAND if len(members) > 1 else SLIDING
        _solve_island(world, state, members, contacts, solve)
        member, contact = ends[k, 0], ends[k, 1]


@inlined
def _set_clearance(
    world: World, state: EngineState, members: Integers, solve: Solve
) -> tuple[float, float]:
    """Set the clearance of members, in radii; returns it, and the work that it may take, less what
    they owe: without gravity there is no bound.

    The clearance of many members depends on their energy. A part of an island has that of the
    island at the start of the step, for what lifts the part lifts all that lies on it.
    """
    lowest = math.inf
    for m in range(len(members)):
        x = vector_at(state.position, int(members[m]))
        lowest = min(lowest, height_against(world.gravity, x))
    rising = above = lifting = owed = 0.0
    g = world.gravity.mag()
    for m in range(len(members)):
        i = int(members[m])
        before = vector_at(state.velocity, i) - world.gravity * solve.length
        rising += rising_height(g, world.radius[i], before.mag_sqr())
        height = height_against(world.gravity, vector_at(state.position, i)) - lowest
        above += height / world.radius[i]
        lifting += world.mass[i] * g * (height + world.radius[i])
        owed += state.ball[i].owed
    clearance = float(state.ball[members[0]].clearance)
    if solve.is_whole and len(members) >= LARGE_ISLAND:
        clearance = clearance_of_large_island(len(members), rising, above, clearance)
        for m in range(len(members)):
            state.ball[members[m]].clearance = clearance
    return clearance, lifting_work(clearance, lifting, owed) if g > 0.0 else math.inf


@routine
def _solve_island(
    world: World, state: EngineState, members: Integers, contacts: ContactList, solve: Solve
) -> None:
    """Solve the velocities of one island, and account for the energy that this takes."""
    if solve.is_whole:
        state.measure.dissipated += take_work(world, state, members, contacts)
    between_balls, most_work = _set_clearance(world, state, members, solve)
    is_rough = solve.is_whole and len(members) >= ROUGH_ISLAND
    smallest, mass, lost = math.inf, 0.0, 0.0
    for m in range(len(members)):
        i = int(members[m])
        mass += world.mass[i]
        state.islands.inverse_mass[i] = 1.0 / world.mass[i]
        lost += energy_at(world, state, i, vector_at(state.velocity, i), solve.length)
        smallest = min(smallest, world.radius[i])
    _set_biases(world, state, contacts, solve, between_balls)
    parting = PARTING_FRACTION * between_balls * smallest / state.timestep
    tolerance = FIXED_STEP_RESIDUAL * parting
    if len(members) == 1:  # what is solved last is all that there is
        tolerance *= CROWDED_RESIDUAL
    solve_contacts(
        contacts,
        contacts.force,
        state.velocity,
        state.islands.inverse_mass,
        SolverGoal(tolerance, is_rough, most_work, True),
        state.islands.solver,
        state.work,
    )
    for m in range(len(members)):
        i = int(members[m])
        lost -= energy_at(world, state, i, vector_at(state.velocity, i), solve.length)
    # What obstacles that move have given.
    for c in range(len(contacts)):
        i, k = contacts.first[c], -1 - contacts.second[c]
        if world.walls.moves(k) and contacts.force[c] > 0.0:
            x, n = vector_at(state.position, i), vector_at(contacts.normal, c)
            work = contacts.force[c] * wall_speed(world, state, k, x, n)
            world.walls.note_work(state.walls, k, work)
            lost += work
    state.measure.dissipated += lost
    for m in range(len(members)):
        i = int(members[m])
        state.ball[i].owed -= lost * world.mass[i] / mass


@inlined
def _set_biases(
    world: World, state: EngineState, contacts: ContactList, solve: Solve, between_balls: float
) -> None:
    """Set the bias of each contact, the least relative normal speed that keeps its clearance, and
    the part of it that may be given up where there is no solution.

    between_balls: the clearance between two balls, in radii. All of it but the least may be given
    up: else a flat arch between walls that its balls just fit would stand on the gaps left.
    """
    for c in range(len(contacts)):
        i, j = contacts.first[c], contacts.second[c]
        radius = min(world.radius[i], world.radius[j]) if j >= 0 else world.radius[i]
        clearance = radius * (between_balls if j >= 0 else OBSTACLE_CLEARANCE)
        least = radius * (LEAST_CLEARANCE + rounding_of_place(vector_at(state.position, i), radius))
        to_spare = max(contacts.slack[c] - min(least, clearance), 0.0)
        contacts.slack[c] -= clearance
        is_asleep = j >= 0 and state.ball[j].held == ASLEEP
        most = 0.0 if is_asleep else PARTING_FRACTION * clearance / state.timestep
        # Near its clearance a gap between balls is wrong by the residual of the last step, of which
        # only a fraction is corrected in a step.
        near = min(contacts.slack[c], clearance) if j >= 0 else 0.0
        far = contacts.slack[c] - near
        bias = min(most, -PARTING_FRACTION * near / state.timestep - far / solve.length)
        contacts.spare[c] = max(bias + to_spare / solve.length, 0.0)
        chord = 0.0 if j >= 0 else chord_speed(world, state, i, -1 - j, solve.length)
        contacts.bias[c] = bias + chord
        if world.walls.moves(-1 - j):
            x, v = vector_at(state.position, i), vector_at(state.velocity, i)
            contacts.bias[c] += rising_speed_of_wall(world, state, -1 - j, x, v, solve.length)


@inlined
def _is_quiet(world: World, state: EngineState, i: int) -> bool:
    """Whether ball i has no more energy than for the height at which it may fall asleep."""
    speed_sqr = vector_at(state.velocity, i).mag_sqr()
    rises = rising_height(world.gravity.mag(), world.radius[i], speed_sqr)
    return bool(rises <= state.rule.limits.sleep_height)


@inlined
def _what_carries(world: World, state: EngineState, i: int) -> tuple[bool, bool]:
    """Whether ball i presses an obstacle whose motion goes on, and whether a sleeping ball."""
    contacts, c = state.islands.contacts, int(state.ball[i].head)
    rides = leans = False
    while c != NO_INDEX:
        if contacts.force[c] > 0.0:
            j = contacts.second[c]
            rides = rides or not world.walls.stands(-1 - j, absolute(state, 0.0))
            leans = leans or (j >= 0 and state.ball[j].held == ASLEEP)
        c = next_contact(contacts, c, i)
    return rides, leans


@inlined
def _slides_on(world: World, state: EngineState, i: int) -> bool:
    """Whether ball i moves along all obstacles that carry it, as on level ground, where nothing
    stops even a slow ball."""
    contacts, along = state.islands.contacts, vector_at(state.velocity, i)
    # Less the motion along each normal that is linearly independent of those before.
    first = second = ZERO
    c = int(state.ball[i].head)
    while c != NO_INDEX:
        if contacts.second[c] < 0 and contacts.force[c] > 0.0:
            n = vector_at(contacts.normal, c)
            n = n - first * n.dot(first)
            n = n - second * n.dot(second)
            if n.mag() > _PARALLEL:
                n = n.unit()
                along = along - n * along.dot(n)
                first, second = n, first
        c = next_contact(contacts, c, i)
    slowest = MOTION_NOISE * speed_unit(world.gravity.mag(), world.radius[i])
    noise = rounding_of_place(vector_at(state.position, i), world.radius[i])
    slowest += noise * world.radius[i] / state.timestep
    return bool(along.mag() > slowest)


@inlined
def _update_contact_state(state: EngineState, i: int) -> None:
    """Set the obstacle along which ball i slides, the former one if it still touches it; without
    contacts the ball is free."""
    ball, contacts = state.ball[i], state.islands.contacts
    c, support = int(ball.head), NO_INDEX
    while c != NO_INDEX and (support == NO_INDEX or support != ball.support):
        k = -1 - contacts.second[c]
        if k >= 0 and (k == ball.support or (support == NO_INDEX and contacts.force[c] > 0.0)):
            support = k
        c = next_contact(contacts, c, i)
    ball.support = support
    if ball.head == NO_INDEX:
        ball.held = FREE


@inlined
def _is_same_obstacle(world: World, a: int, b: int) -> bool:
    """Whether two rows belong to one obstacle, or both are −1."""
    if a < 0 or b < 0:
        return a == b
    return bool(world.obstacles.owner[a] == world.obstacles.owner[b])


@routine
def log_next_slide(world: World, state: EngineState) -> bool:
    """Log the next ball that began to slide along an obstacle, or left it, at the start of this
    step; False if all are logged.

    One row a call, because the journal may be full before all are logged.
    """
    count = state.count
    while count.logged < state.ball.size:
        i = int(count.logged)
        ball = state.ball[i]
        before, k = int(ball.logged_support), int(ball.support)
        count.logged += 1
        ball.logged_support = k
        if not _is_same_obstacle(world, before, k):
            kind, k = (SLIDE, k) if k >= 0 else (WAKE, before)
            x = vector_at(state.position, i)
            n = seen_by(world, state, i, k).normal
            point = x - n * world.radius[i]
            log_event(state, Event(kind, i, k, count.step, 0.0), point, n, NO_RESPONSE)
            return True
    return False
