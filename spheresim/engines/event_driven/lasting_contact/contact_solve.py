"""The two solves of a contact step: velocities, then accelerations; see `island_step`."""

import math

from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import ContactList
from spheresim.contact.solver import SolverGoal, solve_contacts
from spheresim.contact.tolerances import LARGE_ISLAND, PARTING_FRACTION, STEP_RESIDUAL
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.contact_forces import accelerate, inverse_mass
from spheresim.engines.event_driven.lasting_contact.islands import step_length
from spheresim.engines.event_driven.lasting_contact.riding import (
    frame_now,
    seen_by,
    time_to_ride,
    turned_later,
    wall_speed,
)
from spheresim.engines.event_driven.lasting_contact.sliding import time_to_stray, turning_along
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO
from spheresim.obstacles.table import bend, normal_at


@inlined
def smallest_radius(state: EngineState) -> float:
    """The radius of the smallest member."""
    smallest = math.inf
    for m in range(state.count.members):
        smallest = min(smallest, state.ball[state.islands.member[m]].radius)
    return smallest


@routine
def solve_step(
    environment: Environment,
    state: EngineState,
    contacts: ContactList,
    is_whole: bool,
    smallest: float,
) -> float:
    """Solve the velocities and the forces of the balls in `active`; returns the length of the step.

    contacts: theirs; is_whole: whether these are all members; smallest: the radius of the smallest
    member.
    """
    h = _length_on_curves(environment, state, contacts, step_length(state, smallest))
    clearance = state.measure.clearance * smallest
    _solve_velocities(environment, state, contacts, h, clearance)
    _set_acceleration_bias(environment, state, contacts, h)
    _set_free_accelerations(environment, state, contacts, is_whole)
    _solve_accelerations(environment, state, contacts, h, clearance)
    return h


@routine
def _length_on_curves(
    environment: Environment, state: EngineState, contacts: ContactList, h: float
) -> float:
    """The length of the step, h or less, so that balls on concave walls stay within the clearance.

    A constant force leads from one point of the wall to another, but not quite along it
    (`time_to_stray`).
    """
    usual = h
    for c in range(len(contacts)):
        k = -1 - contacts.second[c]
        if k < 0:
            continue
        i: int = contacts.first[c]
        if environment.walls.moves(k):
            h = min(h, time_to_ride(environment, state, i, k, usual))
        seen = seen_by(environment, state, k, i, velocity_at_clock(state.ball[i]), ZERO)
        if bend(environment.obstacles, k, seen.x, seen.v) < 0.0:
            clearance = state.measure.clearance * state.ball[i].radius
            turning = turning_along(environment, k, seen.x, seen.v)
            h = min(h, time_to_stray(turning, clearance))
    return h


@routine
def _solve_velocities(
    environment: Environment, state: EngineState, contacts: ContactList, h: float, clearance: float
) -> None:
    """Remove the approach of what would touch within the time h; its energy is lost.

    clearance: of the smallest member, as a length.
    """
    islands = state.islands
    size, balls = len(contacts), int(state.count.active)
    least = PARTING_FRACTION * clearance / h
    for c in range(size):
        contacts.bias[c] = min(least, -contacts.slack[c] / h)
        contacts.spare[c] = max(contacts.bias[c], 0.0)
        if contacts.second[c] >= 0:  # one that is asleep is no member
            _write_motion(state, contacts.second[c])
        elif environment.walls.moves(-1 - contacts.second[c]):
            contacts.bias[c] += _wall_speed(environment, state, contacts, c)
    for m in range(balls):
        _write_motion(state, islands.active[m])
    _solve(state, contacts, contacts.impulse, STEP_RESIDUAL * least, 1.0)
    for m in range(balls):
        i: int = islands.active[m]
        before, after = velocity_at_clock(state.ball[i]), vector_at(islands.motion, i)
        lost = 0.5 * state.body[i].mass * (before - after).dot(before + after)
        state.measure.dissipated += lost
        state.hold[i].work -= lost
        set_velocity(state, i, after)
    # The work of obstacles that move.
    for c in range(size):
        k = -1 - contacts.second[c]
        if environment.walls.moves(k) and contacts.impulse[c] > 0.0:
            work = contacts.impulse[c] * _wall_speed(environment, state, contacts, c)
            environment.walls.note_work(state.walls, k, work)
            state.measure.dissipated += work
            state.hold[contacts.first[c]].work -= work


@inlined
def _wall_speed(
    environment: Environment, state: EngineState, contacts: ContactList, c: int
) -> float:
    """The speed along the normal of contact c of the obstacle that a ball touches there."""
    i: int = contacts.first[c]
    x, n = position_at_clock(state.ball[i]), vector_at(contacts.normal, c)
    return wall_speed(environment, state, -1 - contacts.second[c], x, n)


