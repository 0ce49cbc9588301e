"""What is looked at is up to date, what is written is adopted, what cannot change says so."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from worlds import box

from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation
from spheresim.engines.catalogue import ENGINE_KINDS, ENGINES
from spheresim.engines.engine_protocol import Engine
from spheresim.model.balls import Balls
from spheresim.model.lazy_state import LiveState

BOTH = pytest.mark.parametrize("engine", ENGINES)
WALLS = box(3.0)


def gas(engine, side=2, **options):
    """Balls in a cube of width 3 (8 of them, or 27), at random velocities."""
    random = np.random.default_rng(5)
    places = np.array(np.meshgrid(*[range(side)] * 3)).reshape(3, -1).T * (3 / side) + 1.5 / side
    balls = [Ball(x, random.normal(size=3), radius=0.4 / side) for x in places]
    return Simulation(balls, WALLS, engine=engine, step=0.05, **options)


def bytes_of(simulation):
    return simulation.position.tobytes() + simulation.velocity.tobytes()


def calls(simulation):
    """Every way to go on, one after the other."""
    yield lambda: simulation.run(until=simulation.time + 0.12)
    yield lambda: simulation.run(impacts=2)
    yield simulation.next_impact
    yield simulation.step_once
    yield lambda: simulation.advance(simulation.time + 0.3)
    saved, then = simulation.checkpoint(), simulation.time
    yield lambda: simulation.run(until=then + 0.5)
    yield lambda: simulation.resume(saved)
    yield lambda: simulation.restore(1.0, simulation.position + 0.01, simulation.velocity * 0.5)


# --- Looking --------------------------------------------------------------------------


@pytest.mark.compiled_only
@BOTH
def test_views_of_every_kind_show_the_newest_state(engine):
    watched, fresh = gas(engine), gas(engine)
    position, row = watched.position, watched.velocity[3]
    column, part = watched.position[:, 1], watched.position[2:][1:]
    memory, state, ball = memoryview(watched.velocity[5]), watched.state, watched.balls[3]
    for go_on, go_on_fresh in zip(calls(watched), calls(fresh), strict=True):
        go_on()
        go_on_fresh()
        there, speed = fresh.position.copy(), fresh.velocity.copy()
        assert position.tobytes() == there.tobytes()
        assert row.tobytes() == speed[3].tobytes()
        assert column.tolist() == there[:, 1].tolist()
        assert part.tolist() == there[3:].tolist()
        assert memory.tolist() == speed[5].tolist()
        assert state.time.tolist() == [watched.time] == [fresh.time]
        assert state.position.tobytes() == there.tobytes()
        assert tuple(ball.position) == tuple(there[3])
        assert tuple(ball.velocity) == tuple(speed[3])


@BOTH
def test_to_look_at_one_ball_is_to_look_at_it_in_the_whole(engine):
    one, whole = gas(engine), gas(engine)
    for _ in range(20):
        one.next_impact()
        whole.next_impact()
        k = int(whole.impacts.i[-1])
        assert tuple(one.balls[k].position) == tuple(whole.position[k])
        assert tuple(one.balls[k].velocity) == tuple(whole.velocity[k])
    assert bytes_of(one) == bytes_of(whole)


def test_one_ball_of_a_swarm_that_moves_together_is_where_it_is_in_the_whole():
    """The exact engine counts positions from a point that moves along with such a swarm."""
    random = np.random.default_rng(3)
    balls = [Ball((3 * k, 0, 0), 900 + random.normal(size=3), radius=1) for k in range(70)]
    simulation = Simulation(balls, engine="events")
    simulation.run(until=1.25)
    one = [(tuple(simulation.balls[k].position), simulation.balls[k].velocity) for k in range(70)]
    assert [x for x, _ in one] == [tuple(x) for x in simulation.position]
    assert [tuple(v) for _, v in one] == [tuple(v) for v in simulation.velocity]


@BOTH
def test_who_never_looks_has_nothing_copied(engine, monkeypatch):
    simulation = gas(engine)
    copied = []
    current = LiveState.current
    monkeypatch.setattr(LiveState, "current", lambda live: copied.append(1) or current(live))
    simulation.position[0].copy()  # and lets go
    simulation.next_impact()
    del copied[:]
    for _ in range(5):
        simulation.next_impact()
        simulation.step_once()
        assert simulation.balls[2].position.y > 0.0
    assert len(copied) <= 1  # once to know how far ahead to look, at most
    kept = simulation.velocity[2]
    simulation.next_impact()
    assert len(copied) > 1
    assert kept.tolist() == list(simulation.balls[2].velocity)


@pytest.mark.compiled_only
@BOTH
def test_between_two_batches_the_state_is_that_of_the_impacts_so_far(engine):
    watched, fresh = gas(engine), gas(engine)
    first = next(watched.batches(until=1e9))
    fresh.run(impacts=sum(first.kind <= 1))
    assert watched.time == pytest.approx(first.t[-1], abs=0.05)
    if engine == "events":
        assert bytes_of(watched) == bytes_of(fresh)


# --- Writing --------------------------------------------------------------------------


def write_row(simulation, value):
    simulation.velocity[3] = value


def write_whole(simulation, value):
    simulation.velocity[:] += 0
    simulation.velocity[3:4] = [value]


def write_ball(simulation, value):
    simulation.balls[3].velocity = value


def write_with_a_ufunc(simulation, value):
    row = simulation.velocity[3]
    np.copyto(row, 0)
    np.add(row, value, out=row)


def write_augmented(simulation, value):
    simulation.velocity += 0
    there = simulation.velocity.copy()
    there[3] = value
    simulation.velocity = there


def write_component_by_component(simulation, value):
    for k in range(3):
        simulation.velocity[3, k] = value[k]


def write_flat(simulation, value):
    simulation.velocity.reshape(-1)[9:12] = value


def write_into_memory(simulation, value):
    memory = memoryview(simulation.velocity)
    for k in range(3):
        memory[3, k] = value[k]


def write_through_the_state(simulation, value):
    simulation.state.velocity[3] = value


@pytest.mark.compiled_only
@BOTH
@pytest.mark.parametrize(
    "write",
    [
        *(write_row, write_whole, write_ball, write_with_a_ufunc, write_augmented),
        *(write_component_by_component, write_flat, write_into_memory, write_through_the_state),
    ],
)
def test_every_way_to_write_is_noticed(engine, write):
    edited, other = gas(engine), gas(engine)
    for simulation in (edited, other):
        simulation.run(until=0.4)
    write(edited, (4.0, 1.0, -2.0))
    position, velocity = other.position.copy(), other.velocity.copy()
    velocity[3] = (4.0, 1.0, -2.0)
    other.restore(other.time, position, velocity)
    for simulation in (edited, other):
        assert tuple(simulation.balls[3].velocity) == (4.0, 1.0, -2.0)
        simulation.run(until=0.4 + 1e-9)
        assert simulation.balls[3].velocity.x in (4.0, -4.0)
        simulation.run(until=1.0)
    assert bytes_of(edited) == bytes_of(other)


@BOTH
def test_what_is_written_long_after_a_view_was_made_is_noticed(engine):
    simulation = gas(engine)
    row, rest = simulation.velocity[0], simulation.position[1:]
    for _ in range(4):
        simulation.run(until=simulation.time + 0.1)
    row[:] = (0.25, 0.5, 0.125)
    simulation.run(until=simulation.time + 1e-9)
    assert np.abs(simulation.velocity[0]).tolist() == [0.25, 0.5, 0.125]
    rest[0, 2] = 1.5
    simulation.run(until=simulation.time + 1e-9)
    assert simulation.position[1, 2] == pytest.approx(1.5, abs=1e-7)


@BOTH
def test_what_is_written_is_in_what_is_saved_and_in_the_energy(engine):
    simulation = gas(engine)
    simulation.run(until=0.4)
    simulation.velocity[:] = (1, 2, 2)
    assert simulation.energy() == pytest.approx(8 * 4.5)
    again = gas(engine)
    again.resume(simulation.checkpoint())
    assert again.velocity.tolist() == [[1, 2, 2]] * 8
    for each in (again, simulation):
        each.run(until=1.0)
    assert bytes_of(again) == bytes_of(simulation)


@BOTH
def test_a_resumed_simulation_counts_on(engine):
    simulation, again = gas(engine), gas(engine)
    simulation.run(until=0.4)
    saved, tally = simulation.checkpoint(), simulation.tally
    again.resume(saved)
    assert again.tally == tally
    simulation.run(until=1.0)
    after = simulation.tally
    simulation.resume(saved)
    assert simulation.tally == tally
    simulation.run(until=1.0)
    assert simulation.tally == after


@BOTH
def test_only_a_checkpoint_of_the_same_engine_and_scene_is_resumed(engine):
    other = "steps" if engine == "events" else "events"
    simulation = gas(engine)
    before = bytes_of(simulation)
    for saved, kind, sentence in (
        (gas(other).checkpoint(), ValueError, f'of the engine "{engine}", .* engine "{other}"'),
        (gas(engine, 3).checkpoint(), ValueError, "it does not fit the scene, which has another"),
        (
            {},
            ValueError,
            "saved must be a result of checkpoint, .* names no engine, but has 'none'",
        ),
        ({"a": 1}, ValueError, "names no engine, but has 'a'"),
        ("cp.npz", TypeError, "a dict of arrays by name, not 'cp.npz'"),
        (None, TypeError, "a dict of arrays by name, not None"),
    ):
        with pytest.raises(kind, match=sentence):
            simulation.resume(saved)
        assert bytes_of(simulation) == before


@BOTH
def test_what_is_no_number_is_refused_and_can_be_put_right(engine):
    simulation = gas(engine)
    simulation.run(until=0.1)
    simulation.position[2, 1] = np.nan
    for _ in range(2):
        with pytest.raises(ValueError, match="the position of ball 2 must be finite"):
            simulation.next_impact()
    simulation.position[2, 1] = 1.0
    assert simulation.next_impact() is not None
    with pytest.raises(ValueError, match=r"velocity must have the shape \(8, 3\)"):
        simulation.velocity = np.zeros((3, 3))


@pytest.mark.compiled_only
@BOTH
def test_while_batches_are_taken_nothing_can_be_written(engine):
    simulation = gas(engine)
    batches = simulation.batches(until=1e9)
    next(batches)
    simulation.velocity[3] = 0.0
    with pytest.raises(RuntimeError, match="positions and velocities can be written after a run"):
        next(batches)


@pytest.mark.compiled_only
@BOTH
@pytest.mark.parametrize("by_array", [False, True])
def test_a_function_that_observes_impacts_cannot_write_into_the_run(engine, by_array):
    def write(rows):
        if by_array:
            simulation.velocity[3] = 0.0
        else:
            simulation.balls[3].velocity = (0, 0, 0)

    simulation, undisturbed = gas(engine), gas(engine)
    observer = simulation.on_impact(write)
    with pytest.raises(RuntimeError, match="positions and velocities can be written after a run"):
        simulation.run(until=1)
    # What was written is gone, and the run goes on from where it stopped.
    simulation.stop_observing(observer)
    simulation.run(until=2)
    undisturbed.run(until=2)
    assert simulation.position.tolist() == undisturbed.position.tolist()
    simulation.on_impact(lambda _: simulation.balls[3].velocity)  # it may look
    simulation.run(until=3)


# --- What cannot change ---------------------------------------------------------------


@BOTH
def test_what_does_not_move_cannot_be_written_to(engine):
    simulation = gas(engine)
    world = simulation.world
    arrays = [world.radius, world.mass, world.restitution, simulation.state.time]
    arrays += [part for part in world.obstacles if isinstance(part, np.ndarray)]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.flags.writeable = True
    for owner in (simulation, world, world.obstacles, simulation.balls[0]):
        for name in ("time", "restitution", "gravity", "radius", "mass", "index", "name"):
            with pytest.raises(AttributeError):
                setattr(owner, name, 0.5)
    with pytest.raises(TypeError):
        simulation.obstacle_names[0] = "floor"


# --- Engines ---------------------------------------------------------------------------


@pytest.mark.compiled_only
@BOTH
def test_single_impacts_give_the_bytes_of_one_long_run(engine):
    whole, single, looked_at = (gas(engine, side=3) for _ in range(3))
    whole.run(until=1.0)
    count = len(whole.impacts)
    for k in range(count):
        row = single.next_impact()
        looked_at.run(impacts=1)
        assert np.isfinite(looked_at.position).all()
        assert row.t == whole.impacts.t[k] == looked_at.time == single.time
        assert row.tolist() == whole.impacts[k].tolist()
    assert count > 20
    for simulation in (single, looked_at):
        simulation.run(until=1.0)
        assert bytes_of(simulation) == bytes_of(whole)
        assert simulation.impacts.tolist() == whole.impacts.tolist()


@BOTH
def test_a_row_says_all_that_the_table_says(engine):
    obstacles = [wall._replace(name=f"wall {k}") for k, wall in enumerate(WALLS)]
    balls = [Ball((1.5, 1.5, z), (0, 0, v), radius=0.3) for z, v in ((0.9, 1.0), (2.1, -1.0))]
    simulation = Simulation(balls, obstacles, engine=engine)
    for k in range(4):
        row = simulation.next_impact()
        last = simulation.impacts[-1]
        assert row.tolist() == last.tolist()
        assert (row.dtype, type(row), row.event) == (last.dtype, type(last), k)
    assert {"", "wall 4", "wall 5"} == set(simulation.impacts.obstacle)


@pytest.mark.compiled_only
@BOTH
def test_many_single_impacts_are_kept_in_order(engine):
    ball = Ball((1, 0, 0), (1, 0, 0), radius=0.5)
    room = [Plane((0, 0, 0), (1, 0, 0)), Plane((2, 0, 0), (-1, 0, 0))]
    simulation = Simulation([ball], room, engine=engine, step=10.0)
    for _ in range(1002):
        simulation.run(impacts=1)
    table = simulation.impacts
    assert table.t == pytest.approx(np.arange(1002) + 0.5)
    assert table.event.tolist() == list(range(1002))


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_of_the_table_answers_the_protocol(name):
    simulation = gas(name)
    assert simulation.engine == name
    asked = {word for word in vars(Engine) if not word.startswith("_")}
    engine: Engine = simulation._engine
    assert {"go_on", "save", "resume", "log_impacts"} <= asked
    assert all(hasattr(engine, word) for word in asked | set(Engine.__annotations__))
    assert (simulation.snapshots is None) == ENGINE_KINDS[name].has_fixed_step


@BOTH
def test_impacts_are_counted_where_they_are_not_kept(engine):
    simulation = gas(engine)
    simulation.log_impacts(False)
    simulation.run(impacts=5)
    assert len(simulation.impacts) == 0
    assert simulation.tally.ball_impacts + simulation.tally.obstacle_impacts == 5
    assert simulation.next_impact() is None
    simulation.log_impacts(True)
    assert simulation.next_impact() is not None


def test_an_overlap_is_warned_of_where_the_simulation_is_made():
    pillar = Obstacle(Cylinder((0, 0, 0), (0, 1, 0), 1), name="pillar")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = test_an_overlap_is_warned_of_where_the_simulation_is_made.__code__.co_firstlineno + 5
        Simulation([Ball((1.5, 0, 0), radius=1)], [pillar])
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (__file__, line)
    assert "ball 0 and pillar overlap" in str(warning.message)


@pytest.mark.parametrize("engine", ["steps", "events"])
def test_an_edit_is_adopted_once_also_where_batches_are_taken(engine):
    """An edit that was adopted, but still compared, ended `compare` in an error."""
    simulation = Simulation([Ball((0, 0, 0), radius=1), Ball((9, 0, 0), radius=1)], engine=engine)
    velocity = simulation.velocity
    velocity[0] = (1, 0, 0)
    (batch,) = [batch for batch in simulation.batches(20.0) if len(batch.t)]
    assert batch.t == pytest.approx(7.0)
    assert velocity[:, 0] == pytest.approx([0, 1])


@BOTH
def test_the_row_of_the_next_impact_has_its_number_however_many_are_kept(engine):
    simulation = gas(engine)
    simulation.run(impacts=5)
    assert simulation.next_impact().event == 5
    simulation.keep_impacts(2)
    simulation.run(impacts=3)
    assert simulation.next_impact().event == simulation.impacts.event[-1] == 3


@BOTH
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_a_copy_of_a_simulation_is_its_own(engine, copied):
    """A copy once showed, and wrote into, the arrays of the simulation that it was made from."""
    simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=1)], engine=engine, step=0.25)
    simulation.run(until=1)
    here = simulation.position
    here[0, 1] = 5.0  # not adopted yet
    other = copied(simulation)
    other.run(until=2)
    assert (other.time, other.state.time[0], simulation.time) == (2.0, 2.0, 1.0)
    assert other.position.tolist() == [[2.0, 5.0, 0.0]]
    assert simulation.position.tolist() == [[1.0, 5.0, 0.0]]
    assert not np.shares_memory(other.position, simulation.position)
    for array in (other.world.restitution, other.state.time):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.5
    assert copied(simulation.balls[0]).position == (1, 5, 0)


@BOTH
def test_gravity_is_read_and_not_set(engine):
    simulation = Simulation([Ball((0, 0, 0), radius=1)], (), (0, -2, 0), engine=engine)
    assert simulation.gravity == simulation.world.gravity == (0.0, -2.0, 0.0)
    with pytest.raises(AttributeError, match="gravity of a simulation is constant: make a new"):
        simulation.gravity = (0, 0, 0)


def test_a_component_of_a_vector_is_not_set():
    ball = Simulation([Ball((0, 0, 0), radius=1)]).balls[0]
    with pytest.raises(AttributeError, match="replace the whole vector, as in"):
        ball.velocity.x = 3
    with pytest.raises(TypeError, match="replace the whole vector, as in"):
        ball.velocity[1] = 2


@BOTH
def test_simultaneous_impacts_happen_in_the_order_of_the_balls_numbers(engine):
    """A ball hits two that touch it at the same time: the one with the lower number takes more."""
    side = np.sqrt(3.0)
    balls = [Ball((side, y, 0), radius=1) for y in (1, -1)]
    balls.append(Ball((-2, 0, 0), (1, 0, 0), radius=1))
    simulation = Simulation(balls, engine=engine, step=1.0)
    simulation.run(until=4.0)
    assert simulation.impacts.t[:2] == pytest.approx([2.0, 2.0])
    assert [(row.i, row.j) for row in simulation.impacts[:2]] == [(0, 2), (1, 2)]
    # The normals are 60° apart: of the cos 30° along each, the first leaves half to the second.
    cosine = side / 2
    assert simulation.impacts.impulse[:2] == pytest.approx([cosine, cosine / 2])
    speeds = [ball.velocity.mag() for ball in simulation.balls[:2]]
    assert speeds == pytest.approx([cosine, cosine / 2])


@pytest.mark.parametrize("engine", ["steps", "events"])
def test_no_state_out_of_range_is_restored(engine):
    simulation = Simulation([Ball((0, 0, 0), radius=1)], engine=engine)
    with pytest.raises(ValueError, match="position of ball 0 must be from"):
        simulation.restore(0.5, [[1e80, 0, 0]], [[0, 0, 0]])
    simulation.run(until=1)
    assert (simulation.time, simulation.tally.steps) == (1.0, 100 * (engine == "steps"))
    assert simulation.position.tolist() == [[0, 0, 0]]


def test_what_is_printed_is_short_and_says_what_it_is():
    simulation = Simulation(
        [Ball((1, 2, 3 + k), (0.1, 0.2 - 0.05, 0), radius=0.4) for k in range(12)]
    )
    simulation.run(until=0.1)
    assert repr(simulation) == (
        "<Simulation of 12 balls and 0 obstacles by the engine 'steps': t = 0.1, 0 impacts>"
    )
    first = "<ball 0: position (1.01, 2.015, 3), velocity (0.1, 0.15, 0), radius 0.4>"
    assert repr(simulation.balls[0]) == first
    assert repr(simulation.balls).startswith(f"[{first}, <ball 1: ")
    assert repr(simulation.balls).endswith("] and 2 more")


@pytest.mark.parametrize("index", ["bob", 1.0, None, (0, 1)])
def test_an_index_of_balls_is_a_whole_number(index):
    balls = [Ball((0, 0, 0), radius=1, name="bob"), Ball((5, 0, 0), radius=1)]
    for sequence in (Simulation(balls).balls, Balls.of(balls)):
        with pytest.raises(TypeError, match="an index of balls must be a whole number, not"):
            sequence[index]
        with pytest.raises(IndexError, match="there are 2 balls, so none has the index -3"):
            sequence[-3]
