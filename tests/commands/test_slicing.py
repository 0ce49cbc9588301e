"""Sliced held against analytic: starts in other directions, and what the same error costs."""

import csv

import numpy as np
import pytest
from command_line import typed

from spheresim import Ball, Simulation
from spheresim.commands.slicing import collect, compare, joined, nanoseconds, redirected

pytestmark = pytest.mark.compiled_only


def head_on(gap):
    balls = [Ball((0, 0, 0), (1, 0, 0), radius=1), Ball((2 + gap, 0, 0), (-1, 0, 0), radius=1)]
    return collect(Simulation(balls, step=1.0), steps=3)


def test_redirected_velocities_are_as_fast_and_in_all_directions_alike():
    velocity = np.random.default_rng(1).standard_normal((20_000, 3)) * [5, 1, 0.1]
    other = redirected(velocity, np.random.default_rng(2))
    assert np.linalg.norm(other, axis=1) == pytest.approx(np.linalg.norm(velocity, axis=1))
    aim = other / np.linalg.norm(other, axis=1)[:, None]
    assert aim.T @ aim / len(aim) == pytest.approx(np.eye(3) / 3, abs=0.02)
    assert aim.mean(axis=0) == pytest.approx([0, 0, 0], abs=0.02)
    assert not redirected(np.zeros((3, 3)), np.random.default_rng(0)).any()


def test_meetings_of_several_starts_are_compared_as_one():
    one, other = head_on(1.0), head_on(1.5)
    both = joined([one, other])
    assert both.time.tolist() == pytest.approx([0.5, 0.75])
    assert compare(both, 1.0, 10).encounters == 2
    assert joined([one, head_on(90.0)]).time.tolist() == one.time.tolist()


def test_ten_times_the_slices_take_about_ten_times_as_long():
    meetings = joined([head_on(gap) for gap in np.linspace(0.1, 1.9, 19)])
    few, many = nanoseconds(meetings, 100), nanoseconds(meetings, 10_000)
    assert 20 * few < many < 500 * few
    assert nanoseconds(meetings, 0) < many / 5


@pytest.mark.thorough
def test_the_tutorial_s_room_has_starts_enough_to_teach_what_slices_cost(tmp_path):
    done = typed("compare", "magic_room", "--duration", "300", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "runs" / "magic_room-compare.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert int(rows[0]["encounters"]) > 20
    missed = {(row["speed"], row["slices"]): float(row["missed_share"]) for row in rows}
    assert missed["100.0", "3"] > missed["100.0", "30"] >= missed["1.0", "30"]
    errors = [float(row["mean_error"]) for row in rows if row["speed"] == "1.0"]
    assert errors == sorted(errors, reverse=True)
    assert "60 starts" in done.stdout
    costs = [line.split() for line in done.stdout.splitlines() if line.strip().startswith("1/")]
    assert [row[0] for row in costs] == ["1/10", "1/100", "1/1000", "1/10000"]
    times = [float(row[-1]) for row in costs]
    assert times == sorted(times)
    assert times[0] < 1 < times[-1] / 10  # few slices are cheap, and many are not


@pytest.mark.thorough
def test_a_scene_of_few_meetings_says_where_there_are_more(tmp_path):
    done = typed("compare", "two_balls", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "too few impacts for reliable shares; gas_in_a_box has thousands" in done.stdout


def test_a_scene_that_names_the_exact_engine_is_compared_by_its_steps(tmp_path):
    text = (
        'engine = "events"\nduration = 1\nframe_every = 0.015\n[[ball]]\nposition = [0, 0, 0]\n'
        "velocity = [3, 0, 0]\nradius = 1\n[[ball]]\nposition = [3, 0, 0]\nradius = 1\n"
    )
    (tmp_path / "pair.toml").write_text(text)
    done = typed("compare", "pair.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "impacts of two balls" in done.stdout