@inlined
def _write_motion(state: EngineState, k: int) -> None:
    """Write the velocity and the inverse mass of a ball for the solver."""
    set_vector(state.islands.motion, k, velocity_at_clock(state.ball[k]))
    state.islands.inverse_mass[k] = inverse_mass(state, k)


@routine
def _set_acceleration_bias(
    environment: Environment, state: EngineState, contacts: ContactList, h: float
) -> None:
    """Set the least relative normal acceleration of each contact, for the solved velocities.

    A large island, whose clearance may be wide, can spare also what the velocities open: huge
    forces in a row that fits exactly would do work on this path. In a small one it is far below the
    law, and kept: by it balls that fit exactly stay apart and come to rest.
    """
    motion, is_large = state.islands.motion, state.count.members >= LARGE_ISLAND
    for c in range(len(contacts)):
        i, j = contacts.first[c], contacts.second[c]
        if j >= 0:
            relative = vector_at(motion, i) - vector_at(motion, j)
            path, more = h * relative.dot(vector_at(contacts.normal, c)), 0.0
        else:
            path, more = _path_from_obstacle(environment, state, contacts, c, h)
        contacts.bias[c] = -2.0 / (h * h) * (contacts.slack[c] + path)
        opened = max(path, 0.0) if is_large else 0.0
        contacts.spare[c] = max(contacts.bias[c] + 2.0 / (h * h) * opened, 0.0)
        contacts.bias[c] += more


@inlined
def _path_from_obstacle(
    environment: Environment, state: EngineState, contacts: ContactList, c: int, h: float
) -> tuple[float, float]:
    """How far a ball would go from an obstacle within h without accelerations, and the acceleration
    that the motion and the curvature of the obstacle demand; both along the normal of contact c.

    With a concave obstacle the contact gets its normal half way: the force is perpendicular to the
    chord along which the ball moves, and does no work. It turns with an obstacle that turns.
    """
    obstacles, i, k = environment.obstacles, contacts.first[c], -1 - contacts.second[c]
    seen = seen_by(environment, state, k, i, vector_at(state.islands.motion, i), ZERO)
    straight, n = seen.seen_normal, seen.seen_normal
    is_concave = bend(obstacles, k, seen.x, seen.v) < 0.0
    if is_concave:
        n = normal_at(obstacles, k, seen.x + seen.v * (0.5 * h))
    if is_concave or frame_now(environment, state, k).rate != 0.0:
        set_vector(contacts.normal, c, turned_later(environment, state, k, n, 0.5 * h))
    return h * seen.v.dot(straight), 2.0 / h * seen.v.dot(straight - n) - seen.a.dot(n)


@inlined
def _set_free_accelerations(
    environment: Environment, state: EngineState, contacts: ContactList, is_whole: bool
) -> None:
    """Write the accelerations of the balls without the forces of these contacts: gravity in a step
    of all members; else what is left without the stored forces of these contacts."""
    islands, motion = state.islands, state.islands.motion
    for m in range(state.count.active):
        i: int = islands.active[m]
        acceleration = environment.motion.acceleration_of(state.ball[i])
        set_vector(motion, i, environment.motion.gravity if is_whole else acceleration)
    if is_whole:
        return
    for m in range(len(contacts)):
        c = contacts.next[m, 0]
        i, j = islands.contacts.first[c], islands.contacts.second[c]
        force = vector_at(islands.contacts.normal, c) * islands.contacts.force[c]
        set_vector(motion, i, vector_at(motion, i) - force * inverse_mass(state, i))
        if j >= 0:
            set_vector(motion, j, vector_at(motion, j) + force * inverse_mass(state, j))


@routine
def _solve_accelerations(
    environment: Environment, state: EngineState, contacts: ContactList, h: float, clearance: float
) -> None:
    """Find the forces with which nothing is penetrated before the next step; the motions are the
    accelerations without them."""
    islands, rate = state.islands, 2.0 / (h * h)
    _solve(state, contacts, contacts.force, STEP_RESIDUAL * clearance * rate, rate)
    for m in range(state.count.active):
        i: int = islands.active[m]
        more = vector_at(islands.motion, i) - environment.motion.acceleration_of(state.ball[i])
        accelerate(environment, state, i, more)


@inlined
def _solve(
    state: EngineState, contacts: ContactList, force: Floats, tolerance: float, rate: float
) -> None:
    """Solve the contacts for impulses (rate 1) or forces (rate 2/h²), starting from those given,
    and count the work, divided by the rate, that they do for the clearance."""
    islands, most_work = state.islands, float(state.measure.most_work)
    goal = SolverGoal(tolerance, False, most_work * rate, False)
    motions = islands.motion, islands.inverse_mass
    work = solve_contacts(contacts, force, *motions, goal, islands.solver, state.work)
    state.measure.most_work -= work / rate
