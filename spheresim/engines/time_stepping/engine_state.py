"""The arrays of the fixed-timestep engine: what is kept for each ball, and for the whole run.

A ball flies straight inside a step. `position` is its position at `clock`, the time in the
step of its last impact (0 if it had none), so that a ball is moved only when something happens
to it. Every time of impact follows from the state at the step's start alone: whatever saves
work below changes no bit of the result.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.sphere_grids.hashed_grid import HashedGrid, empty_grid
from spheresim.broadphase.sphere_grids.neighbour_lists import NeighbourLists, empty_lists
from spheresim.collision.journal import ContactWork, empty_journal
from spheresim.collision.journal import Counts as SharedCounts
from spheresim.collision.journal import Measures as SharedMeasures
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined
from spheresim.contact.contact_list import CONTACTS_PER_BALL, ContactList, empty_contacts
from spheresim.contact.solver import SolverWorkspace, solver_workspace
from spheresim.engines.time_stepping.event_calendar import Calendar, empty_calendar
from spheresim.model.state import State
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.records import zero_record

NO_PART, CALLED, MEMBER, LISTED = range(4)
"""Values of `ball.part`: none, its island is to be solved, it is a member, its contacts are
listed."""

BALL_FIELDS = [
    ("clock", "f8"),  # the time in the step at which it was at `position`
    ("stamp", "i8"),  # how often its flight has changed: another number means a stale prediction
    ("obstacle_due", "i8"),  # the first step in which it may touch an obstacle
    ("ball_due", "i8"),  # the first step in which it may touch a ball, or leave its sphere
    ("candidate_step", "i8"),  # the last step in which it became a slice candidate
    ("earliest_contact", "f8"),  # in that step: no other ball touches it before this time
    ("repeated", "i8"),  # successive impacts after a short path each, see `collapse`
    ("wedged", "i8"),  # successive impacts without moving between them
    ("last", "i8"),  # what it hit last: obstacle k, or −1 − j for ball j
    ("held", "i8"),  # see `contact.ball_state`
    ("lies_alone", "i8"),  # 1 if it is asleep, and neither carries a ball nor is carried by one
    ("support", "i8"),  # the obstacle along which it slides, or −1
    ("slides_on", "i8"),  # 1 if it moves along all obstacles that carry it, as on level ground
    ("logged_support", "i8"),  # the obstacle along which it slides by the journal, or −1
    ("chatter_count", "i8"),  # as `repeated`, after longer paths and over several steps
    ("path_before", "f8"),  # its path since its last impact, without that in this step
    ("head", "i8"),  # the newest of its contacts in the list, or NO_INDEX
    ("old_head", "i8"),  # the same in the list of the step before
    ("part", "i8"),  # its part in the island that is solved next, see above
    ("owed", "f8"),  # work of contact forces on it that its motion has not paid back yet
    ("clearance", "f8"),  # between the balls of its island in this step, in radii
]


class StepCounts(SharedCounts):
    """What is counted of steps."""

    step: int
    begun: int  # 1 while the step has begun and not ended; `measure.now` is 0 while it is 0
    changed: int  # 1 where the state was changed in the step's middle and nothing is predicted yet
    slice_candidates: int  # balls in `slice_candidates`


class Counts(StepCounts):
    """The fields of `EngineState.count`: behind those of steps, what is counted of contact, which
    lasts from step to step."""

    contacts: int  # in the list
    quiet: int  # balls found quiet, summed over steps
    quiet_until: int  # the sum at which the next equilibrium test is due
    proof_due: int  # 1 when it is
    proof_wait: int  # the factor on the wait for the next, 0 before the first
    sleepers: int  # balls asleep
    soft_since_solve: int  # soft impacts since islands were last solved
    resolves: int  # solves in the middle of this step
    remembered: int  # contacts at its start
    called_balls: int  # balls whose islands are to be solved
    islands_now: int  # islands found for them
    members: int  # all balls of these islands
    members_end: int  # their number at which the present island takes no more
    logged: int  # balls whose sliding has been logged in this step


class Measures(SharedMeasures):
    """The fields of `EngineState.measure`, of which `now` is a time in the step."""

    origin: float  # the time from which steps are counted
    length: float  # of the present step, which is shorter where a run ends within one
    solved_length: float  # the length of the last step at whose start islands were solved


@by_reference
class Islands(NamedTuple):
    """contacts, before: the contacts that last, as they are, and as they were at the start of the
    last step that solved any, room for m of them; solver: room for its search; inverse_mass: (n,),
    0 for balls asleep. As far as `count` says, called: (n,), balls whose islands are to be solved;
    member: (n,), balls island by island; ends: (n, 2), where the members and the contacts of each
    island end."""

    contacts: ContactList
    before: ContactList
    solver: SolverWorkspace
    inverse_mass: Floats
    called: Integers
    member: Integers
    ends: Integers


@by_reference
class EngineState(NamedTuple):
    """The engine's arrays, for n balls; see the module for `position` and `clock`.

    position, velocity: (n, 3); ball: (n,), a record of `BALL_FIELDS` each; found: balls, as
    scratch; slice_candidates: balls that may touch another one in this step, as far as
    `count` says; rule: what contact is in this world, `Bounces` or `SustainedContact`;
    islands: `Islands`, None where no contact lasts; walls: (w,), records of the obstacles that
    move or are warm, see `WALL_FIELDS`; names, numbers: the journal of impacts;
    count, measure, work: one record each; timestep: the length of all steps except a shorter last
    one; skin: how far a ball may stray in its sphere; slices: into how many a step is cut to find
    impacts of two balls (0: they are found analytically). Where there are materials, spin: (n, 3),
    angular velocities; as scratch tangential: (1, 3), the last tangential impulse.
    """

    position: Floats
    velocity: Floats
    ball: Records
    found: Integers
    slice_candidates: Integers
    grid: HashedGrid
    lists: NeighbourLists
    calendar: Calendar
    rule: Any
    islands: Any
    walls: Records
    names: Integers
    numbers: Floats
    count: Counts  # type: ignore[assignment]  # tuples have a method of this name
    measure: Measures
    work: ContactWork
    timestep: float
    skin: float
    slices: int
    spin: Floats | None
    tangential: Floats | None


def allocate(
    start: State,
    side: float,
    rule: Any,
    walls: Records,
    timestep: float,
    skin: float,
    slices: int,
    holds: bool,
    has_materials: bool,
    spin: Floats | None,
) -> EngineState:
    """Arrays for balls at the start of a step, all of them due; cells of the given side.

    rule, walls, timestep, skin, slices: see `EngineState`; holds: whether contacts may hold balls;
    spin: angular velocities, or None.
    """
    n = len(start.position)
    ball = np.recarray(n, dtype=BALL_FIELDS)
    ball.fill(0)
    ball.candidate_step = -1
    names, numbers = empty_journal(has_materials=has_materials)
    count = zero_record(Counts)
    count.recording = 1
    measure = zero_record(Measures)
    measure.origin, measure.length = start.time[0], timestep
    return EngineState(
        position=start.position.copy(),
        velocity=start.velocity.copy(),
        ball=ball,
        found=np.zeros(n + 1, dtype=np.int64),
        slice_candidates=np.zeros(n, dtype=np.int64),
        grid=empty_grid(n, side),
        lists=empty_lists(n),
        calendar=empty_calendar(n),
        rule=rule,
        islands=_empty_islands(n) if holds else None,
        walls=walls,
        names=names,
        numbers=numbers,
        count=count,
        measure=measure,
        work=zero_record(ContactWork),
        timestep=timestep,
        skin=skin,
        slices=slices,
        spin=np.zeros((n, 3)) if has_materials and spin is None else spin,
        tangential=np.zeros((1, 3)) if has_materials else None,
    )


def _empty_islands(n: int) -> Islands:
    """Room for the islands of n balls."""
    capacity = CONTACTS_PER_BALL * n
    return Islands(
        empty_contacts(capacity),
        empty_contacts(capacity),
        solver_workspace(capacity, n),
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros((n, 2), dtype=np.int64),
    )


@inlined
def absolute(state: EngineState, time: float) -> float:
    """A time in the step as one counted from 0."""
    step: int = state.count.step
    return float(state.measure.origin + (step * state.timestep + time))
