"""From what the paths of balls between their impacts follow, for counts of crossings."""

import numpy as np

from spheresim.analysis.crossings import Surroundings
from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.engines.engine_protocol import Engine
from spheresim.engines.sleep_criterion import can_sleep
from spheresim.model.force_field import ConstantAccelerations, Field, own_accelerations
from spheresim.model.periodic_space import space_of
from spheresim.model.state import World
from spheresim.model.thermostat import Thermostat


def surroundings_of(
    world: World, field: Field | None, thermostat: Thermostat | None, engine: Engine
) -> Surroundings:
    """What the paths follow from; ValueError where they are not known."""
    if not (field is None or isinstance(field, ConstantAccelerations)):
        raise ValueError("crossings are not counted in a trap, nor in a field that is a function")
    box = world.box
    if box is not None and box.is_sheared:
        raise ValueError("crossings are not counted in a sheared box")
    has_steps = ENGINE_KINDS[engine.name].has_fixed_step
    turns = world.turns_velocities or thermostat is not None
    if has_steps and (turns or (field is None and can_sleep(world))):
        raise ValueError(
            'crossings are not counted with the engine "steps" where balls can lie still, or meet '
            'warm obstacles or a heat bath: "events" knows their paths'
        )
    acceleration = np.array(world.gravity) + own_accelerations(field, len(world.radius))
    step = engine.step if has_steps else 0.0
    return Surroundings(world.mass, acceleration, space_of(box).size, step)
