"""Pictures of pages in a real browser, held against golden ones, and what they say beside them."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import Tab, browser
from spheresim_viewer import page

from spheresim.scene import load_scene

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

PIXELS = """new Promise((done) => requestAnimationFrame(() => {
  const from = document.querySelector("#picture");
  const to = document.createElement("canvas");
  [to.width, to.height] = [from.width, from.height];
  const context = to.getContext("2d");
  context.drawImage(from, 0, 0);
  const bytes = context.getImageData(0, 0, to.width, to.height).data;
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  done([to.width, to.height, btoa(text)]);
}))"""
"""What the page has just drawn: its own callback of this frame came before this one."""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as tab:
        tab.size(400, 480)
        yield tab


PAUSE = """(() => {
  const run = document.querySelector("#run");
  if (run.ariaLabel === "Pause") run.click();
})()"""
"""Looks and clicks within one frame: a short run may end, and a click would start it again."""


def pause_at(tab: Tab, file: Path, time: float) -> None:
    """Open a page, and show a time of it."""
    tab.open(file)
    tab.frames(1)  # the button says "Run" until the first picture is drawn
    tab.run(PAUSE)
    tab.run(f"spheresim.go({time!r})")
    tab.frames()
    assert tab.run("[document.querySelector('#run').ariaLabel, spheresim.time]") == ["Run", time]


def pixels_of(tab: Tab, time: float) -> Any:
    """The balls at a time, without what stands beside them: (height, width, 3)."""
    width, height, text = tab.run(f"(spheresim.go({time!r}), {PIXELS})")
    bytes_ = np.frombuffer(base64.b64decode(text), np.uint8)
    return bytes_.reshape(height, width, 4)[:, :, :3]


@pytest.mark.parametrize(
    ("scene", "duration", "keys"),
    [
        ("magic_room", 60.0, "l"),
        ("rough_billiard", 2.0, ""),  # the marks on balls that spin
        # The rim and the near side of what balls are inside of, offset primitives, and arrows
        ("drum", 8.0, "ov"),
    ],
)
def test_pictures_are_the_golden_ones(
    tab: Tab,
    tmp_path: Path,
    screen: str,
    compare: Callable[[str, Any], None],
    scene: str,
    duration: float,
    keys: str,
) -> None:
    page(load_scene(scene, duration=duration), tmp_path / "scene.html")
    pause_at(tab, tmp_path / "scene.html", 0.0)
    for key in keys:
        tab.press(key)
    compare(f"page-{scene}", pixels_of(tab, 0.75 * duration))
    assert tab.messages == []


def test_without_a_graphics_card_a_lamp_casts_shadows_only_when_asked(
    tab: Tab, tmp_path: Path
) -> None:
    page(load_scene("two_balls", duration=2.0), tmp_path / "balls.html")
    pause_at(tab, tmp_path / "balls.html", 0.0)
    assert tab.run("document.querySelector('#shadows').ariaPressed") == "false"
    before = tab.picture()
    tab.click("#shadows")
    tab.frames()
    assert tab.run("document.querySelector('#shadows').ariaPressed") == "true"
    assert tab.picture() != before


def test_a_page_looks_as_the_scene_says(tab: Tab, tmp_path: Path) -> None:
    scene = tmp_path / "watched.toml"
    scene.write_text("""
duration = 4
[view]
camera = [0, 1, 30]
follow = "one"
trails = true
end = "loop"
caption = "Seen <from> afar"
counter = true
counts = { low = [-1, 0, -1], high = [1, 4, 1], cells = [1, 2, 1] }
[[plane]]
point = [0, 0, 0]
normal = [0, 1, 0]
[[ball]]
name = "one"
position = [0, 2, 0]
velocity = [0, -1, 0]
radius = 0.5
""")
    page(scene, tmp_path / "watched.html")
    pause_at(tab, tmp_path / "watched.html", 3.0)
    assert tab.text("#caption") == "Seen <from> afar"
    assert tab.text("#counter") == "1"
    assert counts_at(tab, 0.0) == ["0", "1"]  # the ball starts on the face between the two cells
    assert counts_at(tab, 1.2) == ["1", "0"]
    tab.run("spheresim.go(3.0)")
    assert tab.run("document.querySelector('#trails').ariaPressed") == "true"
    assert tab.run("document.querySelector('#follow').ariaPressed") == "true"
    tab.run("spheresim.go(3.999)")
    tab.press(" ")
    while tab.run("spheresim.time") > 3.0:  # until it has begun again
        tab.frames(1)
    assert tab.run("document.querySelector('#run').ariaLabel") == "Pause"
    tab.press(" ")


def counts_at(tab: Tab, time: float) -> list[str]:
    """What is written over the cells at a time."""
    tab.run(f"spheresim.go({time!r})")
    tab.frames()
    return tab.text("#counts").split()


def test_who_rests_is_told_and_colored(tab: Tab, tmp_path: Path) -> None:
    page("bouncing_ball", tmp_path / "run.html")
    pause_at(tab, tmp_path / "run.html", 0.0)
    tab.press(".")
    for key in "cccc":
        tab.press(key)
    tab.frames()
    assert "flying" in tab.text("#ball")
    assert "grey: rests" in tab.text("#scale")
    tab.run("spheresim.go(9.9)")
    tab.frames()
    assert "resting" in tab.text("#ball")


def heap(tab: Tab) -> int:
    """Bytes that are in use once what nobody needs is gone."""
    tab.send("HeapProfiler.collectGarbage")
    return int(tab.send("Runtime.getHeapUsage")["usedSize"])


def test_playing_takes_no_more_memory(tab: Tab, tmp_path: Path) -> None:
    played = play_for(tab, tmp_path, 6, lambda: tab.frames(15))
    # What the browser compiles it keeps for a while; what leaks is there at all times.
    assert min(played[4:]) - min(played[:4]) < 1_000_000


@pytest.mark.study
def test_playing_for_a_minute_takes_no_more_memory(tab: Tab, tmp_path: Path) -> None:
    ten_seconds = "new Promise((done) => setTimeout(done, 10000))"
    played = play_for(tab, tmp_path, 6, lambda: tab.run(ten_seconds))
    print(f"bytes in use every ten seconds: {played}")
    assert played[-1] - played[2] < 100_000  # at first the browser keeps what it has compiled


def play_for(tab: Tab, folder: Path, times: int, wait: Callable[[], object]) -> list[int]:
    """Play with everything shown: the memory in use after a start, and after each wait."""
    page(load_scene("magic_room", duration=300.0), folder / "room.html")
    pause_at(tab, folder / "room.html", 0.0)
    for key in "tvp":
        tab.press(key)
    tab.press(" ")
    tab.frames(15)
    used = [heap(tab)]
    for _ in range(times):
        wait()
        used.append(heap(tab))
    assert tab.messages == []
    return used
