"""The work of contact forces in fixed steps: accounted for, and taken back from the motion.

An island that has gained energy in a step owes it, and loses as much of its motion at the next one;
see `event_driven.lasting_contact.contact_work` for the exact engine. A soft impact takes energy
that a solve may give back within the step.
"""

from spheresim.compiler.decorators import inlined
from spheresim.contact.contact_list import ContactList
from spheresim.contact.rise import slowed
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.model.state import World
from spheresim.numerics.arrays import Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector


@inlined
def energy_at(world: World, state: EngineState, i: int, v: TVector, left: float) -> float:
    """Kinetic energy of ball i with the velocity v as of its parabola now, but for a number that
    depends on nothing else; left: of the step.

    The ball flies through the step with the speed v that its parabola has half way. Now this has
    v − k/2, where k is gravity times what is left of the step less what is over of it. So at the
    start, after gravity's kick, a ball at rest that is stopped in each step loses nothing.
    """
    ahead = world.gravity * (left - state.measure.now)
    energy: float = 0.5 * world.mass[i] * v.dot(v - ahead)
    return energy


@inlined
def credit_loss(world: World, state: EngineState, i: int, before: TVector, after: TVector) -> None:
    """Credit ball i with the energy that a soft impact takes, because a solve in this step may give
    it back."""
    left = state.measure.length - state.measure.now
    gained = energy_at(world, state, i, after, left) - energy_at(world, state, i, before, left)
    state.ball[i].owed += gained


@inlined
def take_work(world: World, state: EngineState, members: Integers, contacts: ContactList) -> float:
    """Take the work of contact forces in the last step from the motion of an island relative to its
    mean velocity, or let it owe this if there is not enough; returns what was taken.

    Forces that are constant over a step do a little work: where walls bend, chords get steeper as
    balls get faster. Without this a column of balls in a tube would never come to rest. Where no
    balls pressed each other in the last step, they part with what their clearance gave them: all of
    this is taken.
    """
    is_pressed = False
    for c in range(len(contacts)):
        is_pressed = is_pressed or (contacts.second[c] >= 0 and contacts.force[c] > 0.0)
    mass, momentum, energy, work = 0.0, ZERO, 0.0, 0.0
    for m in range(len(members)):
        i = int(members[m])
        mass += world.mass[i]
        momentum = momentum + vector_at(state.velocity, i) * world.mass[i]
        work += state.ball[i].owed
    mean = momentum / mass
    for m in range(len(members)):
        i = int(members[m])
        energy += 0.5 * world.mass[i] * (vector_at(state.velocity, i) - mean).mag_sqr()
    taken = max(work, 0.0)
    if taken >= energy:
        taken = 0.0 if is_pressed else energy
    left = max(work, 0.0) - taken
    for m in range(len(members)):
        i = int(members[m])
        state.ball[i].owed = left * world.mass[i] / mass
        if taken > 0.0:
            relative = vector_at(state.velocity, i) - mean
            set_vector(state.velocity, i, mean + relative * slowed(taken, energy))
    return taken
