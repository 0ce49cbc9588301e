"""The state of a ball with regard to contact, the same in both engines."""

from spheresim.collision.repeated_impacts import REPEATED_IMPACTS
from spheresim.compiler.decorators import inlined

FREE, SLIDING, ASLEEP, IN_ISLAND = range(4)
"""In flight; in contact with obstacles alone; asleep; in contact with other balls, too. The last
two are the largest, so `state >= ASLEEP` holds for balls held by others."""


@inlined
def moves_in_contact(state: int) -> bool:
    """Whether a ball in this state is awake and in contact."""
    return (state == SLIDING) | (state == IN_ISLAND)


@inlined
def contact_inverse_mass(state: int, mass: float) -> float:
    """The inverse mass of a ball in this state in a soft impact: 0 if it is asleep and so fixed."""
    return 0.0 if state == ASLEEP else 1.0 / mass


@inlined
def chatters(state: int, repeated: int) -> bool:
    """Whether contact may last: a ball in this state is asleep, is in an island or has had enough
    repeated impacts."""
    return bool((state >= ASLEEP) | (repeated >= REPEATED_IMPACTS))


@inlined
def are_in_heap(state_a: int, state_b: int, is_pressed: bool) -> bool:
    """Whether two balls in these states that touch are part of a heap: something presses them
    together, or other bodies hold one of them. Else even repeated impacts part them, as those of a
    cradle on level ground."""
    return bool((state_a >= ASLEEP) | (state_b >= ASLEEP) | is_pressed)
