"""The start of a step for held balls: velocities that enter nothing they touch.

With the gaps and normals at the start of a step of length h, the velocities v after gravity's
kick must satisfy gap + h·n·(v_i − v_j) ≥ 0 for every contact, and are changed just so much
(J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The
non-smooth contact dynamics method, 1999). As balls fly straight inside a step, and the distance of
two convex bodies is a convex function of the path between them, they then touch nothing on their
way. The wall of a tube bends towards the ball; there the chord is to end on the wall. What is left
over, because the search for the pushes ends somewhere, or falls in from outside, is an impact.
"""

import math
from typing import Any

from spheresim.broadphase.neighbour_lists import candidates
from spheresim.collision.contact_list import (
    NOBODY,
    PART_OF_ROOM,
    SWEEPS,
    TOLERANCE,
    next_of,
    push_apart,
    write_contact,
)
from spheresim.collision.impacts import SLIDE, WAKE
from spheresim.collision.journal import DISSIPATED, RECORDED, RECORDS, log_event
from spheresim.collision.thresholds import rising_speed
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.time_stepping.engine_state import (
    ASLEEP,
    CONTACTS,
    FREE,
    HELD,
    HELD_FOR,
    PROOF_DUE,
    PUSHED,
    QUIET,
    QUIET_UNTIL,
    REMEMBERED,
    SOFT,
    STEP,
    EngineState,
    StepParameters,
)
from spheresim.engines.time_stepping.predict import update_sphere
from spheresim.engines.time_stepping.trajectory import position_at
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.table import (
    bend,
    clearance,
    has_ended,
    is_behind,
    next_place,
    normal_at,
    row_at,
)

_WALL_ROOM = 5e-10
"""How far from obstacles balls are kept, in units of the radius; from each other it is
`rest_height`, because the search for the pushes of many contacts ends somewhere."""

_SHORTEST = 1e-3
"""Pushes are for this part of a step at least."""

_ROWS_LEFT = 8
"""Room in the journal that the start of a step leaves to what follows."""


@routine
def hold_balls(
    world: World,
    state: EngineState,
    parameters: StepParameters,
    now: float,
    length: float,
    kick: TVector,
) -> None:
    """Give held balls the velocities that their contacts leave them from now to a step's end.

    now: the time in the step; kick: gravity's, if it has just come.
    """
    # Who sleeps takes no kick; is anyone held at all?
    is_start, some_held = kick.mag_sqr() > 0.0, False
    for i in range(state.ball.size):
        ball = state.ball[i]
        if ball.held == ASLEEP:
            set_vector(state.velocity, i, TVector(0.0, 0.0, 0.0))
        if ball.held == HELD:
            some_held = True
            set_vector(state.position, i, position_at(state, i, now))
            ball.way += vector_at(state.velocity, i).mag() * (now - ball.clock)
            ball.clock = now
            ball.stamp += 1
    state.count[SOFT] = 0
    state.count[PUSHED] = 0 if is_start else state.count[PUSHED] + 1
    if not some_held:
        return
    rest = max(length - now, _SHORTEST * length)
    # What they touch, for which their spheres must be where they are; and the pushes.
    for i in range(state.ball.size):
        due = state.ball[i].ball_due
        if state.ball[i].held != FREE and due <= state.count[STEP]:
            update_sphere(world, state, parameters, i, length)
            state.ball[i].ball_due = due
    _find_contacts(world, state, rest)
    if is_start:
        _recall_pushes(state)
    _push_apart(world, state, rest, kick)
    if is_start:
        state.measure[HELD_FOR] = length
        _remember_pushes(state)
    # What follows: rows, who is let go, who may fall asleep.
    quiet = 0
    for i in range(state.ball.size):
        if state.ball[i].held == HELD:
            quiet += int(_is_quiet(world, state, i))
            _tell_and_let_go(world, state, i)
            state.ball[i].ball_due = state.count[STEP]
    state.count[QUIET] += quiet
    if state.count[QUIET] >= state.count[QUIET_UNTIL] and quiet > 0:
        state.count[PROOF_DUE] = 1


