"""A step of islands: contacts of the members, and the motions that they allow.

With the normals n and gaps of the moment, balls may move for a time h without touching if
gap + h·n·(v_i − v_j) + ½h²·n·(a_i − a_j) ≥ 0: the true gap of two convex bodies is never smaller
than this (their distance is a convex function of the path between them); for the wall of a tube
it is so with the normal half way. First the velocities get the least change with which nothing is
penetrated within h without accelerations; then the accelerations, with which nothing is
penetrated at all (Moreau's time stepping, but with a constant force over the step, of which the
work is known). What rounding and the residual of the solver leave is
an impact like any other. So the step decides how well forces follow the motion, never whether
balls overlap.
"""

import math

from spheresim.compiler.decorators import inlined, kernel
from spheresim.contact.ball_state import FREE, IN_ISLAND
from spheresim.contact.contact_list import NO_INDEX, next_contact
from spheresim.contact.rise import (
    clearance_of_large_island,
    height_against,
    lifting_work,
    rising_height,
)
from spheresim.contact.tolerances import (
    LARGE_ISLAND,
    LEAST_CLEARANCE,
    LEAST_TURNING,
    RIDING_CLEARANCE,
)
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.contact_forces import advance_ball
from spheresim.engines.event_driven.lasting_contact.contact_solve import (
    smallest_radius,
    solve_step,
)
from spheresim.engines.event_driven.lasting_contact.contact_work import take_work
from spheresim.engines.event_driven.lasting_contact.island_contacts import (
    detect_contacts,
    detection_reach,
    store_forces,
)
from spheresim.engines.event_driven.lasting_contact.islands import (
    MOST_NEIGHBOURHOOD_STEPS,
    count_quiet,
    is_quiet,
    turning_acceleration,
)
from spheresim.engines.event_driven.lasting_contact.neighbourhood_step import step_neighbourhood


@kernel(label="the motion of piles", parts=80)
def step_islands(environment: Environment, state: EngineState) -> None:
    """Make the step that is due: of all members, or of the neighbourhood of what impacts have
    disturbed.

    It is a kernel of its own, so that a world in which no ball ever stays on another one does not
    wait for it to be compiled.
    """
    now = float(state.measure.step_at)
    state.measure.now = state.measure.stepped_at = now
    if now >= state.measure.whole_step_at:
        _step_all(environment, state, now)
    else:
        step_neighbourhood(environment, state, now)
    state.measure.step_at = state.measure.whole_step_at
    # Balls whose trajectory has changed are predicted next.
    state.count.step_moved = state.count.active
    for m in range(state.count.active):
        state.hold[state.islands.active[m]].hops = 0
    state.count.active = state.count.soft_since_step = 0


@inlined
def _step_all(environment: Environment, state: EngineState, now: float) -> None:
    islands, count = state.islands, state.count
    for m in range(count.members):
        i: int = islands.member[m]
        if state.body[i].held == IN_ISLAND:
            advance_ball(environment, state, i, now)
    take_work(state)
    _drop_members(state)
    for m in range(count.active):
        state.hold[islands.active[m]].hops = 0
    for m in range(count.members):
        islands.active[m] = islands.member[m]
    count.active, count.soft_since_whole = count.members, 0
    if count.members == 0:
        state.measure.whole_step_at = math.inf
        state.measure.pressing_acceleration = environment.motion.gravity.mag()
        return
    _set_pressing_acceleration(environment, state)
    _set_clearance(environment, state)
    smallest = smallest_radius(state)
    detect_contacts(environment, state, detection_reach(state, smallest))
    contacts = islands.contacts[: int(count.contacts)]
    h = solve_step(environment, state, contacts, True, smallest)
    store_forces(state)
    _free_or_count_quiet(environment, state)
    state.measure.whole_step_at = now + h


@inlined
def _set_pressing_acceleration(environment: Environment, state: EngineState) -> None:
    """Without gravity, set the acceleration that presses members together to the largest of any."""
    if environment.motion.gravity.mag_sqr() > 0.0:
        return
    pressing_acceleration = 0.0
    for m in range(state.count.members):
        i: int = state.islands.member[m]
        pushed = environment.motion.acceleration_of(state.ball[i])
        pressing_acceleration = max(
            pressing_acceleration, pushed.mag(), LEAST_TURNING * turning_acceleration(state, i)
        )
    if pressing_acceleration > 0.0:
        state.measure.pressing_acceleration = pressing_acceleration


@inlined
def _set_clearance(environment: Environment, state: EngineState) -> None:
    """Set the clearance of members, and the work that it may take, less what they owe. Of many
    members the clearance depends on their energy, unless step follows step at the same time: then
    some have no room for more than the least."""
    gravity, lowest = environment.motion.gravity, math.inf
    for m in range(state.count.members):
        x = position_at_clock(state.ball[state.islands.member[m]])
        lowest = min(lowest, height_against(gravity, x))
    pressing_acceleration = float(state.measure.pressing_acceleration)
    rising = above = lifting = owed = 0.0
    for m in range(state.count.members):
        i: int = state.islands.member[m]
        ball = state.ball[i]
        height = height_against(gravity, position_at_clock(ball)) - lowest
        speed_sqr = velocity_at_clock(ball).mag_sqr()
        rising += rising_height(pressing_acceleration, ball.radius, speed_sqr)
        above += height / ball.radius
        lifting += state.body[i].mass * pressing_acceleration * (height + ball.radius)
        owed += state.hold[i].work
    is_large = state.count.members >= LARGE_ISLAND
    clearance = LEAST_CLEARANCE
    if is_large and state.count.steps_at_once <= MOST_NEIGHBOURHOOD_STEPS:
        clearance = clearance_of_large_island(state.count.members, rising, above, clearance)
    state.measure.clearance = clearance
    if environment.walls.any_move():
        clearance += RIDING_CLEARANCE
    state.measure.most_work = lifting_work(clearance, lifting, owed)


@inlined
def _drop_members(state: EngineState) -> None:
    """Drop the members that have left their island, and the contacts of all members."""
    islands, count, kept = state.islands, state.count, 0
    for m in range(count.members):
        i: int = islands.member[m]
        if state.body[i].held != IN_ISLAND:
            state.hold[i].listed = 0
            continue
        islands.member[kept] = i
        kept += 1
        state.hold[i].head = NO_INDEX
    count.members = kept


@inlined
def _free_or_count_quiet(environment: Environment, state: EngineState) -> None:
    """Free the members that neither a ball nor an obstacle that moves presses, and count the quiet
    ones among the others."""
    contacts, quiet, walls = state.islands.contacts, 0, environment.walls
    now = absolute(state, float(state.measure.now))
    for m in range(state.count.members):
        i: int = state.islands.member[m]
        c, is_pushed, rides = int(state.hold[i].head), False, False
        while c != NO_INDEX:
            if contacts.force[c] + contacts.impulse[c] > 0.0:
                k = -1 - contacts.second[c]
                rides = rides or not walls.stands(k, now)
                is_pushed = is_pushed or k < 0 or walls.moves(k)
            c = next_contact(contacts, c, i)
        if not is_pushed:
            state.body[i].held = FREE
            environment.motion.set_acceleration(state.ball[i], environment.motion.gravity)
        elif not rides:
            quiet += int(is_quiet(environment, state, i, velocity_at_clock(state.ball[i])))
    count_quiet(state, quiet)
