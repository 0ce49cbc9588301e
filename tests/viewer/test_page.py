"""The page of a run in a real browser: what it shows, and what it does when it is used."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from chromium import Tab, browser
from command_line import wait_until
from spheresim_viewer import page

from spheresim import Ball, Plane, Run, Simulation

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as tab:
        tab.size(720, 540)
        yield tab


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "room"
    Simulation.load("magic_room").save(folder, until=600, frame_every=6.0)
    return Run.load(folder)


@pytest.fixture(scope="module")
def room_page(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("pages") / "room.html"
    page(run, file)
    return file


@pytest.fixture
def opened(tab: Tab, room_page: Path) -> Iterator[Tab]:
    """The tutorial's room, paused at the start; it must not say anything to the console."""
    tab.open(room_page)
    tab.press(" ")
    tab.run("spheresim.go(0)")
    tab.frames()
    yield tab
    assert tab.messages == []
    assert [url for url in tab.requests if not url.startswith("file:")] == []


def positions(tab: Tab, time: float) -> np.ndarray:
    return np.reshape(tab.run(f"Array.from(spheresim.at({time!r}).position)"), (-1, 3))


def furthest_off(tab: Tab, run: Run, count: int) -> float:
    """By how much the page misses the run at random times, in parts of the room."""
    times = np.random.default_rng(1).uniform(0.0, float(run.replay.times[-1]), count).tolist()
    room = float(np.ptp(np.concatenate([run.at(t).position for t in times]), axis=0).max())
    return max(float(np.abs(positions(tab, t) - run.at(t).position).max()) for t in times) / room


def test_balls_are_where_the_run_has_them(opened: Tab, run: Run) -> None:
    assert furthest_off(opened, run, 1000) < 1e-9
    assert opened.run("spheresim.impacts") == run.info["impacts"]


def shown(tab: Tab, folder: Path, simulation: Simulation, **of_run: float) -> Run:
    """A run of a simulation, which a tab shows."""
    simulation.save(folder / "run", **of_run)
    run = Run.load(folder / "run")
    page(run, folder / "run.html")
    tab.open(folder / "run.html")
    return run


@pytest.mark.parametrize(
    ("scene", "part", "frame_every"),
    [
        ("slope", 0.25, None),
        ("bouncing_ball", 0.25, None),
        ("newtons_cradle", 0.25, None),
        ("lorentz_gas", 0.25, None),
        # Balls that push each other: flights that are made up for, and ways from frame to frame.
        ("pile", 0.1, 0.05),
    ],
)
def test_balls_that_rest_slide_push_and_cross_periodic_boxes(
    tab: Tab, tmp_path: Path, scene: str, part: float, frame_every: float | None
) -> None:
    simulation = Simulation.load(scene)
    assert simulation.scene is not None
    every = {} if frame_every is None else {"frame_every": frame_every}
    run = shown(tab, tmp_path, simulation, until=part * simulation.scene.duration, **every)
    assert furthest_off(tab, run, 100) < 1e-9
    assert tab.messages == []


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("own", ["[trap]\nfrequency = 2\ncentre = [0, 0.5, 0]", ""])
def test_balls_in_a_field(tab: Tab, tmp_path: Path, own: str, engine: str) -> None:
    pulled = "" if own else "acceleration = [-2, 0.5, 0]\n"
    (tmp_path / "field.toml").write_text(
        f"duration = 3\nframe_every = 0.5\ngravity = [0, -1, 0]\n{own}\n"
        f"[[plane]]\npoint = [0, -1, 0]\nnormal = [0, 1, 0]\n"
        f"[[ball]]\nposition = [1, 0, 0]\nvelocity = [0, 0.5, 0]\nradius = 0.1\n{pulled}"
        "[[ball]]\nposition = [-1, 0, 0]\nvelocity = [0, 0.5, 0.1]\nradius = 0.2\nmass = 2\n"
    )
    simulation = Simulation.load(tmp_path / "field.toml", engine=engine)
    run = shown(tab, tmp_path, simulation, until=3.0, frame_every=0.5)
    assert run.info["impacts"] > 0
    assert furthest_off(tab, run, 100) < 1e-9
    for k, t in enumerate(run.replay.times.tolist()):  # at frames velocities, too, are recorded
        found = np.reshape(tab.run(f"Array.from(spheresim.at({t!r}).velocity)"), (-1, 3))
        rows = run.frames[2 * k : 2 * k + 2]
        assert np.abs(found - np.stack([rows.vx, rows.vy, rows.vz], axis=1)).max() < 1e-9
    assert tab.messages == []


