"""What may be varied, and what is said of what may not."""

import numpy as np
import pytest
from command_line import typed
from hypothesis import given
from hypothesis import strategies as st

from spheresim.parameter_sweeps.parameter_grid import Grid, grid_from_words
from spheresim.parameter_sweeps.plan import seed_of_run
from spheresim.record.files_and_columns import RunError

SCENE = """
duration = 1
[rest]
rest_height = 1e-6
[[plane]]
point = [0, 0, 0]
normal = [0, 1, 0]
[[ball]]
position = [0, 3, 0]
radius = 1
[[fill]]
count = 5
radius = 0.1
region = { low = [5, 5, 5], high = [9, 9, 9] }
speed = 1
"""


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("restitution=0.8:1.0:0.05", (0.8, 0.85, 0.9, 0.95, 1.0)),
        ("seed=1:4", (1, 2, 3, 4)),
        ("slices=1:6:2", (1, 3, 5)),
        ("x=-1:1:0.5", (-1.0, -0.5, 0.0, 0.5, 1.0)),
        ("x=0:1:0.3", (0.0, 0.3, 0.6, 0.9)),
        ("x=1e-3,2,.5", (1e-3, 2.0, 0.5)),
        ("x=1, 2", (1, 2)),
        ("engine=steps,events", ("steps", "events")),
        ("plane.entrance=true,false", (True, False)),
    ],
)
def test_words_mean_values(word, values):
    ((name, found),) = grid_from_words([word]).values.items()
    assert name == word.partition("=")[0]
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_a_grid_is_all_combinations_and_the_last_field_changes_fastest(sizes):
    grid = Grid.of({f"f{k}": range(size) for k, size in enumerate(sizes)})
    points = [tuple(grid.point(k).values()) for k in range(len(grid))]
    assert points == sorted(set(points))
    assert len(points) == np.prod(sizes)


def test_seeds_are_those_of_numpys_spawned_children():
    children = np.random.SeedSequence(7).spawn(5)
    seeds = [int(child.generate_state(1, np.uint64)[0]) >> 2 for child in children]
    assert [seed_of_run(7, k) for k in range(5)] == seeds


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("restitution", "--vary restitution: must be KEY=FROM:TO:STEP or KEY=VALUE,VALUE,…"),
        ("restitution=", "--vary restitution=: must be KEY=FROM:TO:STEP or KEY=VALUE,VALUE,…"),
        ("restitution=0:x", '--vary restitution=0:x: "x" is no number, expected is KEY=FROM:TO'),
        ("restitution=0:inf", '--vary restitution=0:inf: "inf" is no number'),
        ("restitution=.5,x", '--vary restitution=.5,x: "x" is no number'),
        ("restitution=1:0:.1", "--vary restitution=1:0:.1: 0 must be no less than 1"),
        ("restitution=0:1:0", "--vary restitution=0:1:0: the step must be greater than 0, not 0"),
        ("restitution=0:1:.1:2", "--vary restitution=0:1:.1:2: must be KEY=FROM:TO:STEP"),
        ("restitution=1,,2", "--vary restitution=1,,2: has no value between two commas"),
        ("seed=0:1:1e-9", "--vary seed=0:1:1e-9: must be at most 10,000,000 values"),
        ("restitution=.9:1.1:.1", "s.toml: restitution: must be from 0 to 1, not 1.1"),
        ("restitution=high", 's.toml: restitution: must be a number, not "high"'),
        ("restitutoin=1", "s.toml: restitutoin: is no field of a scene, its value is 1; did you"),
        ("fill[0].cuont=1", "s.toml: fill[0].cuont: is no field of a [[fill]], its value is 1"),
        ("fill[1].count=1", "s.toml: fill[1].count: leads nowhere: the file has 1 of them"),
        ("cylinder.radius=1", "s.toml: cylinder.radius: leads nowhere: the file has no cylinder"),
        ("duration.x=1", "s.toml: duration.x: leads nowhere: 1 has no fields"),
        ("duration[0]=1", "s.toml: duration[0]: leads nowhere: the file has no list there"),
        ("my key=1", 's.toml: "my key" must name a field, such as "restitution"'),
        ("seed=1.5,2", "s.toml: fill[0].seed: must be a whole number, not 1.5"),
        ("ball[0].radius=1,4", "ball 0 and plane 0 overlap"),
    ],
)
def test_faults_are_one_sentence_and_nothing_is_written(tmp_path, words, sentence):
    (tmp_path / "s.toml").write_text(SCENE)
    told = typed("sweep", "s.toml", "--vary", words, "--out", "out", cwd=tmp_path)
    if "overlap" in sentence:  # which is found when that run is made
        assert told.returncode == 4
        assert sentence in (tmp_path / "out" / "rows.csv").read_text()
        return
    assert told.returncode == 2
    assert told.stderr.startswith(sentence)
    assert told.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_field_is_varied_once():
    with pytest.raises(RunError, match="seed is varied twice"):
        grid_from_words(["seed=1:2", "seed=3"])


@pytest.mark.parametrize(
    ("vary", "sentence"),
    [
        ({"restitution": 0.5}, "the values of restitution must be a list of them, not 0.5"),
        ({"engine": "steps"}, "the values of engine must be a list of them, not 'steps'"),
        ({"seed": []}, "seed must have at least one value"),
        ([1], r"vary must be a dict with a list of values for each field, not \[1\]"),
        ({1: [2]}, "what is varied must be named by a text, not 1"),
        (
            {"gravity": [(0, -1, 0)]},
            "the values of gravity must be numbers or words",
        ),
    ],
)
def test_faults_from_python(vary, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        Grid.of(vary)
