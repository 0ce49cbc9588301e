"""From Python: record, save, fills, what is kept of impacts, balls that come and go."""

import json

import numpy as np
import pytest
from command_line import contents, run

from spheresim import Ball, BallFile, Box, Cylinder, Fill, Obstacle, Plane, Run, Simulation
from spheresim.convex import box
from spheresim.engines.catalogue import ENGINES
from spheresim.record.files_and_columns import RunError

BOTH = pytest.mark.parametrize("engine", ENGINES)
FLOOR = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.8, 'the "floor"')
PILLAR = Cylinder((3, 0, 3), (0, 1, 0), 0.5)


def drop(engine, **options):
    """Three balls that fall onto a floor beside a pillar."""
    balls = [Ball((k, 2 + k, 0.1 * k), (0.3, 0, 1), radius=0.4, mass=1 + k) for k in range(3)]
    return Simulation(balls, [FLOOR, PILLAR], (0, -9.81, 0), engine=engine, step=0.01, **options)


# --- Run until a condition ---------------------------------------------------------------


def hits_pillar(simulation):
    return simulation.impacts.obstacle[-1] == "cylinder 0"


def never_holds(simulation):
    return False


@BOTH
def test_a_run_stops_at_the_first_impact_after_which_its_condition_holds(engine):
    whole, simulation = drop(engine), drop(engine)
    whole.run(until=20)
    (first, *_) = np.flatnonzero(whole.impacts.obstacle == "cylinder 0")
    simulation.run(until=20, stop=hits_pillar)
    assert simulation.impacts.tolist() == whole.impacts[: first + 1].tolist()
    # The state is that at the impact: the ball that hit touches the pillar, and leaves it.
    ball, last = simulation.balls[int(simulation.impacts.i[-1])], simulation.impacts[-1]
    assert simulation.time == last.t
    gap = np.hypot(ball.position.x - 3, ball.position.z - 3) - 0.5 - ball.radius
    assert gap == pytest.approx(0, abs=1e-12)
    assert ball.velocity.dot((last.nx, last.ny, last.nz)) == pytest.approx(last.vn_after)
    # What follows is as if it had not stopped.
    simulation.run(until=20)
    assert simulation.impacts.tolist() == whole.impacts.tolist()


@BOTH
def test_a_condition_that_never_holds_changes_nothing(engine):
    asked = []
    one, other = drop(engine), drop(engine)
    one.run(until=3, stop=lambda simulation: asked.append(simulation.time))
    other.run(until=3)
    assert one.time == 3
    assert one.position.tolist() == other.position.tolist()
    assert asked == other.impacts.t[np.isin(other.impacts.kind, ["ball", "obstacle"])].tolist()
    one.run(impacts=2, stop=never_holds)
    other.run(impacts=2)
    assert (one.time, one.position.tolist()) == (other.time, other.position.tolist())


@BOTH
def test_a_run_with_only_a_condition_ends_where_no_more_impacts_come(engine):
    simulation = Simulation([Ball((0, 2, 0), (0, -1, 0), radius=1)], [FLOOR], engine=engine)
    with pytest.raises(RuntimeError, match="only 1 impacts came, and no more"):
        simulation.run(stop=never_holds)
    with pytest.raises(TypeError, match="stop must be a function of the simulation, not 3"):
        simulation.run(until=4, stop=3)
    with pytest.raises(TypeError, match="until, a time, or impacts"):
        simulation.run()


@BOTH
def test_a_condition_may_change_velocities_and_an_exception_in_it_ends_the_run_there(engine):
    simulation = drop(engine)

    def halt(simulation):
        simulation.velocity[:] = 0
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        simulation.run(until=20, stop=halt)
    assert len(simulation.impacts) == 1
    assert simulation.time == simulation.impacts.t[0]
    assert not simulation.velocity.any()
    simulation.run(until=20)
    assert simulation.time == 20


# --- Record ---------------------------------------------------------------------------


@BOTH
def test_a_recording_has_arrays_of_its_own(engine):
    simulation, other = drop(engine), drop(engine)
    trajectory = simulation.record(until=1.05, every=0.1)
    assert trajectory.t == pytest.approx([*np.arange(11) / 10, 1.05])
    assert trajectory.position.shape == trajectory.velocity.shape == (len(trajectory), 3, 3)
    for t, position, velocity in zip(
        trajectory.t, trajectory.position, trajectory.velocity, strict=True
    ):
        other.run(until=t)
        assert (position.tolist(), velocity.tolist()) == (
            other.position.tolist(),
            other.velocity.tolist(),
        )
    before = trajectory.position.copy()
    simulation.run(until=2)
    assert np.array_equal(trajectory.position, before)
    again = simulation.record(until=2, every=1)
    assert again.t.tolist() == [2.0]


