"""What a user can change in the world: balls, gravity, restitution, the engine; and undo."""

from functools import partialmethod
from typing import Any

import numpy as np

from spheresim.model.shear_flow import is_sheared
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector, VectorLike
from spheresim_viewer.hud.readouts import in_words
from spheresim_viewer.throwing import Aim, Throw
from spheresim_viewer.timeline.population import Settings
from spheresim_viewer.timeline.segments import Change

_RESTITUTION_STEP = 0.1
_LIMITS = {"gravity": (-1e9, 1e9), "restitution": (0.0, 1.0), "speed": (1e-6, 1e6)}
"""The numbers that can be set, and the values that they may have; speed in units of the usual."""
_FALL_SECONDS = 1.5
"""How long a fall across the stage takes where a scene without gravity gets some."""


class Changes:
    """Changes at the present time, which replace whatever was computed beyond it."""

    def __init__(self, viewer: Any) -> None:
        self._viewer = viewer

    @property
    def _scene_view(self) -> Any:
        return self._viewer.scene_view

    @property
    def _player(self) -> Any:
        return self._viewer.scene_view.player

    def throw(self) -> None:
        """Begin to aim a throw; pressed again, throw."""
        if self._scene_view.throw is not None:
            self.let_fly()
            return
        self._scene_view.was_running = self._player.running
        self._player.pause()
        self._aim(Aim(self._scene_view).ahead())

    def aim_at(self, ray: TRay) -> bool:
        """Let the throw that is aimed start on a line of sight; whether there is room for it."""
        velocity = self._scene_view.throw.ball.velocity
        return self._aim(Aim(self._scene_view).at(ray, velocity))

    def aim_towards(self, ray: TRay) -> None:
        """Aim the throw to a line of sight."""
        self._aim(Aim(self._scene_view).towards(self._scene_view.throw, ray))

    def aim_deeper(self, radii: float) -> None:
        """Let the throw start further away."""
        self._aim(Aim(self._scene_view).deeper(self._scene_view.throw, radii))

    def _aim(self, throw: Throw | None) -> bool:
        """Show a throw; where there is no room for the ball, say so, and keep what was aimed."""
        if throw is None:
            self._viewer.notice.say("there is no room for a ball here")
            return False
        self._scene_view.throw = throw
        return True

    def let_fly(self) -> None:
        """Throw the ball that is aimed."""
        throw, self._scene_view.throw = self._scene_view.throw, None
        time, replaces = self._player.time, self._player.furthest > self._player.time
        self._change(Change(balls=[throw.ball]))
        number = len(self._player.snapshot.position) - 1
        self._scene_view.pick(number)
        self._player.running = self._scene_view.was_running
        name, speed = self._player.snapshot.names[number], throw.ball.velocity.mag()
        back = f"undoes it, and restores the future of t = {time:.6g}" if replaces else "undoes it"
        self._viewer.notice.say(f"{name} thrown with speed {speed:.4g}: ctrl Z {back}")

    def stop_aiming(self) -> None:
        """Throw nothing."""
        self._scene_view.throw = None
        self._player.running = self._scene_view.was_running

    @property
    def may_have_gravity(self) -> bool:
        """Whether gravity can be set: not in a sheared box."""
        return not is_sheared(self._player.snapshot.world.box)

    def gravity(self) -> None:
        if any(self._player.settings.gravity):
            self._pull(TVector(0.0, 0.0, 0.0))
            return
        self._pull(TVector(self.usual_gravity))

    @property
    def usual_gravity(self) -> Any:
        """That of the scene, (3,); where it has none, one that suits its size."""
        usual = np.array(self._player.snapshot.scene.gravity)
        if usual.any():
            return usual
        stage, fall = self._scene_view.stage, _FALL_SECONDS * self._player.natural_speed
        return -2.0 * stage.size / fall**2 * np.asarray(stage.up)

    @property
    def is_running(self) -> bool:
        """Whether time runs."""
        return bool(self._player.running)

    def set_number(self, name: str, value: float, joins_last: bool = False) -> None:
        """Set "gravity" (its size; negative reverses it), "restitution" or "speed".

        joins_last: whether it is undone together with the change before it.
        """
        if name == "speed":
            self._player.speed = value * self._player.natural_speed
        elif name == "restitution":
            self._set(joins_last, restitution=value)
        elif self.may_have_gravity:
            now = np.array(self._player.settings.gravity)
            along = now if now.any() else self.usual_gravity
            self._set(joins_last, gravity=TVector(value * along / np.linalg.norm(along)))

    def enter_number(self, name: str, words: str) -> None:
        """Set a number as it was typed in; what cannot be is said in a sentence."""
        low, high = _LIMITS[name]
        try:
            value = float(words.replace("−", "-").replace(",", "."))
        except ValueError:
            self._viewer.notice.say(f"{name}: must be a number, not {words!r}")
            return
        if not low <= value <= high:
            self._viewer.notice.say(f"{name}: must be from {low:g} to {high:g}, not {value:g}")
            return
        self.set_number(name, value)

    def flip_gravity(self) -> None:
        self._pull(TVector(0.0 - np.array(self._player.settings.gravity)))

    def _pull(self, gravity: TVector) -> None:
        if not self.may_have_gravity:
            self._viewer.notice.say("gravity: there is none in a box with a shear_rate")
            return
        self._set(gravity=gravity)
        stage = self._scene_view.stage
        leaves = not any(gravity) and bool(np.any(stage.open_high & (stage.up > 0.7)))
        open_top = "; balls that rise leave by the open top, 0 shows them" if leaves else ""
        self._viewer.notice.say(f"gravity: {in_words(gravity)}{open_top}")

    def undo(self) -> None:
        if self._player.undo():
            self._scene_view.trails.forget()
            self._viewer.notice.say("undone: the future is again as it was before the change")
        else:
            self._viewer.notice.say("there is no change to undo")

    def _restitute(self, change: float) -> None:
        now = float(np.median(self._player.snapshot.world.restitution))
        chosen = round(min(1.0, max(0.0, now + change)), 6)
        self._set(restitution=chosen)
        self._viewer.notice.say(f"restitution {chosen:g} everywhere")

    less_restitution = partialmethod(_restitute, -_RESTITUTION_STEP)
    more_restitution = partialmethod(_restitute, +_RESTITUTION_STEP)

    def next_engine(self) -> None:
        from spheresim.engines.catalogue import ENGINE_KINDS, ENGINES

        now = ENGINES.index(self._player.settings.engine)
        chosen = ENGINES[(now + 1) % len(ENGINES)]
        box = self._player.snapshot.world.box
        if box is not None and box.is_periodic and not ENGINE_KINDS[chosen].is_periodic:
            self._viewer.notice.say("a periodic box needs the exact engine")
            return
        self._set(engine=chosen, toi="analytic")
        self._viewer.notice.say(f"engine: {chosen}")

    def next_toi(self) -> None:
        from spheresim.engines.catalogue import ENGINE_KINDS

        if len(ENGINE_KINDS[self._player.settings.engine].toi_methods) == 1:
            self._viewer.notice.say("the exact engine has no slices: M switches to fixed steps")
            return
        chosen = "analytic" if self._player.settings.toi == "sliced" else "sliced"
        self._set(toi=chosen)
        self._viewer.notice.say(
            f"time of impact: sliced in {self._player.settings.slices}, as in the tutorial: "
            "balls that touch only between two slices are missed"
            if chosen == "sliced"
            else "time of impact: analytic, by a formula"
        )

    def move_ball(self, index: int, position: VectorLike) -> None:
        self._change(Change(position={index: position}))

    def _set(self, joins_last: bool = False, **settings: Any) -> None:
        before = self._player.settings
        now = before._replace(**settings)
        self._change(Change(settings=now), joins_last)
        if _kernels_of(now) != _kernels_of(before):
            self._viewer.compile()  # in a thread; the window says so if it takes long

    def _change(self, change: Change, joins_last: bool = False) -> None:
        if self._scene_view.throw is not None:
            self.stop_aiming()  # it was aimed in a world that is no more
        self._player.change(change, joins_last)
        self._scene_view.trails.forget()


def _kernels_of(settings: Settings) -> tuple[object, ...]:
    """What decides which compiled code simulates a world."""
    loses = settings.restitution is not None and settings.restitution < 1.0
    kept = settings.restitution is None
    return settings.engine, settings.toi, any(settings.gravity), loses, kept
