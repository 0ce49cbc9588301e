"""The colors of the balls of one scene, in whichever way they are colored."""

from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.numerics.arrays import Floats, Integers
from spheresim_viewer import coloring
from spheresim_viewer.color_scales import lengths, scale_ends
from spheresim_viewer.draw.spheres import sphere_colors
from spheresim_viewer.stage.stage import Stage
from spheresim_viewer.timeline.player import Player
from spheresim_viewer.timeline.snapshot import Snapshot

_GLOW_SECONDS = 0.6
_DIMMED = np.array((232, 234, 238))
_DIM = 0.72
"""How far the other balls fade at an impact that is looked at."""


class BallColors:
    """Colors for a player's balls. Scales end where the start says, so they stand still."""

    def __init__(self, player: Player, stage: Stage) -> None:
        self._player = player
        self._own: tuple[object, Any] = (None, None)
        snapshot = player.segments.snapshot(player.segments.start)
        world = snapshot.world
        self._ends = scale_ends(snapshot.peculiar_velocity, world.mass, world.gravity, stage)

    def scale_end(self, mode: str) -> float:
        """The end of the scale of a quantity; 0 where colors are no scale."""
        return self._ends.get(mode, 0.0)

    def of(
        self, snapshot: Snapshot, mode: str, lit: Integers | None = None
    ) -> npt.NDArray[np.uint8]:
        """The colors of the balls, shape (n, 4), uint8; all but those that are `lit` fade."""
        colors = self._undimmed(snapshot, mode)
        if lit is None:
            return colors
        dimmed = colors.copy()
        dimmed[:, :3] = (1.0 - _DIM) * colors[:, :3] + _DIM * _DIMMED
        dimmed[lit] = colors[lit]
        return dimmed

    def _undimmed(self, snapshot: Snapshot, mode: str) -> npt.NDArray[np.uint8]:
        if mode == "own":
            if self._own[0] is not snapshot.colors:
                own = sphere_colors(coloring.identity_colors(snapshot.colors))
                self._own = snapshot.colors, own
            return self._own[1]
        if mode == "last impact":
            fade = _GLOW_SECONDS * self._player.natural_speed
            return sphere_colors(coloring.impact_colors(self._since_impact(snapshot, fade), fade))
        if mode == "state":
            return sphere_colors(coloring.STATE_COLORS[snapshot.states])
        values = speeds(snapshot) if mode == "speed" else _energies(snapshot)
        return sphere_colors(coloring.scale_colors(values, self.scale_end(mode)))

    def _since_impact(self, snapshot: Snapshot, fade: float) -> Floats:
        """Time since each ball's last impact; inf if longer than `fade`."""
        impacts = self._player.impacts_at(snapshot.time, fade)
        impacts = impacts.taken(impacts.kind <= OBSTACLE)
        last = np.full(len(snapshot.position), -np.inf)
        np.maximum.at(last, impacts.i, impacts.t)
        between = impacts.kind == BALL
        np.maximum.at(last, impacts.other[between], impacts.t[between])
        return snapshot.time - last


def speeds(snapshot: Snapshot) -> Floats:
    """The speeds of all balls, (n,), of their velocities beside a flow."""
    return lengths(snapshot.peculiar_velocity)


def _energies(snapshot: Snapshot) -> Floats:
    return 0.5 * snapshot.world.mass * speeds(snapshot) ** 2
