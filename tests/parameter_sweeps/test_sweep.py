"""The rows of a sweep are the same wherever and however often it is begun."""

import csv
import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from command_line import PATIENCE, python, started, typed, wait_until

import spheresim
from spheresim import Run, Simulation
from spheresim.parameter_sweeps import sweep as module
from spheresim.parameter_sweeps.plan import FIGURES
from spheresim.record.files_and_columns import RunError

pytestmark = pytest.mark.compiled_only

GAS = """
duration = {duration}
frame_every = 1
[box]
[[fill]]
count = 32
radius = 0.5
arrangement = "fcc"
packing_fraction = 0.1
temperature = 1
"""
VARY = {"restitution": [0.8, 1.0], "fill[0].packing_fraction": [0.05, 0.2]}


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "gas.toml").write_text(GAS.format(duration=2))
    return tmp_path / "gas.toml"


def serial():
    return ThreadPoolExecutor(1)


def test_a_row_is_what_a_run_of_its_own_says(scene, tmp_path):
    rows = spheresim.sweep(scene, VARY, serial())
    assert [row["run"] for row in rows] == [0, 1, 2, 3]
    for row in rows:
        text = GAS.format(duration=2).replace("0.1", str(row["fill[0].packing_fraction"]))
        (tmp_path / "one.toml").write_text(f"restitution = {row['restitution']}\n{text}")
        words = ("run", "one.toml", "--force", "--seed", row["seed"], "--out", "one")
        assert typed(*words, cwd=tmp_path).returncode == 0
        info = Run.load(tmp_path / "one").info
        for name in FIGURES:
            assert row[name] == info.get(name), name
        assert row["fault"] is None
    assert len({row["seed"] for row in rows}) == 4


def test_figures_of_a_run_are_all_in_a_row(scene):
    from spheresim.analysis.drift import Drift
    from spheresim.analysis.outcome import outcome

    simulation = Simulation.load(scene)
    drift = Drift(simulation.world, simulation.state)
    simulation.run(impacts=200)
    assert set(outcome(simulation, drift)) <= set(FIGURES)


def test_rows_are_the_same_bytes_from_threads_processes_and_the_command(scene, tmp_path):
    one = spheresim.sweep(scene, VARY, serial(), out=tmp_path / "serial")
    assert spheresim.sweep(scene, VARY, out=tmp_path / "pool") == one
    words = ("--vary", "restitution=0.8,1.0", "--vary", "fill[0].packing_fraction=.05,.2")
    told = typed("sweep", "gas.toml", *words, "--out", "typed", "--workers", 1, cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == "4 rows; written to typed/rows.csv\n"
    kept = (tmp_path / "serial" / "rows.csv").read_bytes()
    for name in ("pool", "typed"):
        assert (tmp_path / name / "rows.csv").read_bytes() == kept
    again = typed("sweep", "gas.toml", *words, "--out", "typed", cwd=tmp_path)
    assert again.stdout == "4 rows, 4 of them from before; written to typed/rows.csv\n"


def test_an_interrupted_sweep_goes_on_from_whole_rows(scene, tmp_path):
    rows = spheresim.sweep(scene, VARY, serial(), out=tmp_path / "out")
    path = tmp_path / "out" / "rows.csv"
    whole = path.read_bytes()
    head, first, second, third, *_ = whole.splitlines(keepends=True)
    path.write_bytes(head + third + first + second[:40])
    made = []
    real = module.Collector

    class Watched(real):
        def __init__(self, plan, missing, *others):
            made.extend(missing)
            super().__init__(plan, missing, *others)

    module.Collector = Watched
    try:
        assert spheresim.sweep(scene, VARY, serial(), out=tmp_path / "out") == rows
    finally:
        module.Collector = real
    assert made == [1, 3]
    assert path.read_bytes() == whole


def test_another_sweep_there_is_refused(scene, tmp_path):
    spheresim.sweep(scene, VARY, serial(), out=tmp_path / "out")
    with pytest.raises(RunError, match="holds another sweep, which has another seed;"):
        spheresim.sweep(scene, VARY, serial(), out=tmp_path / "out", seed=2)
    with pytest.raises(RunError, match="holds another sweep, which has another vary;"):
        spheresim.sweep(scene, {"seed": [1]}, serial(), out=tmp_path / "out")
    words = ("sweep", "gas.toml", "--vary", "seed=1:2", "--out", "out", "--force")
    assert typed(*words, cwd=tmp_path).returncode == 0
    rows = list(csv.DictReader((tmp_path / "out" / "rows.csv").open()))
    assert [row["seed"] for row in rows] == ["1", "2"]
    with pytest.raises(RunError, match="holds another sweep, which has another vary;"):
        spheresim.sweep(scene, {"seed": [2, 1]}, serial(), out=tmp_path / "out")
    (tmp_path / "out" / "rows.csv").write_text("run,other\n")
    told = typed(*words[:-1], cwd=tmp_path)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert told.stderr.startswith("out/rows.csv: is not what the sweep wrote")
    assert typed(*words, cwd=tmp_path).returncode == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "rows.csv").write_text("a,b\n")
    with pytest.raises(RunError, match="no sweep wrote it"):
        spheresim.sweep(scene, VARY, serial(), out=tmp_path / "mine")


