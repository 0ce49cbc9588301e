"""Energies of a state, for the plots and the head-up display."""

from typing import NamedTuple

import numpy as np

from spheresim.analysis.drift import kinetic_energy, potential_energy
from spheresim.model.force_field import Field
from spheresim.model.state import State, World
from spheresim_viewer.timeline.interpolation import Keyframe


class Energies(NamedTuple):
    """Time of a state, its kinetic energy ½ Σ m v² + ½ Σ I ω², its potential energy −Σ m g·x
    with that in a field, and impacts so far."""

    time: float
    kinetic: float
    potential: float
    impacts: int


def state_of(keyframe: Keyframe) -> State:
    """A keyframe as a `State`, which the library's functions take."""
    return State(
        np.array([keyframe.time]), keyframe.position, keyframe.velocity, keyframe.angular_velocity
    )


def energies(world: World, keyframe: Keyframe, field: Field | None = None) -> Energies:
    """The figures of a state."""
    state = state_of(keyframe)
    kinetic, potential = kinetic_energy(world, state), potential_energy(world, state, field)
    return Energies(keyframe.time, kinetic, potential, keyframe.impacts)
