"""The viewer's window on a virtual screen of its own, worked by real keys and a real mouse.

Nothing here imports pyglet.window before a display is named: the import opens one.
"""

import ctypes.util
import os
import shutil
import struct
import subprocess
import time
import zlib
from collections.abc import Callable
from copy import copy
from pathlib import Path

import pytest

SCREEN = (3840, 2160)
DEADLINE = 300.0
"""Seconds after which what was waited for will not come; machines may be slow and shared."""
_ENOUGH = 10.0
"""Seconds of work that an update may take here, so that what is seen is never cut short."""


def need_opengl() -> None:
    """Skip where there is no OpenGL; fail where the environment says that it is needed."""
    missing = [program for program in ("Xvfb", "xdotool") if shutil.which(program) is None]
    missing += [library for library in ("GL", "EGL") if ctypes.util.find_library(library) is None]
    if missing:
        refuse(f"no {', '.join(missing)}")


def refuse(why: str) -> None:
    """Skip, or fail where the viewer must be tested."""
    if os.environ.get("SPHERESIM_NEEDS_OPENGL"):
        pytest.fail(f"SPHERESIM_NEEDS_OPENGL is set, but {why}")
    pytest.skip(f"the viewer's window is not tested: {why}")


class VirtualScreen:
    """An X server of our own, with OpenGL by Mesa's software."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        size = "x".join(map(str, (*SCREEN, 24)))
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", size, "-nolisten", "tcp"]
        # Else it starts anew whenever its last client goes, and loses who comes meanwhile.
        command.append("-noreset")
        self._server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()  # empty if the server ended instead
        if not number:
            refuse("Xvfb does not start")
        self.display = f":{number}"

    def close(self) -> None:
        """End the server."""
        self._server.terminate()
        self._server.wait(DEADLINE)


def xdotool(*arguments: object) -> str:
    """Do something as a person would who sits at the screen; what it answers."""
    done = subprocess.run(
        ["xdotool", *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    return done.stdout.strip()


def take_focus(window) -> bool:
    """Ask the system to give a window the keys; whether it has them already."""
    # By its own number: a window that was just closed may still be found by its name.
    number = str(window._window)
    # xdotool fails if no window has them, as on a screen on which nothing was done yet.
    asked = subprocess.run(
        ["xdotool", "getwindowfocus"], check=False, capture_output=True, text=True
    )
    if asked.stdout.strip() == number:
        return True
    subprocess.run(["xdotool", "windowfocus", number], check=False, capture_output=True)
    return False


class _Ear:
    """In place of an overlay: hears what is written on it."""

    width = height = 1000.0

    def __init__(self) -> None:
        self.heard: list[str] = []

    def text(self, x: float, y: float, text: str, *_look: object) -> None:
        self.heard.append(text)

    def width_of(self, text: str, size: float) -> float:
        return 0.5 * size * len(text)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_arguments: None


class Desk:
    """A viewer in its window, and somebody in front of it.

    No time passes but what `frame` is told to let pass.
    """

    def __init__(self, source: object, size: tuple[int, int] = (640, 480), **of_source) -> None:
        from spheresim_viewer.loading import Source
        from spheresim_viewer.viewer import Viewer

        self.viewer = Viewer(Source(str(source), **of_source), size=size)
        self.window = self.viewer.window
        self.start_options = copy(self.viewer.options)
        self._heard: list[str] = []
        for name in ("on_key_release", "on_mouse_motion", "on_mouse_drag", "on_mouse_press"):
            self._listen(name)
        for name in ("on_mouse_release", "on_mouse_scroll"):
            self._listen(name)
        self.until(lambda: self.viewer.scene_view is not None)
        self.quick()
        self.focus()
        self.frame()

    def anew(self, source: object = None, **of_source) -> None:
        """Load the scene again, or another, with everything else as it is at the start."""
        from spheresim_viewer.loading import Source
        from spheresim_viewer.options import Options

        xdotool("windowraise", self.window._window)  # above all others, for the mouse
        self.focus()
        before = self.viewer.scene_view
        if source is None:
            self.viewer.reload()
        else:
            self.viewer._load(Source(str(source), **of_source))
        self.until(lambda: self.viewer.scene_view is not before)
        shadows = self.start_options.shadows
        for name, value in vars(Options(shadows=shadows)).items():
            setattr(self.options, name, value)
        self.quick()
        self.scene_view.look_as_said()
        self.settle()
        self.viewer.notice.clear()
        self.player.running = True

    def focus(self) -> None:
        """Give the window the keys; there is no window manager that would."""
        self.until(lambda: take_focus(self.window))

    def _listen(self, name: str) -> None:
        own = getattr(self.window, name, None)

        def listener(*arguments: object) -> object:
            answer = own(*arguments) if own else None
            self._heard.append(name)
            return answer

        setattr(self.window, name, listener)

    def quick(self) -> None:
        """Let no search be cut short, however slow the machine."""
        self.player.budget = _ENOUGH

    # --- What there is ---

    @property
    def scene_view(self):
        return self.viewer.scene_view

    @property
    def player(self):
        return self.viewer.scene_view.player

    @property
    def options(self):
        return self.viewer.options

    @property
    def camera(self):
        return self.viewer.scene_view.camera

    @property
    def said(self) -> str:
        """What the notice says."""
        ear = _Ear()
        self.viewer.notice.draw(ear)
        return "\n".join(ear.heard)

    @property
    def words(self) -> set[str]:
        """All that is written in the window."""
        self.frame()
        return {said.text for said in self.viewer.overlay._texts}

    @property
    def state(self) -> tuple[float, bytes, bytes]:
        """Time, places and velocities, to the last bit."""
        snapshot = self.player.snapshot
        return snapshot.time, snapshot.position.tobytes(), snapshot.velocity.tobytes()

    # --- Time ---

    def frame(self, seconds: float = 0.0) -> None:
        """One frame: what was done is heard, some time passes, a picture is shown."""
        if self._hear(seconds):
            self.viewer.draw()
            self.window.flip()

    def _hear(self, seconds: float) -> bool:
        """Hear what was done, and let time pass; whether there still is a window."""
        if self.window.context is None:
            return False
        self.window.switch_to()
        self.window.dispatch_events()
        if self.window.context is None:  # that closed it
            return False
        self.viewer.update(seconds)
        return not self.viewer._closing

    def frames(self, count: int, seconds: float = 0.02) -> None:
        for _ in range(count):
            self.frame(seconds)

    def pass_time(self, count: int, seconds: float = 0.02) -> None:
        """As many frames, without drawing any: for what does not depend on a picture."""
        for _ in range(count):
            self._hear(seconds)

    def until(self, condition: Callable[[], bool], seconds: float = 0.0) -> None:
        """Let time pass until something is so."""
        deadline = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < deadline, "it never happens"
            self._hear(seconds)
            time.sleep(0.001)

    def settle(self) -> None:
        """Let the camera come to rest, and searches end, while no time passes."""
        self.until(lambda: not self.player.seeking)
        snapshot = self.player.snapshot
        for _ in range(2):
            places = (snapshot.position, snapshot.velocity, snapshot.world.radius)
            self.camera.update(10.0, *places)

    def go_to(self, when: float) -> None:
        """Be at a time, standing still, by the program's own way."""
        self.viewer.seek(when)
        self.until(lambda: not self.player.seeking)

    # --- Hands ---

    def press(self, *chords: str) -> None:
        """Press keys, such as "n" or "shift+n", and wait till they were heard."""
        for chord in chords:
            self.until(lambda: not self.viewer.is_compiling)  # meanwhile keys are not heard
            self._do("on_key_release", chord.count("+") + 1, "key", chord)

    def hold(self, *keys: str, seconds: float = 0.3, frames: int = 6) -> None:
        """Hold keys down while time passes for the camera."""
        for key in keys:
            xdotool("keydown", key)
        self.until(lambda: len(self.window._held) == len(keys))
        self.pass_time(frames, seconds / frames)
        for key in reversed(keys):
            self._do("on_key_release", 1, "keyup", key)

    def point(self, x: float, y: float) -> None:
        """Move the mouse to a place in the window, from its lower left corner."""
        here = xdotool("getmouselocation").split()[:2]
        there = self._on_screen(x, y)
        if here != [f"x:{there[0]}", f"y:{there[1]}"]:
            xdotool("mousemove", *there)

    def click(self, x: float, y: float, button: int = 1) -> None:
        self.point(x, y)
        self._do("on_mouse_release", 1, "click", button)

    def wheel(self, x: float, y: float, notches: int) -> None:
        """Turn the wheel: away from oneself is positive."""
        self.point(x, y)
        for _ in range(abs(notches)):
            self._do("on_mouse_scroll", 1, "click", 4 if notches > 0 else 5)

    def drag(self, *places: tuple[float, float], button: int = 1) -> None:
        """Press at the first place, and let go at the last."""
        self.point(*places[0])
        self._do("on_mouse_press", 1, "mousedown", button)
        for place in places[1:]:
            self._do("on_mouse_drag", 1, "mousemove", *self._on_screen(*place))
        self._do("on_mouse_release", 1, "mouseup", button)

    def _on_screen(self, x: float, y: float) -> tuple[int, int]:
        left, top = self.window.get_location()
        return round(left + x), round(top + self.window.height - y)

    def _do(self, event: str, count: int, *arguments: object) -> None:
        before = self._heard.count(event)
        xdotool(*arguments)
        self.until(
            lambda: self._heard.count(event) >= before + count or self.window.context is None
        )

    def on_screen(self, point) -> tuple[float, float]:
        """Where in the window a point of the world is."""
        import numpy as np

        width, height = self.window.width, self.window.height
        view, projection = self.camera.matrices(width / height)
        units = self.scene_view.stage.to_units(np.asarray(point, dtype=np.float64))
        x, y, _, w = projection @ view @ np.append(units, 1.0)
        return 0.5 * width * (1.0 + x / w), 0.5 * height * (1.0 + y / w)

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of what panels leave free in the window, where the camera's target is."""
        x, y = self.camera.area.centre
        return 0.5 * self.window.width * (1.0 + x), 0.5 * self.window.height * (1.0 + y)

    def pixels(self, *points: float) -> tuple[float, ...]:
        """Lengths in points of the overlay as pixels of the window."""
        factor = self.window.pixel_ratio / self.window.pixels_per_unit
        return tuple(factor * point for point in points)

    # --- Pictures ---

    def captured(self):
        """The pixels that F12 writes, (height, width, 3)."""
        self.window.switch_to()
        return self.viewer._canvas.capture(self.scene_view)

    def seen(self):
        """The pixels of the window but for figures of the wall clock."""
        self.window.switch_to()
        self.viewer.rates.rows = dict
        return self.viewer._canvas.draw(self.scene_view, self.viewer._draw_over).read()

    def close(self) -> None:
        if self.window.context is not None:
            self.viewer.close()


def read_png(path: Path):
    """Pixels (height, width, 3), the top row first."""
    import numpy as np
    from pyglet.image.codecs.png import PNGImageDecoder

    with Path(path).open("rb") as file:
        image = PNGImageDecoder().decode(str(path), file)
    data = image.get_data("RGB", -3 * image.width)
    return np.frombuffer(data, np.uint8).reshape(image.height, image.width, 3)


def write_small_png(path: Path, pixels) -> None:
    """Pixels (height, width, 3) as a PNG, in steps of 3, without what dithers the background."""
    import numpy as np

    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = ((pixels.astype(np.int16) + 1) // 3 * 3).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    Path(path).write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in chunks
        )
    )
