"""A small pile, balls that fall into a narrow box; and when a pile is at rest."""

from pathlib import Path

import numpy as np

from spheresim import Simulation

PILE = """
title = "a small pile"
duration = 8
step = 0.01
frame_every = 0.1
gravity = [0, -9.81, 0]
restitution = 0.4
engine = "events"
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 1, 0]
[[plane]]
name = "left"
point = [-0.8, 0, 0]
normal = [1, 0, 0]
[[plane]]
name = "right"
point = [0.8, 0, 0]
normal = [-1, 0, 0]
[[plane]]
name = "back"
point = [0, 0, -0.8]
normal = [0, 0, 1]
[[plane]]
name = "front"
point = [0, 0, 0.8]
normal = [0, 0, -1]
[[fill]]
count = 12
radius = [0.2, 0.3]
region = { low = [-0.8, 0, -0.8], high = [0.8, 4, 0.8] }
density = 1
seed = 4
"""


def write_pile(path: str | Path = "small_pile.toml") -> Path:
    """The scene as a file."""
    path = Path(path)
    path.write_text(PILE, encoding="utf-8")
    return path


def is_at_rest(simulation: Simulation) -> bool:
    """All sleep, but for slow balls that slide alone on the level floor: nothing stops them."""
    contacts, world = simulation.contacts, simulation.world
    pressed = contacts[(contacts.j >= 0) & (contacts.force > 0.0)]
    alone = ~np.isin(np.arange(len(simulation.position)), [pressed.i, pressed.j])
    speed = np.linalg.norm(simulation.velocity, axis=1)
    slow = speed < 1e-3 * np.sqrt(world.gravity.mag() * world.radius)
    return bool((simulation.asleep | (simulation.sliding & alone & slow)).all())
