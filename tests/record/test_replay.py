"""A run is a trajectory: its state at any time, from its frames and what happened between them."""

import signal
import sys
import warnings
from itertools import islice, product

import numpy as np
import pytest
from command_line import run, typed

from spheresim import Ball, Cuboid, Run, Simulation
from spheresim.commands.resample import frames_of
from spheresim.record.files_and_columns import RunError
from spheresim.record.write import RunWriter

GAS = """
duration = 2
[box]
[[fill]]
count = 60
radius = 0.5
packing_fraction = 0.2
temperature = 1
"""

FALLING = """
duration = 2
step = 0.01
gravity = [0, -9.81, 0]
restitution = 0.9
[[plane]]
point = [0, 0, 0]
normal = [0, 1, 0]
[[cylinder]]
point = [0, 0, 0]
axis = [0, 1, 0]
radius = 3
[[fill]]
count = 12
radius = 0.3
region = { low = [-2, 1, -2], high = [2, 4, 2] }
speed = 1
"""

RESTING = """
duration = 3
engine = "events"
gravity = [0, -10, 0]
restitution = 0.4
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 1, 0]
[[plane]]
name = "slope"
point = [0, 0, 0]
normal = [1, 2, 0]
[[ball]]
position = [3, 0.8, 0]
radius = 0.5
[[ball]]
position = [-2, 2.0, 0]
radius = 0.5
[[ball]]
position = [6, 2, 0]
velocity = [-2, 0, 0.1]
radius = 0.4
mass = 0.3
[[ball]]
position = [9.0, 3, 0]
radius = 0.5
[[ball]]
position = [20, 1, 0]
radius = 0.5
"""


@pytest.fixture(scope="module")
def gas(tmp_path_factory):
    """The folder of a gas and of a run of it, `out`, with a frame each unit of time."""
    folder = tmp_path_factory.mktemp("gas")
    (folder / "scene.toml").write_text(GAS)
    run(folder / "scene.toml", folder / "out", frame_every=1)
    return folder


@pytest.fixture(scope="module")
def resting(tmp_path_factory):
    """The folder of balls that come to rest and of a run of them in fixed steps, `out`."""
    folder = tmp_path_factory.mktemp("resting")
    (folder / "scene.toml").write_text(RESTING)
    run(folder / "scene.toml", folder / "out", engine="steps", frame_every=0.03)
    return folder


