"""Chromium without a window, driven by its own protocol (the DevTools protocol) from a test."""

import base64
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.request import urlopen

import pytest
from websockets.sync.client import ClientConnection, connect

_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # tests run as root, where its own is not to be had
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-port=0",
)
_PATIENCE = 60.0


def need_chromium() -> str:
    """The program; without it a test is skipped, or fails where it must be there."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        if os.environ.get("SPHERESIM_NEEDS_CHROMIUM"):
            pytest.fail("Chromium is missing (Debian: apt install chromium)")
        pytest.skip("Chromium is not installed")
    return program


class Tab:
    """One page of the browser. messages: what it wrote to the console, and uncaught faults."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count()
        self.messages: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """Send a command, and return what comes back."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        until = monotonic() + _PATIENCE
        while True:
            message = json.loads(self._socket.recv(timeout=until - monotonic()))
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]
            self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        if message["method"] == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(a.get("value")) for a in params["args"]))
        elif message["method"] == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(params["exceptionDetails"]))
        elif message["method"] == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif message["method"] == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, file: Path) -> None:
        """Open a page from a file, and wait until it can be used."""
        self.messages.clear()
        self.requests.clear()
        self.send("Page.navigate", url=file.as_uri())
        until = monotonic() + _PATIENCE
        while self.run("document.readyState") != "complete" and monotonic() < until:
            pass
        assert self.run("typeof spheresim") == "object", self.messages
        self.run("spheresim.ready")

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript; a promise is waited for."""
        answer = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def size(self, width: int, height: int, phone: bool = False) -> None:
        """Pretend to be a screen of a size in points."""
        ratio = 2 if phone else 1
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=ratio,
            mobile=phone,
        )
        self.send("Emulation.setTouchEmulationEnabled", enabled=phone)

    def picture(self) -> bytes:
        """What is seen, as a PNG."""
        answer = self.send("Page.captureScreenshot", format="png")
        return base64.b64decode(answer["data"])

    def text(self, selector: str) -> str:
        """What is written in an element."""
        return str(self.run(f"document.querySelector({selector!r}).innerText"))

    def frames(self, count: int = 2) -> None:
        """Wait for some pictures to be drawn."""
        wait = "new Promise((done) => requestAnimationFrame(done))"
        for _ in range(count):
            self.run(wait)

    def press(self, key: str, shift: bool = False) -> None:
        """Press a key and let it go."""
        modifiers = 8 if shift else 0
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers, **text)
            text = {}

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Press ("mousePressed"), move or release the left button."""
        given = {"button": "left", "clickCount": 1, **more}
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **given)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        """Put fingers down ("touchStart"), move them, or take them up ("touchEnd")."""
        fingers = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        self.send("Input.dispatchTouchEvent", type=kind, touchPoints=fingers)

    def middle(self, selector: str) -> tuple[float, float]:
        """The middle of an element, in points of the page."""
        x, y = self.run(
            f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        return x, y

    def click(self, selector: str) -> None:
        """Click the middle of an element."""
        place = self.middle(selector)
        self.mouse("mousePressed", *place)
        self.mouse("mouseReleased", *place)


@contextmanager
def browser(folder: Path) -> Iterator[Tab]:
    """A browser with one tab, that ends with the `with` block. folder: for its profile."""
    arguments = [need_chromium(), *_ARGUMENTS, f"--user-data-dir={folder}", "about:blank"]
    # What it says goes nowhere: a pipe that nobody reads would fill, and stop it.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(arguments, **quiet) as process:
        try:
            with connect(_address(folder / "DevToolsActivePort"), max_size=None) as socket:
                yield Tab(socket)
        finally:
            process.terminate()


def _address(port_file: Path) -> str:
    """Where the tab listens, which the browser writes into its profile when it does."""
    until = monotonic() + _PATIENCE
    while not (port_file.exists() and port_file.read_text().count("\n")):
        assert monotonic() < until, "Chromium does not start"
        sleep(0.05)
    port = port_file.read_text().split()[0]
    with urlopen(f"http://127.0.0.1:{port}/json/list", timeout=_PATIENCE) as answer:
        pages = json.load(answer)
    return str(next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"))