def test_the_page_of_a_simulation_begins_at_its_time(tab: Tab, tmp_path: Path) -> None:
    simulation = Simulation(
        [Ball((0, 0, 0), (1, 0, 0), radius=0.5)], [Plane((6, 0, 0), (-1, 0, 0))], step=0.01
    )
    simulation.run(until=2.0)
    page(simulation, tmp_path / "late.html")
    tab.open(tmp_path / "late.html")
    tab.press(" ")
    assert (tab.run("spheresim.begins"), tab.run("spheresim.duration")) == (2.0, 10.0)
    tab.run("spheresim.go(4.5)")
    tab.frames()
    assert tab.run("spheresim.time") == 4.5
    assert "4.5" in tab.text("#clock")
    assert positions(tab, 4.5)[0, 0] == pytest.approx(4.5)
    tab.press("n")
    tab.frames()
    assert "5.5" in tab.text("#impact")
    assert tab.messages == []


def test_sliding_in_a_tube_goes_along_curves(tab: Tab, tmp_path: Path) -> None:
    run = shown(tab, tmp_path, Simulation.load("tube_slide"), until=1.0, frame_every=0.1)
    assert furthest_off(tab, run, 50) < 1e-9
    tab.press("?")
    assert "curves" in tab.text("#about")


@pytest.mark.study
def test_a_large_gas_is_a_small_page(tab: Tab, tmp_path: Path) -> None:
    """1000 balls and 100,000 impacts: below 6 MB, as exact as any."""
    run = shown(tab, tmp_path, Simulation.load("gas_in_a_box"), until=73.0, frame_every=3.65)
    assert tab.run("spheresim.impacts") > 100_000
    assert (tmp_path / "run.html").stat().st_size < 6_000_000
    assert furthest_off(tab, run, 10) < 1e-9


def test_impacts_are_stepped_to_and_their_numbers_shown(opened: Tab, run: Run) -> None:
    rows = run.impacts[np.isin(run.impacts.kind, ("ball", "obstacle"))]
    for row in rows[:3]:
        opened.press("n")
        opened.frames()
        assert opened.run("spheresim.time") == pytest.approx(float(row.t), rel=1e-12)
    shown = opened.text("#impact")
    for name in ("vn_before", "vn_after", "impulse"):
        assert f"{row[name]:.6g}".replace("-", "−") in shown
    opened.press("N", shift=True)
    opened.frames()
    assert opened.run("spheresim.time") == pytest.approx(float(rows[1].t), rel=1e-12)
    opened.click("#next")
    opened.frames()
    assert opened.run("spheresim.time") == pytest.approx(float(rows[2].t), rel=1e-12)


def test_time_runs_either_way_and_stops_at_ends(opened: Tab) -> None:
    opened.click("#run")
    opened.frames(5)
    opened.click("#run")
    reached = opened.run("spheresim.time")
    assert reached > 0.0
    opened.press("z")
    for _ in range(100):
        if opened.run("spheresim.time") > 0.0:
            opened.frames(3)
    assert opened.run("spheresim.time") == 0.0


def test_the_line_goes_to_any_moment(opened: Tab) -> None:
    left, top, wide = opened.run(
        "(() => { const r = document.querySelector('#time').getBoundingClientRect();"
        "return [r.x, r.y + r.height / 2, r.width]; })()"
    )
    opened.mouse("mousePressed", left + 0.5 * wide, top)
    opened.mouse("mouseMoved", left + 0.75 * wide, top)
    opened.mouse("mouseReleased", left + 0.75 * wide, top)
    opened.frames()
    assert opened.run("spheresim.time") == pytest.approx(450.0, rel=0.02)
    assert f"{opened.run('spheresim.time'):.1f}" in opened.text("#clock")


def test_mouse_and_fingers_turn_and_zoom_the_picture(opened: Tab) -> None:
    def after(work: Callable[[], None]) -> bytes:
        work()
        before = b""
        while before != (now := opened.picture()):  # until the camera has come to rest
            before = now
            opened.frames(3)
        return now

    def drag() -> None:
        opened.mouse("mousePressed", 400, 100)
        opened.mouse("mouseMoved", 480, 130)
        opened.mouse("mouseReleased", 480, 130)

    def swipe() -> None:
        opened.touch("touchStart", (400, 100))
        opened.touch("touchMove", (330, 120))
        opened.touch("touchEnd")

    def pinch() -> None:
        opened.touch("touchStart", (300, 150), (400, 150))
        opened.touch("touchMove", (250, 150), (450, 150))
        opened.touch("touchEnd")

    opened.click("#picture")  # which has the keyboard from now on
    opened.press("Home")
    pictures = [after(work) for work in (lambda: None, drag, swipe, pinch)]
    assert len(set(pictures)) == 4
    opened.press("Home")
    assert after(lambda: None) == pictures[0]


def test_a_ball_is_picked_and_followed(opened: Tab) -> None:
    opened.press(".")
    opened.frames()
    assert "speed" in opened.text("#ball")
    opened.click("#follow")
    assert opened.run("document.querySelector('#follow').ariaPressed") == "true"
    opened.press("Escape")
    opened.frames()
    assert opened.run("document.querySelector('#ball').hidden")


