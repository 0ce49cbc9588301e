"""What the window says of energy, and where impacts lose some, the share that is left."""

import numpy as np

from spheresim.obstacles.plane import Plane
from spheresim_viewer.timeline.snapshot import Snapshot

_LEVEL = 1.0 - 1e-9
"""Cosine of the angle to the vertical from which on a plane is a level floor."""


def energy_rows(snapshot: Snapshot, is_changed: bool = False) -> list[tuple[str, str]]:
    """Names and values of the energy account.

    Where impacts lose energy, the share that is left is among them. is_changed: whether the user
    has changed something, so that the account begins there.
    """
    rows = [(name, value.replace("-", "−")) for name, value in snapshot.energy_rows]
    if is_changed:
        rows[0] = ("energy at last change", rows[0][1])
    if snapshot.energy_account.taken is None:
        return rows
    left = share_left(snapshot)
    if left is not None:
        rows.insert(2, ("energy above rest", f"{100.0 * left:.3g} %"))
    return rows


def share_left(snapshot: Snapshot) -> float | None:
    """The energy over that at the start, both above that of all balls at rest on the floor.

    None where gravity acts and there is no level floor, since nothing says then what none is.
    """
    account, lowest = snapshot.energy_account, _lowest_energy(snapshot)
    if lowest is None or account.start <= lowest:
        return None
    return float((account.now - lowest) / (account.start - lowest))


def _lowest_energy(snapshot: Snapshot) -> float | None:
    """−Σ m g·x with all balls on the floor; 0 without gravity, None without a floor."""
    world = snapshot.world
    gravity = np.array(world.gravity)
    strength = float(np.linalg.norm(gravity))
    if strength == 0.0:
        return 0.0
    up = -gravity / strength
    floors = [
        float(up @ np.array(shape.point))
        for shape, *_ in snapshot.playback.population.obstacles
        if isinstance(shape, Plane) and float(up @ np.array(shape.normal)) > _LEVEL
    ]
    if not floors:
        return None
    return float(strength * world.mass @ (max(floors) + world.radius))