@BOTH
def test_a_recording_is_a_table_with_the_columns_of_frames(engine, tmp_path):
    trajectory = drop(engine).record(until=1.5, every=0.05)
    drop(engine).save(tmp_path / "run", until=1.5, frame_every=0.05)
    table, frames = trajectory.table, Run.load(tmp_path / "run").frames
    assert table.dtype.names == frames.dtype.names
    for name in table.dtype.names:  # times of frames may differ by rounding, with fixed steps
        assert table[name] == pytest.approx(frames[name], rel=1e-14, abs=0.0)
    assert repr(trajectory) == "<Trajectory of 3 balls: 31 states from t = 0 to 1.5>"


def test_tables_are_data_frames():
    pandas = pytest.importorskip("pandas")
    simulation = drop("events")
    recorded = pandas.DataFrame(simulation.record(until=1.5, every=0.05).table)
    assert recorded.groupby("ball").t.max().tolist() == [1.5] * 3
    assert recorded.y.iloc[:3].tolist() == [2.0, 3.0, 4.0]
    assert len(pandas.DataFrame(simulation.impacts)) == simulation.tally.impacts


# --- Save -----------------------------------------------------------------------------


@BOTH
def test_a_saved_simulation_is_the_run_of_its_saved_scene_byte_for_byte(engine, tmp_path):
    drop(engine).save_scene(tmp_path / "scene.toml", until=1.5, frame_every=0.05)
    run(tmp_path / "scene.toml", tmp_path / "typed")
    simulation = drop(engine)
    simulation.save(tmp_path / "saved", until=1.5, frame_every=0.05)
    assert simulation.time == 1.5
    typed, saved = contents(tmp_path / "typed"), contents(tmp_path / "saved")
    infos = [json.loads(files.pop("run.json")) for files in (typed, saved)]
    assert saved == typed
    for info in infos:
        for name in list(info):
            if "second" in name or name == "scene":
                del info[name]
    assert infos[0] == infos[1]
    assert Run.load(tmp_path / "saved").position(30).tolist() == simulation.position.tolist()


def test_a_scene_that_is_saved_loads_to_the_same_simulation(tmp_path):
    fill = Fill(count=100, radius=(0.3, 0.5), packing_fraction=0.2, temperature=1, seed=3)
    simulation = Simulation(fill)
    simulation.run(until=0.5)
    simulation.save_scene(tmp_path / "gas.toml", until=2)
    again = Simulation.load(tmp_path / "gas.toml")
    assert (tmp_path / "gas_balls.csv").is_file()
    for name in ("radius", "mass", "restitution"):
        assert getattr(again.world, name).tolist() == getattr(simulation.world, name).tolist()
    assert again.position.tolist() == simulation.position.tolist()
    assert again.velocity.tolist() == simulation.velocity.tolist()
    assert (again.world.box, again.engine) == (simulation.world.box, "events")


@BOTH
def test_obstacles_of_any_order_keep_their_numbers_in_a_saved_scene_and_run(engine, tmp_path):
    given = [PILLAR, FLOOR, Plane((-9, 0, 0), (1, 0, 0)), Cylinder((3, 0, 5), (0, 1, 0), 0.5)]

    def fresh():
        return Simulation(Ball((3, 2, 1), (0, 0, 1), 0.4), given, (0, -9.81, 0), engine=engine)

    fresh().save_scene(tmp_path / "scene.toml", until=2)
    again = Simulation.load(tmp_path / "scene.toml")
    assert [obstacle.shape for obstacle in again.obstacles] == [
        obstacle.shape for obstacle in fresh().obstacles
    ]
    assert again.obstacle_names == fresh().obstacle_names
    saved = fresh()
    saved.save(tmp_path / "run", until=2)
    again.run(until=2)
    assert set(again.impacts.obstacle) == {"cylinder 0", 'the "floor"'}
    assert again.impacts.tolist() == Run.load(tmp_path / "run").impacts.tolist()
    assert again.position.tolist() == saved.position.tolist()