@inlined
def _find_contacts(world: World, state: EngineState, length: float) -> None:
    """List what held balls touch, or may touch in this step, with the pushes of the one before."""
    state.count[CONTACTS] = 0
    for i in range(state.ball.size):
        state.ball[i].head = NOBODY
    for i in range(state.ball.size):
        if state.ball[i].held != HELD:
            continue
        near = candidates(state.lists, state.grid, i, state.found)
        _sort(state.found, near)
        for n in range(near):
            j = int(state.found[n])
            held = state.ball[j].held
            if held == ASLEEP or (held == HELD and i < j):
                _list_pair(world, state, i, j, length)
        x = vector_at(state.position, i)
        reach = world.radius[i] + length * _slow(world, state, world.radius[i])
        around_ball = around(x, reach)
        place = next_place(world.obstacles, -1, around_ball)
        while place >= 0:
            k = row_at(world.obstacles, place)
            if not is_behind(world.obstacles, k, x) and not has_ended(world.obstacles, k, x):
                n_k = normal_at(world.obstacles, k, x)
                gap = clearance(world.obstacles, k, x) - world.radius[i]
                vn = vector_at(state.velocity, i).dot(n_k)
                _list_contact(world, state, i, -1 - k, n_k, gap, vn, world.radius[i], length)
            place = next_place(world.obstacles, place, around_ball)


@inlined
def _sort(found: Any, count: int) -> None:
    """Put the first so many in order: theirs tells of the past, and would change the last bits."""
    for n in range(1, count):
        j, place = found[n], n
        while place > 0 and found[place - 1] > j:
            found[place] = found[place - 1]
            place -= 1
        found[place] = j


@inlined
def _slow(world: World, state: EngineState, radius: float) -> float:
    """Approaches up to this one, with the kick of a step, do not bounce where contact lasts."""
    g = world.gravity.mag()
    slow: float = rising_speed(g, radius, state.rule.limits.soft_height) + g * state.rule.step
    return slow


@inlined
def _list_pair(world: World, state: EngineState, i: int, j: int, length: float) -> None:
    d = vector_at(state.position, i) - vector_at(state.position, j)
    distance = d.mag()
    n = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    vn = (vector_at(state.velocity, i) - vector_at(state.velocity, j)).dot(n)
    gap = distance - (world.radius[i] + world.radius[j])
    _list_contact(world, state, i, j, n, gap, vn, min(world.radius[i], world.radius[j]), length)


@inlined
def _list_contact(
    world: World,
    state: EngineState,
    i: int,
    j: int,
    n: TVector,
    gap: float,
    vn: float,
    radius: float,
    length: float,
) -> None:
    """Add a contact, unless it is far away, or one of a hard impact that is still to come."""
    contacts, c = state.contacts.now, state.count[CONTACTS]
    slow = _slow(world, state, radius)
    if gap > slow * length or vn < -slow or c == len(contacts.first):
        return
    write_contact(contacts, c, i, j, n)
    contacts.spacing[c] = gap - radius * _room(state, j)
    # Its balls know of it.
    contacts.after[c, 0] = state.ball[i].head
    state.ball[i].head = c
    if j >= 0:
        contacts.after[c, 1] = state.ball[j].head
        state.ball[j].head = c
    state.count[CONTACTS] += 1


@inlined
def _room(state: EngineState, j: int) -> float:
    """How far from j, as in a list of contacts, a ball is kept, in units of its radius."""
    room: float = state.rule.limits.rest_height if j >= 0 else _WALL_ROOM
    return room


@inlined
def _recall_pushes(state: EngineState) -> None:
    """Begin the search for the pushes where it ended in the step before."""
    contacts = state.contacts.now
    for c in range(state.count[CONTACTS]):
        contacts.push[c] = _push_before(state, int(contacts.first[c]), int(contacts.second[c]))


@inlined
def _push_before(state: EngineState, i: int, j: int) -> float:
    """How hard the contact of ball i with j was pushed in the step before."""
    before, c = state.contacts.before, int(state.ball[i].old_head)
    while c != NOBODY:
        first, second = before.first[c], before.second[c]
        if (first == i and second == j) or (first == j and second == i):
            push: float = before.push[c]
            return push
        c = next_of(before, c, i)
    return 0.0


