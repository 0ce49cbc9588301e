"""The state of a ball with regard to contact, the same in both engines."""

from spheresim.compiler.decorators import inlined

FREE, SLIDING, ASLEEP, IN_ISLAND = range(4)
"""In flight; in contact with obstacles alone; asleep; in contact with other balls, too."""


@inlined
def moves_in_contact(state: int) -> bool:
    """Whether a ball in this state is awake and in contact."""
    return (state == SLIDING) | (state == IN_ISLAND)