def test_what_cannot_be_saved_is_said_before_anything_is_written(tmp_path):
    simulation = drop("steps")
    with pytest.raises(ValueError, match=r"frame_every: must be a whole multiple of step \(0.01\)"):
        simulation.save(tmp_path / "out", until=1, frame_every=0.015)
    with pytest.raises(RunError, match="a format must be one of csv, parquet, xyz, gsd, not 'cs'"):
        simulation.save(tmp_path / "out", until=1, formats=["cs"])
    assert not (tmp_path / "out").exists()
    simulation.save(tmp_path / "out", until=0.1)
    with pytest.raises(ValueError, match=r"from time 0 on, and the simulation is at 0\.1"):
        simulation.save(tmp_path / "out", until=1)
    with pytest.raises(RunError, match=r"holds a run already; --force \(in Python force=True\)"):
        drop("steps").save(tmp_path / "out", until=1)
    drop("steps").save(tmp_path / "out", until=1, force=True)


# --- What a simulation is made of --------------------------------------------------------


def test_one_ball_and_one_obstacle_need_no_list():
    ball, floor = Ball((0, 2, 0), radius=0.4), Plane((0, 0, 0), (0, 1, 0))
    for given in (floor, Obstacle(floor), [floor], (floor,), iter([floor])):
        simulation = Simulation(ball, given)
        assert [obstacle.shape for obstacle in simulation.obstacles] == [floor]
    assert Simulation(ball, box((1, 1, 1))).obstacles[0].name == "hull 0"
    assert len(Simulation(simulation.balls[0]).balls) == 1


@pytest.mark.parametrize("given", ["a", ["a"], 5, np.zeros((2, 3)), [None], [(0, 0, 0)], [Plane]])
def test_what_is_no_ball_or_obstacle_is_told(given):
    with pytest.raises(TypeError, match="balls must be Ball, Fill or BallFile, not"):
        Simulation(given)
    with pytest.raises(TypeError, match="an obstacle must be one of plane, cylinder"):
        Simulation(Ball((0, 2, 0), radius=0.4), given)


def test_the_name_of_a_scene_is_for_load():
    with pytest.raises(TypeError, match=r"not 'magic_room': Simulation\.load makes a simulation"):
        Simulation("magic_room")


# --- Fills and ball files -------------------------------------------------------------


def test_fills_from_python_are_those_of_a_scene(tmp_path):
    (tmp_path / "gas.toml").write_text("""
duration = 1
[box]
size = [6, 6, 8]
periodic = [true, true, false]
[[ball]]
position = [1, 1, 1]
radius = 0.5
[[fill]]
count = 20
radius = [0.2, 0.4]
temperature = 2
[[fill]]
count = 10
radius = 0.2
arrangement = "cubic"
region = { low = [0, 0, 4], high = [6, 6, 8] }
speed = 1
""")
    loaded = Simulation.load(tmp_path / "gas.toml")
    region = {"low": (0, 0, 4), "high": np.array([6.0, 6.0, 8.0])}
    made = Simulation(
        [
            Ball((1, 1, 1), radius=0.5),
            Fill(count=20, radius=(0.2, 0.4), temperature=2),
            Fill(count=10, radius=0.2, arrangement="cubic", region=region, speed=1),
        ],
        box=Box(size=(6, 6, 8), periodic=(True, True, False)),
    )
    assert made.position.tolist() == loaded.position.tolist()
    assert made.velocity.tolist() == loaded.velocity.tolist()
    assert list(made.balls.names) == list(loaded.balls.names)


