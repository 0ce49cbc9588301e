"""The state at any time, with what a picture and the numbers beside it need."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.analysis.drift import EnergyAccount
from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.model.shear_flow import peculiar_velocity
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats
from spheresim.obstacles.driven_walls.frame import Frame
from spheresim.obstacles.driven_walls.moving_walls import wall_records
from spheresim.obstacles.driven_walls.replay import frames_at, records_after
from spheresim.record.spin_changes import spun
from spheresim.scene import Scene
from spheresim_viewer.timeline.energies import Energies, energies, state_of
from spheresim_viewer.timeline.interpolation import Keyframe
from spheresim_viewer.timeline.orientation import Turning, turned
from spheresim_viewer.timeline.playback import Playback
from spheresim_viewer.timeline.rest import FLYING, states_after


@dataclass(frozen=True)
class Snapshot:
    """A playback at a time: position, velocity, shape (n, 3), read-only; impacts so far.

    Energies are those of the last keyframe, which is a state of the engine.
    """

    time: float
    position: Floats
    velocity: Floats
    impacts: int
    keyframe: Keyframe
    playback: Playback

    @property
    def world(self) -> World:
        """Radii, masses, obstacles and all else that does not move."""
        return self.playback.world

    @property
    def names(self) -> tuple[str, ...]:
        """The balls' names."""
        return self.playback.population.names

    @property
    def colors(self) -> tuple[str | None, ...]:
        """The balls' colors, "#rrggbb" or None."""
        return self.playback.population.colors

    @property
    def obstacle_names(self) -> tuple[str, ...]:
        """The obstacles' names, in the order of their indices."""
        return self.playback.population.obstacle_names

    @property
    def scene(self) -> Scene | None:
        """The scene that was opened, or None."""
        return self.playback.population.scene

    @cached_property
    def _energies(self) -> Energies:
        return energies(self.world, self.keyframe, self.playback.population.field)

    @cached_property
    def states(self) -> npt.NDArray[np.int8]:
        """Who flies, slides and rests (see `rest`), (n,): as of the last keyframe or row."""
        states, number = self.keyframe.states, self.keyframe.number
        if states is None:
            states = np.full(len(self.position), FLYING, dtype=np.int8)
        is_known = self.time == self.keyframe.time and number > 0
        if is_known or self.playback.furthest <= number:
            return states
        rows = self.playback.impacts_in(number)
        return states_after(states, rows.taken(rows.t <= self.time))

    @cached_property
    def peculiar_velocity(self) -> Floats:
        """Velocities, (n, 3), in a sheared box beside that of the flow."""
        return peculiar_velocity(self.world.box, self.position, self.velocity)

    @cached_property
    def angular_velocity(self) -> Floats | None:
        """(n, 3), where spins are followed, else None."""
        turning, rows = self.keyframe.angular_velocity, self._rows_since_keyframe
        return turning if turning is None or rows is None else spun(turning, rows, self.world)

    @cached_property
    def orientation(self) -> Floats | None:
        """How balls are turned, (n, 4), see `orientation`; None where spins are not followed."""
        frame, rows = self.keyframe, self._rows_since_keyframe
        if frame.orientation is None or frame.angular_velocity is None or rows is None:
            return frame.orientation
        start = Turning(frame.orientation, frame.angular_velocity, frame.time)
        return turned(start, self.time, rows, self.world)

    @cached_property
    def _rows_since_keyframe(self) -> Impacts | None:
        """The impacts since the last keyframe; None where the time is that of the keyframe."""
        number = self.keyframe.number
        if self.time == self.keyframe.time or number >= self.playback.last:
            return None
        rows: Impacts = self.playback.impacts_in(number)
        return rows.taken(rows.t <= self.time)

    @property
    def kinetic(self) -> float:
        """½ Σ m v² + ½ Σ I ω² at the last keyframe."""
        return float(self._energies.kinetic)

    @property
    def potential(self) -> float:
        """−Σ m g·x, and that in a field, at the last keyframe."""
        return float(self._energies.potential)

    @property
    def frames(self) -> dict[int, Frame]:
        """Where the obstacles that may move are now, by their indices."""
        return frames_at(self.world.walls, self.walls, self.time)

    @cached_property
    def walls(self) -> Any:
        """The records of the obstacles that move or are warm, as of now; None without any."""
        if not self.world.has_walls:
            return None
        keyframe, walls = self.keyframe, self.world.walls
        records = keyframe.walls if keyframe.walls is not None else wall_records(walls)
        if self.time > keyframe.time:
            rows = self.playback.impacts_in(keyframe.number)
            rows = rows.taken((rows.kind == OBSTACLE) & (rows.t <= self.time))
            records = records_after(walls, records, rows.t, rows.other, rows.impulse)
        return records

    @cached_property
    def energy_account(self) -> EnergyAccount:
        """The balance of energy up to the last keyframe."""
        keyframe = self.keyframe
        account = self.playback.drift.account
        return account(state_of(keyframe), keyframe.dissipated, keyframe.given)

    @cached_property
    def energy_rows(self) -> list[tuple[str, str]]:
        """Names and values of the energy account, as `spheresim run` prints them."""
        return self.energy_account.rows("energy now")


def snapshot_at(playback: Playback, time: float) -> Snapshot:
    """The state at a time that has been reached."""
    number = playback.number_at(time)
    start = playback.keyframe(number)
    if start.time == time or number >= playback.last:
        return Snapshot(time, start.position, start.velocity, start.impacts, start, playback)
    position, velocity = playback.between(number, time)
    impacts = playback.impacts_in(number)
    real = (impacts.kind == BALL) | (impacts.kind == OBSTACLE)
    count = start.impacts + int(np.count_nonzero(real & (impacts.t <= time)))
    return Snapshot(time, position, velocity, count, start, playback)
