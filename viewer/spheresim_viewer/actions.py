"""What keys and buttons do: each method is one action."""

from typing import Any

import numpy as np

from spheresim.model.balls import Ball
from spheresim.numerics.vector import TVector
from spheresim_viewer import coloring
from spheresim_viewer.picking import throw
from spheresim_viewer.saving import save_scene, unused_path
from spheresim_viewer.timeline.segments import Change

_LEAP = 0.05
"""Part of the duration that page up and page down leap over."""
_RESTITUTION_STEP = 0.1
_FALL_SECONDS = 1.5
"""How long a fall across the stage takes where a scene without gravity gets some."""


class Actions:
    """All that a user can do, applied to a viewer."""

    def __init__(self, viewer: Any) -> None:
        self._viewer = viewer

    @property
    def _scene_view(self) -> Any:
        return self._viewer.scene_view

    @property
    def _player(self) -> Any:
        return self._viewer.scene_view.player

    # --- Time ---

    def run_or_pause(self) -> None:
        if not self._player.running and self._player.time >= self._player.segments.last:
            self.restart()  # a replay at its end starts again
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
        self._scene_view.trails.forget()

    # --- Camera ---

    def follow(self) -> None:
        camera = self._scene_view.camera
        camera.follow(None if camera.following is not None else self._picked())

    def ride(self) -> None:
        camera = self._scene_view.camera
        camera.ride(None if camera.riding is not None else self._picked())

    def _picked(self) -> int:
        """The picked ball. If there is none, the first one is picked."""
        if self._scene_view.picked is None:
            self._scene_view.pick(0)
        return int(self._scene_view.picked)

    def view_corner(self) -> None:
        self._scene_view.camera.view("corner")

    def view_front(self) -> None:
        self._scene_view.camera.view("front")

    def view_right(self) -> None:
        self._scene_view.camera.view("right")

    def view_top(self) -> None:
        self._scene_view.camera.view("top")

    def reset_camera(self) -> None:
        self._scene_view.camera.reset()

    def turn(self) -> None:
        camera = self._scene_view.camera
        camera.turning = not camera.turning

    # --- Look ---

    def pick_next(self) -> None:
        self._pick_by(+1)

    def pick_previous(self) -> None:
        self._pick_by(-1)

    def _pick_by(self, by: int) -> None:
        count, picked = len(self._player.snapshot.position), self._scene_view.picked
        first = 0 if by > 0 else count - 1
        self._scene_view.pick(first if picked is None else (picked + by) % count)

    def next_color(self) -> None:
        options = self._scene_view.options
        options.color = (options.color + 1) % len(coloring.MODES)
        self._viewer.notice.say(f"color: {coloring.MODES[options.color]}")

    def _switch(self, name: str) -> None:
        is_on = self._scene_view.options.toggle(name)
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
        self._scene_view.options.toggle("ghosts")
        self._viewer.notice.say(
            "offset primitives: the ball is a point, and what it meets is grown by its radius"
            if self._scene_view.options.ghosts
            else "offset primitives off"
        )

    def plots(self) -> None:
        self._scene_view.options.toggle("plots")

    def numbers(self) -> None:
        self._scene_view.options.toggle("numbers")

    def shadows(self) -> None:
        self._switch("shadows")

    def sound(self) -> None:
        self._switch("sound")
        if self._scene_view.options.sound and not self._viewer.sound.start():
            self._scene_view.options.sound = False
            self._viewer.notice.say("no sound: there is no device that could make it")

    def fullscreen(self) -> None:
        self._viewer.toggle_fullscreen()

    def help(self) -> None:
        self._scene_view.options.toggle("help")

    # --- Do ---

    def throw(self) -> None:
        world = self._player.snapshot.world
        radius = float(np.median(world.radius))
        speed = 1.2 * self._scene_view.stage.size / self._player.natural_speed
        position, velocity = throw(self._scene_view.camera, speed, radius)
        ball = Ball(position, velocity, radius, float(np.median(world.mass)))
        self._change(Change(balls=[ball]))
        self._scene_view.pick(len(self._player.snapshot.position) - 1)

    def gravity(self) -> None:
        if any(self._player.settings.gravity):
            self._set(gravity=TVector(0.0, 0.0, 0.0))
            return
        usual = np.array(self._player.snapshot.scene.gravity)
        if not usual.any():
            fall = _FALL_SECONDS * self._player.natural_speed
            usual = (
                -2.0 * self._scene_view.stage.size / fall**2 * np.asarray(self._scene_view.stage.up)
            )
        self._set(gravity=TVector(usual))

    def flip_gravity(self) -> None:
        self._set(gravity=TVector(0.0 - np.array(self._player.settings.gravity)))

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
        self._viewer.notice.say(f"time of impact: {wanted}")

    def move_ball(self, index: int, position: Any) -> None:
        self._change(Change(position={index: position}))

    def _set(self, **settings: Any) -> None:
        self._change(Change(settings=self._player.settings._replace(**settings)))

    def _change(self, change: Change) -> None:
        self._player.change(change)
        self._scene_view.trails.forget()

    def save_screenshot(self) -> None:
        path = unused_path(f"{self._scene_view.name}-{self._player.snapshot.time:.6g}", ".png")
        self._viewer.save_screenshot(path)
        self._viewer.notice.say(f"kept as {path}")

    def save_scene(self) -> None:
        directory = unused_path(f"{self._scene_view.name}-{self._player.snapshot.time:.6g}", "")
        save_scene(self._player, directory)
        self._viewer.notice.say(f"saved: spheresim view {directory}")

    def reload(self) -> None:
        self._viewer.reload()

    def dismiss(self) -> None:
        scene_view, camera = self._scene_view, self._scene_view.camera
        if scene_view.options.help:
            scene_view.options.help = False
        elif self._player.seeking:
            self._player.cancel()
        elif not self._viewer.notice.clear():
            if camera.following is not None or camera.riding is not None:
                camera.follow(None)
            else:
                scene_view.pick(None)

    def quit(self) -> None:
        self._viewer.close()