@inlined
def _push_apart(world: World, state: EngineState, length: float, kick: TVector) -> None:
    """Change the velocities, and account for the energy that this takes."""
    contacts, count, n = state.contacts.now, state.count[CONTACTS], state.ball.size
    least = math.inf
    for i in range(n):
        is_held = state.ball[i].held == HELD
        state.contacts.inverse_mass[i] = 1.0 / world.mass[i] if is_held else 0.0
        if is_held:
            room = state.rule.limits.rest_height * world.radius[i]
            least = min(least, PART_OF_ROOM * room / state.rule.step)
            state.measure[DISSIPATED] += _energy(world, state, i, kick)
    for c in range(count):
        i, j = contacts.first[c], contacts.second[c]
        most = PART_OF_ROOM * _room(state, j) * world.radius[i] / state.rule.step
        if j >= 0 and state.ball[j].held == ASLEEP:
            most = 0.0
        needed = min(most, -contacts.spacing[c] / length)
        contacts.needed[c] = needed - 0.5 * length * min(_bending(world, state, c), 0.0)
    push_apart(
        contacts,
        count,
        contacts.push,
        state.velocity,
        state.contacts.inverse_mass,
        TOLERANCE * least,
        SWEEPS,
    )
    for i in range(n):
        if state.ball[i].held == HELD:
            state.measure[DISSIPATED] -= _energy(world, state, i, kick)


@inlined
def _energy(world: World, state: EngineState, i: int, kick: TVector) -> float:
    """What ball i's velocity v is worth where the kick k has come first: ½·m·v·(v − k).

    Less of it after the pushes p is what these take: −p·(v + v′)/2, with v before the kick and v′
    after all. A ball at rest, which is kicked and pushed back in each step, loses nothing.
    """
    v = vector_at(state.velocity, i)
    worth: float = 0.5 * world.mass[i] * v.dot(v - kick)
    return worth


@inlined
def _bending(world: World, state: EngineState, c: int) -> float:
    """The rate at which the wall of contact c rises to meet the ball that goes along it, as a
    negative acceleration along the normal; 0 for two balls."""
    contacts = state.contacts.now
    i, k = contacts.first[c], -1 - contacts.second[c]
    if k < 0:
        return 0.0
    n, v = vector_at(contacts.normal, c), vector_at(state.velocity, i)
    rate: float = bend(world.obstacles, k, vector_at(state.position, i), v - n * v.dot(n))
    return rate


@inlined
def _remember_pushes(state: EngineState) -> None:
    """Keep the pushes as a guess for the next step."""
    now, before = state.contacts.now, state.contacts.before
    for c in range(state.count[CONTACTS]):
        before.first[c], before.second[c], before.push[c] = now.first[c], now.second[c], now.push[c]
        before.after[c, 0], before.after[c, 1] = now.after[c, 0], now.after[c, 1]
        set_vector(before.normal, c, vector_at(now.normal, c))
    state.count[REMEMBERED] = state.count[CONTACTS]
    for i in range(state.ball.size):
        state.ball[i].old_head = state.ball[i].head


@inlined
def _is_quiet(world: World, state: EngineState, i: int) -> bool:
    """Whether ball i has no more energy than for the height at which it may fall asleep."""
    height = state.rule.limits.sleep_height * world.radius[i]
    quiet: bool = vector_at(state.velocity, i).mag_sqr() <= 2.0 * world.gravity.mag() * height
    return quiet


@inlined
def _tell_and_let_go(world: World, state: EngineState, i: int) -> None:
    """Write a row where held ball i begins to slide along an obstacle, or leaves the last one.

    It is held no more where it touches nothing. Rows for which there is no room come later.
    """
    ball, contacts = state.ball[i], state.contacts.now
    if state.count[RECORDED] > RECORDS - _ROWS_LEFT:
        return
    x, zero = vector_at(state.position, i), 0.0
    c = int(ball.head)
    while c != NOBODY and ball.support < 0:
        if contacts.second[c] < 0 and contacts.push[c] > 0.0:
            ball.support = -1 - contacts.second[c]
            n = vector_at(contacts.normal, c)
            point, step = x - n * world.radius[i], state.count[STEP]
            log_event(state, SLIDE, i, int(ball.support), step, zero, point, n, zero, zero, zero)
        c = next_of(contacts, c, i)
    if ball.head == NOBODY:
        ball.held = FREE
        if ball.support >= 0:
            n = normal_at(world.obstacles, int(ball.support), x)
            point, step = x - n * world.radius[i], state.count[STEP]
            log_event(state, WAKE, i, int(ball.support), step, zero, point, n, zero, zero, zero)
            ball.support = -1
