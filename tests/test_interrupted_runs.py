"""Ctrl-C in a program or a notebook: no impact is lost, and the run can go on from there."""

import os
import signal
import threading

import numpy as np
import pytest
from worlds import room

from spheresim import Fill, Gate, Run, Simulation
from spheresim.engines.catalogue import ENGINES

BOTH = pytest.mark.parametrize("engine", ENGINES)
SPHERES = Fill(
    count=40, radius=0.3, region={"low": (0, 0, 0), "high": (6, 6, 6)}, temperature=2, seed=1
)


@pytest.fixture(autouse=True)
def ctrl_c_is_not_ignored():
    """Where the suite runs in the background, it is handed down that this signal is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


class Watched:
    """A gas whose impacts are kept, counted, and given to functions."""

    def __init__(self, engine, gravity=(0, 0, 0)):
        self.simulation = Simulation(SPHERES, room(0, 6), gravity, engine=engine, step=0.01)
        self.counts = self.simulation.count()
        self.crossings = self.simulation.count_crossings(Gate((3, 3, 3), (1, 0, 0)))
        self.rows = []
        self.simulation.on_impact(lambda table: self.rows.extend(table.tolist()))

    def run(self, until):
        self.simulation.run(until=until)
        return self

    def assert_all_were_given(self):
        done = self.simulation.tally.impacts
        assert len(self.simulation.impacts) == len(self.rows) == done
        assert sum(count.impacts for count in self.counts.values()) == done
        assert self.simulation.impacts.event.tolist() == list(range(done))
        assert (self.simulation.impacts.t <= self.simulation.time).all()

    def assert_same(self, other):
        for mine, others in ((self, other), (other, self)):
            mine.assert_all_were_given()
            assert mine.rows == others.rows
            assert repr(mine.counts) == repr(others.counts)
            assert repr(mine.crossings) == repr(others.crossings)
        one, two = self.simulation, other.simulation
        assert one.time == two.time
        assert one.position.tobytes() == two.position.tobytes()
        assert one.velocity.tobytes() == two.velocity.tobytes()
        assert one.tally == two.tally


def interrupt_after_kernel(simulation, call):
    """Let a call of the engine's kernel return into an interrupt, as where Ctrl-C is pressed in it;
    call: which, from 1."""
    engine, left = simulation._engine, [call]
    kernel = engine._advance

    def advance(*arguments):
        result = kernel(*arguments)
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return result

    engine.__dict__["_advance"] = advance


@BOTH
@pytest.mark.parametrize(
    ("call", "go_on"),
    [
        (1, lambda s: s.run(until=2.0)),
        (1, lambda s: s.run(impacts=50)),
        (3, lambda s: s.run(until=2.0, stop=lambda _: False)),
        (4, lambda s: [s.next_impact() for _ in range(9)]),
        (7, lambda s: [s.step_once() for _ in range(90)]),
        (1, lambda s: s.advance(2.0)),
    ],
)
def test_an_interrupt_in_a_kernel_loses_no_impact(engine, call, go_on):
    whole, watched = Watched(engine), Watched(engine)
    interrupt_after_kernel(watched.simulation, call)
    with pytest.raises(KeyboardInterrupt):
        go_on(watched.simulation)
    if not watched.simulation.impacts.size:  # `advance` returns them instead, and so keeps none
        assert len(watched.rows) == watched.simulation.tally.impacts > 0
        return
    watched.assert_all_were_given()
    watched.run(2.0).assert_same(whole.run(2.0))


@pytest.mark.parametrize("until", [0.505, 0.5 + 1e-7])
def test_an_interrupt_in_a_shorter_last_step_does_not_shift_the_time(until):
    whole, watched = (Watched("steps", gravity=(0, -9.75, 0)) for _ in range(2))
    interrupt_after_kernel(watched.simulation, 2)  # the first goes to 0.5
    with pytest.raises(KeyboardInterrupt):
        watched.run(until)
    watched.assert_all_were_given()
    assert watched.simulation.time == until
    whole.run(until)
    watched.run(1.0).assert_same(whole.run(1.0))


@BOTH
def test_what_is_closed_early_in_a_shorter_last_step_has_the_right_time(engine):
    simulation = Watched(engine).simulation
    batches = simulation.batches(0.005)
    next(batches)
    batches.close()
    assert simulation.time <= 0.005


@BOTH
@pytest.mark.parametrize("kind", ["on_impact", "stop"])
def test_ctrl_c_in_a_function_of_the_user_ends_the_run_after_its_batch(engine, kind):
    whole, watched = Watched(engine), Watched(engine)
    presses = []

    def press(_):
        if not presses:
            presses.append(True)
            signal.raise_signal(signal.SIGINT)

    if kind == "on_impact":
        observer = watched.simulation.on_impact(press)
    with pytest.raises(KeyboardInterrupt):
        watched.simulation.run(until=2.0, stop=press if kind == "stop" else None)
    if kind == "on_impact":
        watched.simulation.stop_observing(observer)
    assert presses
    watched.run(2.0).assert_same(whole.run(2.0))


@BOTH
def test_a_second_ctrl_c_ends_a_function_at_once(engine):
    whole, watched = Watched(engine), Watched(engine)

    def hang(_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("goes on")

    watched.simulation.observers.insert(0, watched.simulation.on_impact(hang))
    watched.simulation.observers.pop()
    with pytest.raises(KeyboardInterrupt):
        watched.simulation.run(until=2.0)
    watched.simulation.stop_observing(watched.simulation.observers[0])
    watched.run(2.0).assert_same(whole.run(2.0))


@BOTH
def test_where_a_function_of_impacts_fails_the_others_get_them(engine):
    watched = Watched(engine)
    failing = watched.simulation.on_impact(lambda _: 1 / 0)
    watched.simulation.observers.insert(0, watched.simulation.observers.pop())
    with pytest.raises(ZeroDivisionError):
        watched.run(2.0)
    watched.simulation.stop_observing(failing)
    watched.run(2.0).assert_same(Watched(engine).run(2.0))


@pytest.mark.compiled_only
@BOTH
def test_a_pressed_ctrl_c_ends_a_run_of_a_million_years(engine):
    watched = Watched(engine)
    watched.rows = np.zeros(0)  # whose list would grow for as long as the machine is busy
    watched.simulation.stop_observing(watched.simulation.observers[-1])
    watched.simulation.run(until=0.01)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        watched.simulation.run(until=1e13)
    timer.join()
    done = watched.simulation.tally.impacts
    assert len(watched.simulation.impacts) == done > 1000
    assert sum(count.impacts for count in watched.counts.values()) == done
    assert watched.simulation.time >= watched.simulation.impacts.t[-1]


@BOTH
@pytest.mark.parametrize("where", ["kernel", "function"])
def test_a_saved_run_that_is_interrupted_has_all_its_impacts(engine, where, tmp_path):
    watched = Watched(engine)
    simulation = watched.simulation
    if where == "kernel":
        interrupt_after_kernel(simulation, 3)
    else:
        simulation.on_impact(lambda _: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        simulation.save(tmp_path / "run", until=10.0, frame_every=0.5)
    saved = Run.load(tmp_path / "run")
    assert saved.info["finished"] is False
    assert saved.info["impacts"] == len(saved.impacts) == simulation.tally.impacts > 0
    assert len(watched.rows) == simulation.tally.impacts


def test_in_a_thread_nothing_is_held_back():
    watched = Watched("events")
    worker = threading.Thread(target=watched.run, args=(2.0,))
    worker.start()
    worker.join()
    watched.assert_same(Watched("events").run(2.0))


def test_where_ctrl_c_does_something_else_that_is_done():
    pressed = []
    signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        watched = Watched("events")
        observer = watched.simulation.on_impact(lambda _: signal.raise_signal(signal.SIGINT))
        watched.run(2.0)
        watched.simulation.stop_observing(observer)
        assert pressed
        watched.assert_same(Watched("events").run(2.0))
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_comes_out_beside_another_exception():
    simulation = Watched("events").simulation

    def fail(_):
        os.kill(os.getpid(), signal.SIGINT)
        raise ValueError("of the user")

    simulation.on_impact(fail)
    with pytest.raises(KeyboardInterrupt) as raised:
        simulation.run(until=2.0)
    assert isinstance(raised.value.__context__, ValueError)


def test_an_interrupt_ends_a_run_inside_an_observer():
    outer, inner = Watched("events").simulation, Watched("events").simulation

    def run_inner(_):
        os.kill(os.getpid(), signal.SIGINT)
        inner.run(until=1e6)

    outer.on_impact(run_inner)
    with pytest.raises(KeyboardInterrupt):
        outer.run(until=2.0)
    assert inner.time < 1e6


@BOTH
@pytest.mark.parametrize("go_on", [lambda s: s.step_once(), lambda s: s.next_impact()])
def test_an_observer_that_writes_velocities_is_told_so(engine, go_on):
    simulation = Watched(engine).simulation
    simulation.run(until=0.5)
    simulation.on_impact(lambda _: simulation.velocity.__setitem__(0, 7.0))
    with pytest.raises(RuntimeError, match="not while it hands over its impacts"):
        [go_on(simulation) for _ in range(99)]