@pytest.mark.parametrize(
    ("scene", "options", "every"),
    [
        (GAS, {}, 0.02),
        (FALLING, {"engine": "steps"}, 0.01),
        (FALLING, {"engine": "events"}, 0.02),
        (RESTING, {}, 0.03),
    ],
)
def test_ten_times_as_many_frames_are_those_of_a_run_that_had_them(tmp_path, scene, options, every):
    (tmp_path / "scene.toml").write_text(scene)
    for name, between in (("few", 10 * every), ("many", every)):
        run(tmp_path / "scene.toml", tmp_path / name, frame_every=between, **options)
    told = typed("resample", "few", "--every", every, "--out", "new", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    many, new = Run.load(tmp_path / "many"), Run.load(tmp_path / "new")
    assert new.frames.t == pytest.approx(many.frames.t, rel=1e-14)
    for name in ("x", "y", "z", "vx", "vy", "vz"):
        size = max(1.0, np.abs(many.frames[name]).max())
        assert np.abs(new.frames[name] - many.frames[name]).max() < 1e-12 * size
    events = [(tmp_path / name / "events.csv").read_bytes() for name in ("few", "new")]
    assert events[0] == events[1]
    assert len(new.impacts) > 10
    if scene is RESTING:
        assert {"rest", "slide", "wake"} <= set(new.impacts.kind)


def test_any_time_between_two_frames_is_exact(gas):
    found, simulation = Run.load(gas / "out"), Simulation.load(gas / "scene.toml")
    for t in (0.0, 0.123, 0.9, 1.0, 1.77, 2.0):
        simulation.run(until=t)
        position, velocity = found.at(t)
        assert position == pytest.approx(simulation.position, abs=1e-13)
        assert velocity == pytest.approx(simulation.velocity, abs=1e-13)
    for t in (-0.1, 2.1, float("nan")):
        with pytest.raises(ValueError, match="t must be"):
            found.at(t)


TUBE = """
duration = 1
engine = "events"
gravity = [0, -10, 0]
restitution = 0.5
[[cylinder]]
point = [0, 0, 0]
axis = [0, 0, 1]
radius = 2
[[ball]]
position = [1.5, 0, 0]
radius = 0.5
[[ball]]
position = [-1, 0, 0.2]
radius = 0.5
[[ball]]
position = [0.2, 0, 0.1]
radius = 0.3
"""


@pytest.mark.compiled_only
def test_what_slides_and_is_pushed_is_exact_between_frames_too(tmp_path):
    """Slide steps and pushes are no impacts: the run tells these flights in a file of its own."""
    (tmp_path / "tube.toml").write_text(TUBE)
    run(tmp_path / "tube.toml", tmp_path / "few", frame_every=0.5)
    run(tmp_path / "tube.toml", tmp_path / "many", frame_every=0.01)
    told = typed("resample", "few", "--every", 0.01, "--out", "new", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    few, many, new = (Run.load(tmp_path / name) for name in ("few", "many", "new"))
    for name in ("x", "y", "z"):
        assert np.abs(new.frames[name] - many.frames[name]).max() < 1e-10
    assert len(few.flights.t) >= 3
    assert few.flights.numbers.tolist() == new.flights.numbers.tolist()
    assert new.at(0.123).position == pytest.approx(few.at(0.123).position, abs=1e-10)


def test_fixed_steps_with_contacts_that_last_go_straight_to_the_next_frame(resting):
    """Their pushes are no rows; the way between is near, has no jumps, and what lies lies still."""
    run(resting / "scene.toml", resting / "many", engine="steps", frame_every=0.01)
    few, many = Run.load(resting / "out"), Run.load(resting / "many")
    times = many.replay.times.tolist()
    there = np.array([many.at(t).position for t in times])
    found = np.array([few.at(t).position for t in times])
    assert np.abs(found - there).max() < 0.02
    for t in few.replay.times[1:].tolist():
        before, at_frame = few.at(np.nextafter(t, 0.0)), few.at(t)
        assert np.abs(before.position - at_frame.position).max() < 1e-10


def test_a_stretch_that_strays_is_counted_once_however_often_it_is_asked(resting):
    replay = Run.load(resting / "out").replay
    between = (replay.times[:-1] + 0.01).tolist()
    for t in between:
        replay.at(t)
    once = replay.strayed
    assert 0 < once < len(between)
    for t in reversed(between):
        replay.at(t)
    assert replay.strayed == once


@pytest.mark.compiled_only
@pytest.mark.cases(1)
@pytest.mark.parametrize("every", [1.0, 0.05])
def test_between_two_frames_nobody_leaves_the_room(tmp_path, every):
    places = product((-0.65, 0.0, 0.65), (-0.2, 0.5, 1.15), (-0.65, 0.0, 0.65))
    balls = [Ball(place, (3, -1, 0), radius=0.3, restitution=0.6) for place in places]
    room = Cuboid((0, 0, 0), (2, 3, 2))
    simulation = Simulation(balls, [room], (0, -10, 0), 0.002, "steps")
    simulation.save(tmp_path / "run", until=4.0, frame_every=every)
    found = Run.load(tmp_path / "run")
    for t in np.random.default_rng(1).uniform(0.0, 4.0, 200).tolist():
        position = found.at(t).position
        assert (np.abs(position) <= np.array([0.7, 1.2, 0.7]) + 1e-9).all()


def test_what_cannot_be_replayed_is_told(gas):
    run(gas / "scene.toml", gas / "silent", frame_every=1, events="none")
    with pytest.raises(RunError, match=r"holds 0 of \d+ impacts.*--events all"):
        Run.load(gas / "silent").at(0.5)
    for words, sentence in (
        (("--every", 0, "--out", "new"), "--every must be greater than 0"),
        (("--every", 1, "--out", "out", "--force"), "is the run itself"),
        (("--every", 1, "--out", "silent"), "holds a run already"),
    ):
        told = typed("resample", "out", *words, cwd=gas)
        assert told.returncode == 2
        assert sentence in told.stderr
        assert told.stderr.count("\n") == 1


def test_frames_are_made_one_by_one_however_many_there_are(gas):
    frames = frames_of(Run.load(gas / "out"), end=2.0, every=1e-12)
    assert [state.time[0] for state in islice(frames, 3)] == [0.0, 1e-12, 2e-12]


def test_a_resampled_run_opens_and_runs_again(tmp_path):
    (tmp_path / "scene.toml").write_text(RESTING)
    run(tmp_path / "scene.toml", tmp_path / "out", frame_every=1)
    typed("resample", "out", "--every", 0.25, "--out", "new", cwd=tmp_path)
    run(tmp_path / "new", tmp_path / "again")
    with warnings.catch_warnings(action="error"):
        new, again = Run.load(tmp_path / "new"), Run.load(tmp_path / "again")
    assert len(new.frames) == len(again.frames)
    assert new.contacts.tolist() == again.contacts.tolist()
    assert new.info["resampled_from"] == "out"


@pytest.mark.compiled_only
@pytest.mark.parametrize("left", [0, 20])
def test_flights_of_a_finished_run_that_were_cut_are_told(tmp_path, left):
    (tmp_path / "tube.toml").write_text(TUBE)
    run(tmp_path / "tube.toml", tmp_path / "out", frame_every=0.5)
    path = tmp_path / "out" / "flights.bin"
    path.write_bytes(path.read_bytes()[:left])
    told = typed("resample", "out", "--every", 0.1, "--out", "new", cwd=tmp_path)
    assert told.returncode == 2
    assert told.stderr == "out/flights.bin: holds no flights of a run, or is damaged\n"
    assert not (tmp_path / "new").exists()


def test_what_is_near_only_is_said_where_a_run_is_resampled(resting):
    told = typed("resample", "out", "--every", 0.01, "--out", "new", cwd=resting)
    assert told.returncode == 0
    assert told.stderr.startswith("note: between ")
    assert "such a ball goes straight to the next frame" in told.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="raises signals")
def test_resampling_that_is_interrupted_leaves_whole_files_and_says_how_far_it_came(
    gas, monkeypatch
):
    really = RunWriter.frame

    def interrupting(writer, state):
        really(writer, state)
        if writer.frames_written == 4:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(RunWriter, "frame", interrupting)
    told = typed("resample", "out", "--every", 0.1, "--out", "interrupted", cwd=gas)
    assert told.returncode == 130
    assert told.stdout == "interrupted: 4 frames until t = 0.3; written to interrupted\n"
    found = Run.load(gas / "interrupted")
    assert len(found.frames) == 4 * 60
    assert found.info["finished"] is False
    assert len(found.impacts) == len(Run.load(gas / "out").impacts)


@pytest.mark.parametrize(("every", "sentence"), [(1e-300, "at least 1e-75"), (-1, "greater than")])
def test_frames_that_no_scene_could_have_are_refused(gas, every, sentence):
    told = typed("resample", "out", "--every", every, "--out", "new", cwd=gas)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert f"--every must be {sentence}" in told.stderr
    assert not (gas / "new").exists()


@pytest.mark.parametrize(("until", "every"), [(2.1, 0.7), (1.2, 0.1), (1.0, 0.3)])
def test_the_last_frame_is_at_the_end_to_the_last_bit(tmp_path, until, every):
    """Though 3·0.7 is less than 2.1, and 12·0.1 more than 1.2."""
    simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=1.0)], engine="events")
    simulation.save(tmp_path / "run", until=until, frame_every=every)
    saved = Run.load(tmp_path / "run")
    assert saved.frames.t[-1] == saved.info["time"] == until
    assert saved.at(until).position[0].tolist() == [until, 0.0, 0.0]
    assert (np.diff(saved.frames.t) > 0.05).all()


@pytest.mark.parametrize(("until", "every"), [(2.1, 0.7), (1.2, 0.1), (1.0, 0.3)])
def test_a_recording_ends_at_the_end_to_the_last_bit(until, every):
    simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=1.0)], engine="events")
    recorded = simulation.record(until, every)
    assert recorded.t[-1] == simulation.time == until
    assert (np.diff(recorded.t) > 0.05).all()
