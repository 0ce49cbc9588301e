"""What a user can change in the world: balls, gravity, restitution, the engine; and undo."""

from typing import Any

import numpy as np

from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim_viewer.hud.numbers import in_words
from spheresim_viewer.throwing import Aim, Throw
from spheresim_viewer.timeline.segments import Change

_RESTITUTION_STEP = 0.1
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
            self._viewer.notice.say("there is no room for another ball there")
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
        back = (
            f"brings what was computed after t = {time:.6g} back" if replaces else "takes it back"
        )
        self._viewer.notice.say(f"{name} thrown with speed {speed:.4g}: ctrl Z {back}")

    def stop_aiming(self) -> None:
        """Throw nothing."""
        self._scene_view.throw = None
        self._player.running = self._scene_view.was_running

    def gravity(self) -> None:
        if any(self._player.settings.gravity):
            self._pull(TVector(0.0, 0.0, 0.0))
            return
        usual = np.array(self._player.snapshot.scene.gravity)
        if not usual.any():
            fall = _FALL_SECONDS * self._player.natural_speed
            usual = (
                -2.0 * self._scene_view.stage.size / fall**2 * np.asarray(self._scene_view.stage.up)
            )
        self._pull(TVector(usual))

    def flip_gravity(self) -> None:
        self._pull(TVector(0.0 - np.array(self._player.settings.gravity)))

    def _pull(self, gravity: TVector) -> None:
        self._set(gravity=gravity)
        self._viewer.notice.say(f"gravity: {in_words(gravity)}")

    def undo(self) -> None:
        if self._player.undo():
            self._scene_view.trails.forget()
            self._viewer.notice.say("undone: what came after is as it was")
        else:
            self._viewer.notice.say("there is no change to undo")

    def less_restitution(self) -> None:
        self._restitute(-_RESTITUTION_STEP)

    def more_restitution(self) -> None:
        self._restitute(+_RESTITUTION_STEP)

    def _restitute(self, change: float) -> None:
        now = float(np.median(self._player.snapshot.world.restitution))
        wanted = round(min(1.0, max(0.0, now + change)), 6)
        self._set(restitution=wanted)
        self._viewer.notice.say(f"restitution {wanted:g} everywhere")

    def next_engine(self) -> None:
        from spheresim.engines.options import ENGINE_KINDS, ENGINES

        now = ENGINES.index(self._player.settings.engine)
        wanted = ENGINES[(now + 1) % len(ENGINES)]
        box = self._player.snapshot.world.box
        if box is not None and box.is_periodic and not ENGINE_KINDS[wanted].is_periodic:
            self._viewer.notice.say("a periodic box needs the exact engine")
            return
        self._set(engine=wanted, toi="analytic")
        self._viewer.compile()
        self._viewer.notice.say(f"engine: {wanted}")

    def next_toi(self) -> None:
        from spheresim.engines.options import ENGINE_KINDS

        if len(ENGINE_KINDS[self._player.settings.engine].toi_methods) == 1:
            self._viewer.notice.say("the exact engine has no slices: M goes back to steps")
            return
        wanted = "analytic" if self._player.settings.toi == "sliced" else "sliced"
        self._set(toi=wanted)
        self._viewer.notice.say(
            f"time of impact: sliced in {self._player.settings.slices}, as in the tutorial: "
            "what touches only between two looks is missed"
            if wanted == "sliced"
            else "time of impact: analytic, where a formula says when they touch"
        )

    def move_ball(self, index: int, position: Any) -> None:
        self._change(Change(position={index: position}))

    def _set(self, **settings: Any) -> None:
        self._change(Change(settings=self._player.settings._replace(**settings)))

    def _change(self, change: Change) -> None:
        self._scene_view.throw = None
        self._player.change(change)
        self._scene_view.trails.forget()
