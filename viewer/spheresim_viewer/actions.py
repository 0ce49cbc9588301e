"""What keys, buttons and drops do. One method, one action."""

from typing import Any

import numpy as np

from spheresim.model.balls import Ball
from spheresim.numerics.vector import TVector
from spheresim_viewer import look
from spheresim_viewer.keeping import free_path, save_scene
from spheresim_viewer.picking import throw
from spheresim_viewer.timeline.segments import Change

_LEAP = 0.05
_RESTITUTIONS = 0.1
_FALL_SECONDS = 1.5
"""How long a fall across the stage takes under gravity that is switched on in a scene without."""


class Actions:
    """All that a person can do, on the viewer given."""

    def __init__(self, viewer: Any) -> None:
        self._viewer = viewer

    @property
    def _show(self) -> Any:
        return self._viewer.show

    @property
    def _player(self) -> Any:
        return self._viewer.show.player

    # --- Time ---

    def run_or_pause(self) -> None:
        if not self._player.running and self._player.time >= self._player.segments.last:
            self.restart()  # a replay that is over begins again
        self._player.direction = 1
        self._player.toggle()

    def run_backwards(self) -> None:
        running = self._player.running and self._player.direction < 0
        self._player.direction = 1 if running else -1
        if self._player.running == running:
            self._player.toggle()

    def step_forward(self) -> None:
        self._player.step(+1)

    def step_back(self) -> None:
        self._player.step(-1)

    def next_impact(self) -> None:
        self._player.next_impact()

    def previous_impact(self) -> None:
        self._player.previous_impact()

    def faster(self) -> None:
        self._player.faster()

    def slower(self) -> None:
        self._player.slower()

    def leap_forward(self) -> None:
        self._viewer.seek(self._player.time + _LEAP * self._player.duration)

    def leap_back(self) -> None:
        self._viewer.seek(self._player.time - _LEAP * self._player.duration)

    def restart(self) -> None:
        self._player.restart()
        self._show.trails.forget()

    # --- Camera ---

    def follow(self) -> None:
        camera = self._show.camera
        camera.follow(None if camera.following is not None else self._picked())

    def ride(self) -> None:
        camera = self._show.camera
        camera.ride(None if camera.riding is not None else self._picked())

    def _picked(self) -> int:
        """The picked ball, or the first, which is then picked."""
        if self._show.picked is None:
            self._show.pick(0)
        return int(self._show.picked)

    def view_corner(self) -> None:
        self._show.camera.view("corner")

    def view_front(self) -> None:
        self._show.camera.view("front")

    def view_right(self) -> None:
        self._show.camera.view("right")

    def view_top(self) -> None:
        self._show.camera.view("top")

    def reset_camera(self) -> None:
        self._show.camera.reset()

    def turn(self) -> None:
        camera = self._show.camera
        camera.turning = not camera.turning

    # --- Look ---

    def pick_next(self) -> None:
        self._pick_by(+1)

    def pick_previous(self) -> None:
        self._pick_by(-1)

    def _pick_by(self, by: int) -> None:
        count, picked = len(self._player.moment.position), self._show.picked
        first = 0 if by > 0 else count - 1
        self._show.pick(first if picked is None else (picked + by) % count)

    def next_color(self) -> None:
        options = self._show.options
        options.color = (options.color + 1) % len(look.MODES)
        self._viewer.notice.say(f"color: {look.MODES[options.color]}")

    def _switch(self, name: str) -> None:
        is_on = self._show.options.toggle(name)
        self._viewer.notice.say(f"{name} {'on' if is_on else 'off'}")

    def trails(self) -> None:
        self._switch("trails")

    def arrows(self) -> None:
        self._switch("arrows")

    def contacts(self) -> None:
        self._switch("contacts")

    def explosions(self) -> None:
        self._switch("explosions")

    def ghosts(self) -> None:
        self._show.options.toggle("ghosts")
        self._viewer.notice.say(
            "offset primitives: the ball is a point, and what it meets is grown by its radius"
            if self._show.options.ghosts
            else "offset primitives off"
        )

    def plots(self) -> None:
        self._show.options.toggle("plots")

    def numbers(self) -> None:
        self._show.options.toggle("numbers")

    def shadows(self) -> None:
        self._switch("shadows")

    def sound(self) -> None:
        self._switch("sound")
        if self._show.options.sound and not self._viewer.sound.start():
            self._show.options.sound = False
            self._viewer.notice.say("no sound: there is no device that could make it")

    def fullscreen(self) -> None:
        self._viewer.toggle_fullscreen()

    def help(self) -> None:
        self._show.options.toggle("help")

    # --- Do ---

    def throw(self) -> None:
        world = self._player.moment.world
        radius = float(np.median(world.radius))
        speed = 1.2 * self._show.stage.size / self._player.natural_speed
        position, velocity = throw(self._show.camera, speed, radius)
        ball = Ball(position, velocity, radius, float(np.median(world.mass)))
        self._change(Change(balls=[ball]))
        self._show.pick(len(self._player.moment.position) - 1)

    def gravity(self) -> None:
        if any(self._player.settings.gravity):
            self._set(gravity=TVector(0.0, 0.0, 0.0))
            return
        usual = np.array(self._player.moment.scene.gravity)
        if not usual.any():
            fall = _FALL_SECONDS * self._player.natural_speed
            usual = -2.0 * self._show.stage.size / fall**2 * np.asarray(self._show.stage.up)
        self._set(gravity=TVector(usual))

    def flip_gravity(self) -> None:
        self._set(gravity=TVector(0.0 - np.array(self._player.settings.gravity)))

    def less_restitution(self) -> None:
        self._restitute(-_RESTITUTIONS)

    def more_restitution(self) -> None:
        self._restitute(+_RESTITUTIONS)

    def _restitute(self, change: float) -> None:
        now = float(np.median(self._player.moment.world.restitution))
        wanted = round(min(1.0, max(0.0, now + change)), 6)
        self._set(restitution=wanted)
        self._viewer.notice.say(f"restitution {wanted:g} everywhere")

    def next_engine(self) -> None:
        from spheresim.engines.options import ENGINE_KINDS, ENGINES

        now = ENGINES.index(self._player.settings.engine)
        wanted = ENGINES[(now + 1) % len(ENGINES)]
        box = self._player.moment.world.box
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
        self._viewer.notice.say(f"time of impact: {wanted}")

    def move_ball(self, index: int, position: Any) -> None:
        self._change(Change(position={index: position}))

    def _set(self, **settings: Any) -> None:
        self._change(Change(settings=self._player.settings._replace(**settings)))

    def _change(self, change: Change) -> None:
        self._player.change(change)
        self._show.trails.forget()

    def keep_picture(self) -> None:
        path = free_path(f"{self._show.name}-{self._player.moment.time:.6g}", ".png")
        self._viewer.keep_picture(path)
        self._viewer.notice.say(f"kept as {path}")

    def save_scene(self) -> None:
        directory = free_path(f"{self._show.name}-{self._player.moment.time:.6g}", "")
        save_scene(self._player, directory)
        self._viewer.notice.say(f"saved: spheresim view {directory}")

    def reload(self) -> None:
        self._viewer.reload()

    def let_go(self) -> None:
        show, camera = self._show, self._show.camera
        if show.options.help:
            show.options.help = False
        elif self._player.seeking:
            self._player.cancel()
        elif not self._viewer.notice.clear():
            if camera.following is not None or camera.riding is not None:
                camera.follow(None)
            else:
                show.pick(None)

    def quit(self) -> None:
        self._viewer.close()
