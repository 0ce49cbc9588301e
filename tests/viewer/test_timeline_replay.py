"""A finished run is played like a running one: the same states, the same impacts."""

import json

import numpy as np
import pytest
from one_sentence import told
from spheresim_viewer.timeline import Change, play_run
from spheresim_viewer.timeline.replay import Replay
from timelines import (
    arrive,
    box_player,
    boxed,
    run_files,
    step,
    to_next_impact,
    to_previous_impact,
)

from spheresim import Run
from spheresim.record.files_and_columns import RunError


@pytest.fixture
def run_folder(folder):
    run_files(boxed().path, 7.1, folder / "run")  # 50 frames of .14, and one of .1
    return folder / "run"


@pytest.fixture
def player(run_folder):
    return play_run(Run.load(run_folder))


def test_without_impacts_balls_go_along_the_lines_between_frames(folder):
    run_files(boxed().path, 7.1, folder / "run", events=False)
    player = play_run(Run.load(folder / "run"))
    here, middle, there = (
        (arrive(player, time), player.snapshot.position.copy())[1] for time in (1.4, 1.47, 1.54)
    )
    way = there - here
    assert np.cross(middle - here, way) == pytest.approx(0.0, abs=1e-9)
    past = ((middle - here) * way).sum(axis=1) / (way**2).sum(axis=1)
    assert ((past > 0.0) & (past < 1.0)).all()


@pytest.mark.parametrize("events", [True, False])
def test_the_number_of_impacts_is_shown_only_if_they_were_recorded(folder, events, screen):
    from spheresim_viewer.hud.readouts import impacts_in_words  # it needs a display

    run_files(boxed().path, 7.1, folder / "run", events=events)
    player = play_run(Run.load(folder / "run"))
    arrive(player, 7.1)
    until = Run.load(folder / "run").info["impacts"]
    assert impacts_in_words(player) == (str(until) if events else "not recorded")
    player.change(Change(velocity={0: (0, 0, 1)}))
    assert player.segments.has_all_impacts == events


def test_at_its_frames_and_impacts_it_is_what_was_simulated(player):
    live = box_player()
    for k in range(51):
        for one in (player, live):
            arrive(one, k * 0.14)
        assert player.time == live.time
        assert player.snapshot.position.tobytes() == live.snapshot.position.tobytes()
        assert player.snapshot.velocity.tobytes() == live.snapshot.velocity.tobytes()
        assert player.snapshot.impacts == live.snapshot.impacts
        assert player.snapshot.energy_rows == live.snapshot.energy_rows
    for one in (player, live):
        one.restart()
    for _ in range(60):
        for one in (player, live):
            to_next_impact(one)
        assert player.time == live.time
        here = player.impacts_now()
        for mine, other in zip(here, live.impacts_now(), strict=True):
            assert mine.tobytes() == other.tobytes()
        touching = player.snapshot.position[here.i[0]]
        assert touching == pytest.approx(live.snapshot.position[here.i[0]], abs=1e-12)
        # In frames of two steps what flies free falls in parabolas, as nature would have it.
        assert player.snapshot.position == pytest.approx(live.snapshot.position, abs=0.01)
    for _ in range(59):
        to_previous_impact(player)
    assert player.time == np.unique(player.impacts_at(9.0, 10.0).t)[0]


@pytest.mark.parametrize("frame_every", [0.07, 0.14], ids=["one step", "two steps"])
def test_between_frames_balls_fly_as_the_engine_flew(folder, frame_every):
    path = boxed().path
    path.write_text(path.read_text().replace("frame_every = 0.14", f"frame_every = {frame_every}"))
    run_files(path, 2.8, folder / "run")
    player, live = play_run(Run.load(folder / "run")), box_player()
    for time in np.linspace(0.0, 2.8, 300):
        for one in (player, live):
            arrive(one, float(time))
        assert player.snapshot.position == pytest.approx(live.snapshot.position, abs=1e-12)
        assert player.snapshot.velocity == pytest.approx(live.snapshot.velocity, abs=1e-9)


def test_it_ends_with_the_last_frame_and_stops_there(player):
    player.speed = 1.0
    player.running = True
    for _ in range(100):
        player.update(0.1)
    assert (player.time, player.running, player.lagging) == (7.1, False, False)
    player.seek(100.0)
    assert player.time == player.furthest == 7.1
    step(player, 1)
    assert player.time == 7.1
    step(player, -1)
    assert player.time == 50 * 0.14
    to_next_impact(player)
    stop = player.time
    to_next_impact(player)
    to_next_impact(player)
    assert stop <= player.time <= 7.1
    assert len(player.series().T) == 52
    assert player.impact_counts(0.0, 7.1, 30).sum() == player.snapshot.impacts


def test_somebody_takes_hold_of_it_and_it_is_simulated_from_there(player):
    arrive(player, 1.4)
    player.change(Change(velocity={0: (0, 0, 0)}))
    assert player.segments.last == np.inf
    step(player, 3)
    assert player.time == 23 * 0.07
    arrive(player, 0.14)
    assert player.snapshot.playback.last == 51


def test_an_interrupted_run_ends_with_its_last_whole_frame(run_folder):
    frames = run_folder / "frames.csv"
    lines = frames.read_text().splitlines(keepends=True)
    frames.write_text("".join(lines[: 1 + 6 * 10 + 2]))
    player = play_run(Run.load(run_folder))
    assert player.furthest == player.segments.last == 9 * 0.14


def damage(folder, file, old, new):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (lambda f: (f / "events.csv").unlink(), "events.csv: No such file"),
        (lambda f: (f / "frames.csv").unlink(), "frames.csv: No such file"),
        (lambda f: damage(f, "events.csv", ",floor,", ",ceiling,"), "no obstacle 'ceiling'"),
        (lambda f: damage(f, "frames.csv", "\n3,0.42", "\n3,0.1"), "times do not increase"),
        (lambda f: damage(f, "frames.csv", ",5,", ",6,"), "not of the 6 balls"),
        (lambda f: damage(f, "events.csv", ",ball,0,2,", ",ball,0,22,"), "not of the 6 balls"),
    ],
)
def test_what_does_not_fit_together_is_said_in_a_sentence(run_folder, harm, sentence):
    harm(run_folder)
    told(lambda: Replay(Run.load(run_folder)), sentence, RunError)


@pytest.mark.filterwarnings("ignore:loadtxt")
def test_a_run_without_a_frame_is_none(run_folder):
    frames = run_folder / "frames.csv"
    frames.write_text(frames.read_text().splitlines(keepends=True)[0])
    with pytest.raises(RunError, match="holds no frame of 6 balls"):
        Replay(Run.load(run_folder))


def test_kinds_that_are_no_impacts_move_nobody(run_folder):
    text = (run_folder / "events.csv").read_text()
    at = text.index("\n") + 1
    (run_folder / "events.csv").write_text(
        text[:at] + "0,0.01,rest,0,,floor,9,9,9,0,1,0,0.0,0.0,0.0\n" + text[at:]
    )
    player, other = play_run(Run.load(run_folder)), box_player()
    for one in (player, other):
        arrive(one, 0.14)
    assert player.snapshot.position.tobytes() == other.snapshot.position.tobytes()
    assert json.loads((run_folder / "run.json").read_text())["engine"] == player.settings.engine