def test_an_impact_is_marked_and_looked_at(opened: Tab) -> None:
    """The ball at the pillar is outlined in orange, and a button brings the eye near to it."""
    orange = """(() => {
      const from = document.querySelector("#picture"), to = document.createElement("canvas");
      [to.width, to.height] = [from.width, from.height];
      const context = to.getContext("2d");
      context.drawImage(from, 0, 0);
      const bytes = context.getImageData(0, 0, to.width, to.height).data;
      let count = 0;
      for (let k = 0; k < bytes.length; k += 4)
        if (bytes[k] > 200 && Math.abs(bytes[k + 1] - 80) < 25 && bytes[k + 2] < 40) count++;
      return count;
    })()"""
    # What is drawn can be read in the frame in which it is drawn, so a picture is asked for first.
    count = f"""(window.dispatchEvent(new Event("resize")),
      new Promise((done) => requestAnimationFrame(() => done({orange}))))"""
    assert opened.run(count) == 0
    opened.press("n")
    opened.frames(10)
    opened.click("#look")
    wait_until(lambda: opened.run(count) > 100)  # the eye takes its time to get there


def test_of_numbers_of_balls_that_would_overlap_the_largest_is_shown(
    tab: Tab, tmp_path: Path
) -> None:
    (tmp_path / "row.toml").write_text(
        "duration = 1\n[view]\n"
        "counts = { low = [-4, 0, -1], high = [4, 1, 1], cells = [40, 1, 1] }\n"
        + "".join(f"[[ball]]\nposition = [{x}, 0.5, 0]\nradius = 0.01\n" for x in (-3.9, 0.9, 3.9))
    )
    page(tmp_path / "row.toml", tmp_path / "row.html")
    tab.open(tmp_path / "row.html")
    tab.frames(5)
    labels = tab.run(
        "Array.from(document.querySelectorAll('#counts span:not([hidden])'), (label) => {"
        "const box = label.getBoundingClientRect();"
        "return [label.textContent, box.left, box.right, box.top, box.bottom]; })"
    )
    assert [words for words, *_ in labels].count("1") == 3
    assert 3 < len(labels) < 40
    for k, (_, left, right, top, bottom) in enumerate(labels):
        for _, left2, right2, top2, bottom2 in labels[k + 1 :]:
            across = min(right, right2) - max(left, left2)
            upwards = min(bottom, bottom2) - max(top, top2)
            assert across <= 8 or upwards <= 9  # plates may overlap a little
    assert tab.messages == []


def test_what_is_shown_is_switched(opened: Tab) -> None:
    opened.run("spheresim.go(100)")
    opened.frames()
    pictures = [opened.picture()]
    for key in "tvopc":
        opened.press(key)
        opened.frames()
        pictures.append(opened.picture())
    assert len(set(pictures)) == len(pictures)


def test_what_a_scene_says_stays_text(tab: Tab, tmp_path: Path) -> None:
    evil = "</title></script><script>document.title='struck'</script><img src=x onerror=alert(1)>"
    scene = tmp_path / "evil.toml"
    name = evil.replace("'", "\\u0027")
    scene.write_text(
        f'# {evil}\ntitle = "{name}"\nduration = 1\n'
        f'[[plane]]\nname = "{name} floor"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n'
        f'[[ball]]\nname = "{name} ball"\nposition = [0, 1, 0]\n'
        "velocity = [0, -3, 0]\nradius = 0.5\n"
    )
    page(scene, tmp_path / "evil.html")
    tab.open(tmp_path / "evil.html")
    tab.press("n")
    tab.press(".")
    tab.frames()
    assert evil in tab.text("#ball")
    assert tab.run("document.title") == evil
    assert tab.run("document.images.length") == 0
    assert tab.messages == []


def test_a_page_reaches_no_network(opened: Tab) -> None:
    policy = opened.run("document.querySelector('meta[http-equiv]').content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    answer = opened.run("fetch('http://127.0.0.1:9/').catch((fault) => fault.name)")
    assert answer == "TypeError"
    opened.messages.clear()  # the browser says that the policy forbade it


def test_a_page_is_small(room_page: Path) -> None:
    assert room_page.stat().st_size < 300_000


def test_a_simulation_shows_itself_in_a_frame(tab: Tab, tmp_path: Path) -> None:
    floor = Plane((0, 0, 0), (0, 1, 0))
    simulation = Simulation([Ball((0, 1, 0), (0, -2, 0), radius=0.5)], [floor], step=0.01)
    shown = simulation._repr_html_()
    assert shown is not None
    assert 'sandbox="allow-scripts"' in shown
    assert "notebook is trusted" in shown  # which Jupyter leaves where it takes frames away
    assert simulation.time == 0.0
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><script>spheresim = {{}}</script>{shown}", encoding="utf-8")
    tab.open(file)
    tab.frames(3)
    assert tab.messages == []


def test_without_webgl_it_says_so(tab: Tab, room_page: Path) -> None:
    script = "HTMLCanvasElement.prototype.getContext = () => null"
    number = tab.send("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
    tab.open(room_page)
    assert "WebGL 2" in tab.text("#notice")
    assert tab.messages == []
    tab.send("Page.removeScriptToEvaluateOnNewDocument", identifier=number)
