"""Time in the window: steps, impacts, the time line; what is seen is what a run writes."""

import csv
import io

import numpy as np
import pytest
from timelines import run_files

pytestmark = pytest.mark.compiled_only


def impact_times(events: bytes) -> list[float]:
    return [float(row["t"]) for row in csv.DictReader(io.StringIO(events.decode()))]


def test_it_starts_running_at_the_beginning(open_desk):
    desk = open_desk("magic_room", size=(400, 300))
    assert desk.player.running
    desk.pass_time(3, 0.05)
    assert desk.player.time == pytest.approx(3 * 0.05 * 30.0)


def test_time_goes_on_by_the_clock_and_not_by_frames(open_desk):
    desk = open_desk("newtons_cradle", size=(400, 300))
    desk.pass_time(30, 0.01)
    desk.pass_time(3, 0.1)
    assert desk.player.time == pytest.approx(0.6 * 2.0)


def test_n_stops_exactly_at_each_impact_that_a_run_writes_and_shift_n_at_those_before(
    open_desk, tmp_path
):
    _, events = run_files("magic_room", 300.0, tmp_path / "run")
    times = sorted(set(impact_times(events)))
    desk = open_desk("magic_room", size=(400, 300))
    for t in times[:12]:
        desk.press("n")
        desk.until(lambda: not desk.player.seeking)
        assert desk.player.time == t
        assert not desk.player.running
    for t in reversed(times[:11]):
        desk.press("shift+n")
        desk.until(lambda: not desk.player.seeking)
        assert desk.player.time == t
    desk.press("shift+n")
    desk.until(lambda: not desk.player.seeking)
    assert desk.player.time <= times[0]


def test_the_mouse_scrubs_along_the_time_line(open_desk):
    desk = open_desk("magic_room")
    desk.press("space")
    desk.go_to(300.0)
    known = desk.state
    desk.go_to(600.0)
    line = desk.viewer.transport
    left, right, y = desk.pixels(line._left, line._left + line._width, 28)
    desk.drag((right, y), (right - 20, y), (0.5 * (left + right), y), (left, y))
    desk.until(lambda: not desk.player.seeking)
    assert desk.player.time == pytest.approx(0.0, abs=3.0)
    place = 0.5 * (left + right)
    desk.drag((left + 5, y), (left + 30, y), (place, y))
    desk.until(lambda: not desk.player.seeking)
    assert desk.player.time == pytest.approx(300.0, abs=3.0)
    assert not desk.player.running
    direction = desk.camera.direction.copy()
    desk.click(right, y)
    desk.until(lambda: not desk.player.seeking)
    assert desk.player.time == pytest.approx(600.0, abs=3.0)
    assert np.array_equal(desk.camera.direction, direction)
    desk.go_to(300.0)
    assert desk.state == known


def test_a_mark_on_the_line_is_clicked(open_desk):
    desk = open_desk("two_balls")
    desk.press("space")
    desk.go_to(6.0)
    desk.frame()
    line = desk.viewer.transport
    place = line._left + line._width * 3.4 / line._end
    desk.point(*desk.pixels(place, 42))
    desk.frame()
    assert any("an impact at t = 3." in words for words in desk.words)
    desk.camera.place(np.array((0.0, 0.0, 5.0)), np.array((0.0, 0.0, 9.0)))  # looks away
    desk.settle()
    desk.click(*desk.pixels(place, 42))
    desk.until(lambda: not desk.player.seeking)
    assert desk.player.time == pytest.approx(3.4, abs=1e-12)
    desk.frame()
    desk.settle()
    assert desk.scene_view.is_impact_in_sight


def test_a_search_for_an_impact_ends_with_a_word(open_desk):
    desk = open_desk("two_balls")
    desk.press("n")
    desk.until(lambda: not desk.player.seeking)
    for end in ("up to t = 8:", "up to t = 16:"):
        desk.press("n")
        desk.until(lambda: not desk.player.seeking)
        desk.frame()
        assert end in desk.said
    assert desk.player.time == pytest.approx(3.4, abs=1e-12)
    assert desk.viewer.transport._end == 8.0


@pytest.mark.parametrize(("end", "reached"), [("stop", 1.0), ("loop", None), ("go on", None)])
def test_at_the_scenes_end_time_does_what_its_view_says(open_desk, folder, end, reached):
    ball = "[[ball]]\nposition = [0, 0, 0]\nvelocity = [1, 0, 0]\nradius = 1\n"
    (folder / "end.toml").write_text(f'duration = 1\n[view]\nend = "{end}"\n{ball}')
    desk = open_desk(folder / "end.toml")
    desk.player.running = True
    times = []
    for _ in range(60):
        desk.pass_time(1, 0.05)
        times.append(desk.player.time)
    assert desk.player.running == (end != "stop")
    if reached is not None:
        assert desk.player.time == reached
        assert "ends here" in desk.said
        desk.press("space")
        desk.pass_time(5, 0.05)
        assert desk.player.time > reached
    elif end == "loop":
        assert max(times) <= 1.1
        assert any(np.diff(times) < 0.0)
    else:
        assert desk.player.time > 1.1


def test_scrubbing_while_it_runs_stops_it(open_desk):
    desk = open_desk("two_balls")
    desk.pass_time(10, 0.1)
    reached = desk.player.time
    line = desk.viewer.transport
    desk.click(*desk.pixels(line._left, 28))
    desk.until(lambda: not desk.player.seeking)
    assert not desk.player.running
    assert desk.player.time < 0.05 < reached


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("which", "check"),
    [
        (0, lambda d: d.player.time == 0.0),
        (1, lambda d: d.player.time == 99 * 0.6),
        (2, lambda d: d.player.running),
        (3, lambda d: d.player.time == 101 * 0.6),
        (4, lambda d: d.player.impacts_now().t.tolist() == [d.player.time]),
        (5, lambda d: d.player.speed == pytest.approx(15.0)),
        (6, lambda d: d.player.speed == pytest.approx(60.0)),
    ],
    ids=["restart", "back", "run", "step", "impact", "slower", "faster"],
)
def test_buttons_of_the_bar_are_clicked(reopen_desk, which, check):
    desk = reopen_desk("magic_room")
    desk.press("space")
    desk.go_to(60.0)
    desk.frame()
    assert not check(desk)
    x, y, width, height = desk.viewer.overlay.areas[which].box
    desk.click(*desk.pixels(x + 0.5 * width, y + 0.5 * height))
    desk.until(lambda: not desk.player.seeking)
    assert check(desk)


def test_a_caption_goes_when_it_has_been_read_and_comes_again_at_the_start(open_desk):
    desk = open_desk("two_balls", size=(640, 480))
    caption = desk.scene_view.scene.view.caption
    assert any(words and words in caption for words in desk.words if len(words) > 20)
    desk.pass_time(240, 0.1)
    assert not any(words in caption for words in desk.words if len(words) > 20)
    desk.press("BackSpace")
    desk.until(lambda: not desk.player.seeking)
    desk.press("space")
    desk.frame()
    assert any(words in caption for words in desk.words if len(words) > 20)
