"""`spheresim broadphase`: rows for each case, as a table or as CSV."""

import csv
import io

import pytest
from command_line import typed

from spheresim.broadphase import BROAD_PHASES

pytestmark = pytest.mark.compiled_only


def rows_of(told):
    return list(csv.DictReader(io.StringIO(told)))


@pytest.mark.thorough
def test_pairs_and_times_of_all_broad_phases(tmp_path):
    told = typed("broadphase", "--count", "0,60", "--set", "uniform,line", "--csv", cwd=tmp_path)
    rows = rows_of(told.stdout)
    assert told.returncode == 0
    assert len(rows) == 2 * 2 * len(BROAD_PHASES)
    for row in rows:
        n = int(row["objects"])
        assert int(row["possible"]) == n * (n - 1) // 2
        assert int(row["overlapping"]) <= int(row["proposed"]) <= int(row["possible"])
        assert float(row["first_us"]) > 0.0
        assert float(row["moved_us"]) > 0.0
    found = {(row["set"], row["objects"]): set() for row in rows}
    for row in rows:
        found[row["set"], row["objects"]].add(row["overlapping"])
    assert all(len(counts) == 1 for counts in found.values())  # they agree


def test_larger_cells_propose_more_pairs(tmp_path):
    options = ("--count", "500", "--method", "uniform_grid", "--cell-size", "1,2,4,8", "--csv")
    rows = rows_of(typed("broadphase", *options, cwd=tmp_path).stdout)
    proposed = [int(row["proposed"]) for row in rows]
    assert proposed == sorted(proposed)
    assert [float(row["cell_size"]) for row in rows] == [1.0, 2.0, 4.0, 8.0]


def test_a_table_and_what_is_left_out(tmp_path):
    told = typed("broadphase", "--count", "100000", "--method", "all_pairs", cwd=tmp_path)
    assert "overlapping" in told.stdout
    assert "left out, because it would take long: all_pairs of 100000 objects" in told.stderr


@pytest.mark.parametrize(
    ("option", "word", "fault"),
    [
        ("--count", "1.5", "--count: a whole number from 0 to 1e+07 is expected, not '1.5'"),
        ("--count", "many", "--count: a whole number"),
        ("--density", "0", "--density: a number from 1e-09 to 1000 is expected, not '0'"),
        ("--cell-size", "nan", "--cell-size: a number"),
        ("--method", "magic", "--method: one of all_pairs, sweep_and_prune"),
        ("--set", "round", "--set: one of uniform, clustered"),
    ],
)
def test_a_wrong_word_is_one_sentence(option, word, fault, tmp_path):
    told = typed("broadphase", option, word, cwd=tmp_path)
    assert told.returncode == 2
    assert told.stderr.startswith(fault)
    assert told.stderr.count("\n") == 1