def test_balls_come_from_a_file(tmp_path):
    (tmp_path / "two.csv").write_text(
        "x,y,z,vx,vy,vz,radius,name\n0,0,0,1,0,0,1,a\n5,0,0,0,0,0,1,\n"
    )
    simulation = Simulation(BallFile(tmp_path / "two.csv"))
    assert list(simulation.balls.names) == ["a", "ball 1"]
    with pytest.raises(ValueError, match=r"ball_file\[0\]\.path: .*there is no such file"):
        Simulation([BallFile(tmp_path / "none.csv")])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"count": 0, "radius": 1}, "a fill's count must be at least 1, not 0"),
        ({"count": 2, "radius": -1}, "a fill's radius must be greater than 0, not -1"),
        ({"count": 2, "radius": 1, "colour": "red"}, "a fill's colour is no field"),
        ({"count": 2, "radius": 1, "mass": 1, "density": 1}, "has both mass"),
        (
            {"count": 2, "radius": 1, "region": ((0, 0, 0), (1, 1, 1))},
            r"a fill's region must be a dict, not .*; the fields are low, high$",
        ),
        (
            {"count": 2, "radius": 1, "restitution": 0.3},
            r"it is a field of \[\[material\]\], which the field material names; the fields are",
        ),
    ],
)
def test_a_wrong_fill_is_told(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        Fill(**words)


def test_a_packing_fraction_makes_the_box_where_none_is_given():
    fill = Fill(count=32, radius=0.5, arrangement="fcc", packing_fraction=0.3)
    volume = np.prod(Simulation(fill).world.box.size)
    assert 32 * np.pi / 6 / volume == pytest.approx(0.3)
    with pytest.raises(ValueError, match=r"box\.size is given too"):
        Simulation(fill, box=(5, 5, 5))


# --- Impacts that are kept ------------------------------------------------------------


def gas(**options):
    return Simulation(Fill(count=60, radius=0.5, packing_fraction=0.2, temperature=1), **options)


def test_a_look_at_impacts_adds_only_what_is_new():
    looked_at, whole = gas(), gas()
    tables = []
    for k in range(1, 20):
        looked_at.run(until=0.1 * k)
        tables.append(looked_at.impacts)
    whole.run(until=1.9)
    assert len(whole.impacts) > 100
    assert looked_at.impacts.tolist() == whole.impacts.tolist()
    for table in tables:
        assert table.tolist() == whole.impacts[: len(table)].tolist()
    with pytest.raises(ValueError, match="read-only"):
        looked_at.impacts.t[0] = 0.0


def test_impacts_are_kept_as_asked():
    simulations = all_, none, last = [gas() for _ in range(3)]
    none.keep_impacts(False)
    last.keep_impacts(7)
    for simulation in simulations:
        for until in (0.5, 1.0):
            simulation.run(until=until)
    assert len(none.impacts) == 0
    assert none.tally == all_.tally
    assert last.impacts.tolist() == all_.impacts[-7:].tolist()
    for wrong in (0, -1, 1.5, "all"):
        with pytest.raises((TypeError, ValueError), match="the number of impacts that are kept"):
            last.keep_impacts(wrong)


# --- Names ------------------------------------------------------------------------------


def named(*names):
    """Balls side by side with these names."""
    return [Ball((3 * k, 0, 0), radius=1, name=name) for k, name in enumerate(names)]


def test_two_balls_or_two_obstacles_of_the_same_name_are_refused():
    with pytest.raises(ValueError, match="but balls 1 and 3 are both named 'a'"):
        Simulation(named(None, "a", "b", "a"))
    walls = [Obstacle(Plane((0, y, 0), (0, -y, 0)), name="wall") for y in (-9, 9)]
    with pytest.raises(ValueError, match="but obstacles 0 and 1 are both named 'wall'"):
        Simulation(named(None), walls)
    simulation = Simulation(named("a", "b"))
    with pytest.raises(ValueError, match="but balls 0 and 2 are both named 'a'"):
        simulation.add(Ball((0, 9, 0), radius=1, name="a"))
    assert [ball.name for ball in simulation.balls] == ["a", "b"]


def test_balls_without_a_name_get_one_that_is_free():
    simulation = Simulation(named("ball 1", None, None, "ball 2"))
    assert [ball.name for ball in simulation.balls] == ["ball 1", "ball 3", "ball 4", "ball 2"]


# --- Balls that come and go -----------------------------------------------------------


@BOTH
def test_balls_come_and_go(engine):
    simulation = Simulation(
        [Ball((0, 0, 0), (1, 0, 0), radius=1), Ball((9, 0, 0), radius=1)], engine=engine
    )
    simulation.run(until=1)
    (new,) = simulation.add(Ball((5, 0, 0), radius=1))
    assert (new.name, new.index, simulation.time) == ("ball 2", 2, 1.0)
    simulation.run(until=9)  # 0 hits the new ball at 3, and that the other at 5
    assert [(row.i, row.j) for row in simulation.impacts] == [(0, 2), (1, 2)]
    assert simulation.tally.ball_impacts == 2
    simulation.remove(0)
    assert [ball.name for ball in simulation.balls] == ["ball 1", "ball 2"]
    simulation.run(until=10)
    assert simulation.position[:, 0] == pytest.approx([14, 7])
    assert simulation.add([Ball((0, 9, 0), radius=1)])[0].name == "ball 3"
    with pytest.raises(IndexError, match="there are 3 balls, so none has the index 3"):
        simulation.remove([0, 3])
    with pytest.raises(ValueError, match="needs at least one ball"):
        simulation.remove([0, 1, 2])
    with pytest.warns(UserWarning, match="ball 4 and ball 1 overlap"):
        simulation.add(Ball((14, 0.5, 0), radius=1))