def test_a_run_that_cannot_be_made_is_a_row_with_its_fault(scene, tmp_path):
    fixed = GAS.format(duration=1).replace("packing_fraction = 0.1\n", "")
    scene.write_text(fixed.replace("[box]", "[box]\nsize = [9, 9, 9]"))
    told = typed("sweep", "gas.toml", "--vary", "fill.count=4,4000", "--out", "out", cwd=tmp_path)
    assert told.returncode == 4
    assert "1 of 2 runs ended with a fault (column fault); the first: " in told.stderr
    rows = list(csv.DictReader((tmp_path / "out" / "rows.csv").open()))
    assert rows[0]["fault"] == ""
    assert "fill[0]" in rows[1]["fault"]
    assert rows[1]["time"] == ""


def test_the_plan_is_kept_beside_the_rows(scene, tmp_path):
    spheresim.sweep(scene, {"seed": range(2)}, serial(), out=tmp_path / "out", until_impacts=9)
    plan = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert (plan["vary"], plan["until_impacts"]) == ({"seed": [0, 1]}, 9)


def test_progress_tells_the_time_that_is_left(scene, tmp_path, monkeypatch):
    monkeypatch.setattr("spheresim.commands.sweep._EVERY", 0.0)
    words = ("sweep", "gas.toml", "--vary", "seed=1:6", "--workers", "1")
    told = typed(*words, cwd=tmp_path)
    lines = told.stderr.splitlines()
    assert lines[-1] == "6 of 6 runs, 0 s left"
    assert [line.split()[1:4] for line in lines] == [["of", "6", "runs,"]] * len(lines)
    assert told.stdout == "6 rows; written to sweeps/gas/rows.csv\n"
    assert typed(*words, "--quiet", "--force", "--seed", "1", cwd=tmp_path).stderr == ""


LONG = ("--vary", "seed=1:40", "--workers", "2", "--out", "long")


def count_of(rows):
    return rows.read_bytes().count(b"\n") if rows.exists() else 0


@contextmanager
def begun(tmp_path):
    """A sweep in a process of its own that has written some rows."""
    (tmp_path / "long.toml").write_text(GAS.format(duration=150))
    rows = tmp_path / "long" / "rows.csv"
    there = count_of(rows)
    with started("sweep", "long.toml", *LONG, cwd=tmp_path) as process:
        wait_until(lambda: count_of(rows) >= there + 3, process)
        yield process, rows


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


@pytest.mark.thorough
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_killed_workers_and_killed_sweeps_lose_nothing(tmp_path):
    # A worker is killed: another takes over.
    with begun(tmp_path) as (process, rows):
        os.kill(children_of(process.pid)[0], signal.SIGKILL)
        assert process.wait(PATIENCE) == 0
    whole = rows.read_bytes()
    assert count_of(rows) == 41
    # The sweep is killed, and its workers end with it; then one is interrupted; then one ends.
    rows.unlink()
    with begun(tmp_path) as (process, _):
        workers = children_of(process.pid)
    kept = count_of(rows)
    wait_until(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers))
    with begun(tmp_path) as (process, _):
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "interrupted: " in complaint
    assert complaint.endswith("of 40 rows are written; the same command continues\n")
    assert "Traceback" not in complaint
    assert count_of(rows) > kept
    assert python("-m", "spheresim", "sweep", "long.toml", *LONG, cwd=tmp_path).returncode == 0
    assert rows.read_bytes() == whole


@pytest.mark.study
def test_a_cluster_that_loses_a_worker_makes_the_same_rows(scene, tmp_path):
    distributed = pytest.importorskip("distributed")
    scene.write_text(GAS.format(duration=60))
    vary = {"restitution": [0.9, 1.0], "seed": range(100)}
    spheresim.sweep(scene, vary, serial(), out=tmp_path / "serial")
    cluster = distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        workers = list(client.run(os.getpid).values())
        executor = client.get_executor()

        def submit(*work):
            if len(workers) == 2 and count_of(rows) > 20:
                os.kill(workers.pop(), signal.SIGKILL)
            return real(*work)

        rows, real = tmp_path / "dask" / "rows.csv", executor.submit
        executor.submit = submit
        spheresim.sweep(scene, vary, executor, out=tmp_path / "dask")
        assert len(workers) == 1
    assert rows.read_bytes() == (tmp_path / "serial" / "rows.csv").read_bytes()
