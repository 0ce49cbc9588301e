"""What keys and buttons do: each method is one action."""

from functools import partialmethod

from spheresim_viewer import coloring
from spheresim_viewer.changes import Changes
from spheresim_viewer.saving import save_scene, unused_path
from spheresim_viewer.timeline.sliced_answer import COARSE, sliced_in

_LEAP = 0.05
"""Part of the duration that page up and page down leap over."""


class Actions(Changes):
    """All that a user can do, applied to a viewer."""

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

    def _step(self, count: int) -> None:
        self._player.step(count)

    step_forward = partialmethod(_step, +1)
    step_back = partialmethod(_step, -1)

    def next_impact(self) -> None:
        self._player.next_impact()

    def previous_impact(self) -> None:
        self._player.previous_impact()

    def faster(self) -> None:
        self._player.faster()

    def slower(self) -> None:
        self._player.slower()

    def _leap(self, part: float) -> None:
        self._viewer.seek(self._player.time + part * self._player.duration)

    leap_forward = partialmethod(_leap, +_LEAP)
    leap_back = partialmethod(_leap, -_LEAP)

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
        if camera.riding is not None:
            name = self._player.snapshot.names[camera.riding]
            self._viewer.notice.say(f"riding on {name}: F2 leaves it, home shows all again")

    def _picked(self) -> int:
        """The picked ball. If there is none, the first one is picked."""
        if self._scene_view.picked is None:
            self._scene_view.pick(0)
        return int(self._scene_view.picked)

    def _view(self, name: str) -> None:
        self._scene_view.camera.view(name)

    view_corner = partialmethod(_view, "corner")
    view_front = partialmethod(_view, "front")
    view_right = partialmethod(_view, "right")
    view_top = partialmethod(_view, "top")

    def reset_camera(self) -> None:
        self._scene_view.look_as_said()

    def show_all(self) -> None:
        self._scene_view.look_at_all()

    def look_at_impact(self) -> None:
        if not self._scene_view.look_at_impact():
            self._viewer.notice.say("there is no impact now: N goes to the next one")

    def turn(self) -> None:
        camera = self._scene_view.camera
        camera.turning = not camera.turning

    # --- Look ---

    def _pick_by(self, by: int) -> None:
        count, picked = len(self._player.snapshot.position), self._scene_view.picked
        first = 0 if by > 0 else count - 1
        self._scene_view.pick(first if picked is None else (picked + by) % count)

    pick_next = partialmethod(_pick_by, +1)
    pick_previous = partialmethod(_pick_by, -1)

    def next_color(self) -> None:
        options = self._scene_view.options
        options.color = (options.color + 1) % len(coloring.MODES)
        self._viewer.notice.say(f"color: {coloring.MODES[options.color]}")

    def _toggle(self, name: str) -> None:
        self._scene_view.options.toggle(name)

    panel = partialmethod(_toggle, "panel")
    plots = partialmethod(_toggle, "plots")
    numbers = partialmethod(_toggle, "numbers")

    def _switch(self, name: str, words: str = "") -> None:
        is_on = self._scene_view.options.toggle(name)
        self._viewer.notice.say(f"{words or name} {'on' if is_on else 'off'}")

    trails = partialmethod(_switch, "trails")
    arrows = partialmethod(_switch, "arrows")
    contacts = partialmethod(_switch, "contacts")
    explosions = partialmethod(_switch, "explosions")
    shadows = partialmethod(_switch, "shadows")
    drop_lines = partialmethod(_switch, "drops", "drop lines")

    def ghosts(self) -> None:
        self._scene_view.options.toggle("ghosts")
        self._viewer.notice.say(
            "offset primitives: obstacles grown by the ball's radius, touched by its centre"
            if self._scene_view.options.ghosts
            else "offset primitives off"
        )

    def sliced_answer(self) -> None:
        options = self._scene_view.options
        offered = sorted({self._player.settings.slices, *COARSE}, reverse=True)
        fewer = [slices for slices in offered if not options.slices or slices < options.slices]
        options.slices = fewer[0] if fewer else 0
        answer = self._scene_view.sliced_answer
        if answer is not None:
            self._viewer.notice.say(answer.words())
        elif not options.slices:
            self._viewer.notice.say("comparison with slices off")
        elif self._scene_view.is_at_impact:
            self._viewer.notice.say("slices are for two balls: impacts on obstacles are exact")
        else:
            self._viewer.notice.say(
                f"at an impact of two balls: the answer {sliced_in(options.slices)}"
            )

    def sound(self) -> None:
        self._switch("sound")
        if self._scene_view.options.sound and not self._viewer.sound.start():
            self._scene_view.options.sound = False
            self._viewer.notice.say("no sound: no audio device was found")

    def fullscreen(self) -> None:
        self._viewer.toggle_fullscreen()

    def help(self) -> None:
        """Open the help, go to its next page, and close it after the last."""
        options = self._scene_view.options
        if options.help and options.help_page + 1 < self._viewer.help_pages:
            options.help_page += 1
        else:
            options.help_page = 0
            options.toggle("help")

    # --- Do ---

    def save_screenshot(self) -> None:
        path = unused_path(f"{self._scene_view.name}-{self._player.snapshot.time:.6g}", ".png")
        self._viewer.save_screenshot(path)
        self._viewer.notice.say(f"saved as {path.resolve()}")

    def save_scene(self) -> None:
        directory = unused_path(f"{self._scene_view.name}-{self._player.snapshot.time:.6g}", "")
        save_scene(self._player, directory)
        self._viewer.notice.say(f"saved: spheresim view {directory}")

    def reload(self) -> None:
        self._viewer.reload()

    def dismiss(self) -> None:
        scene_view, camera = self._scene_view, self._scene_view.camera
        if scene_view.options.help:
            scene_view.options.help, scene_view.options.help_page = False, 0
        elif scene_view.throw is not None:
            self.stop_aiming()
        elif self._player.seeking:
            self._player.cancel()
        elif not self._viewer.notice.clear():
            if camera.following is not None or camera.riding is not None:
                camera.follow(None)
            else:
                scene_view.pick(None)

    def quit(self) -> None:
        self._viewer.close()
