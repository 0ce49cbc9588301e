"""What is said while kernels compile, to whom, and how long it took."""

import io

import numba
import pytest

from spheresim.compiler import compile_time
from spheresim.compiler.compile_time import (
    compiling,
    expected_seconds,
    note_part,
    say_on_terminal,
    watch_compilation,
)
from spheresim.compiler.decorators import kernel, routine

pytestmark = pytest.mark.compiled_only


def test_what_compiles_in_the_block_is_timed():
    with watch_compilation() as watched:
        for number in (1, 2):
            numba.njit(lambda x, number=number: x + number)(1.0)
    first = watched.seconds
    assert first > 0.0
    assert watched.since is None
    numba.njit(lambda x: x + 3)(1.0)
    assert watched.seconds == first  # no longer watched


@pytest.fixture
def clock(monkeypatch):
    """A time that is set by hand."""
    now = [100.0]
    monkeypatch.setattr(compile_time.time, "perf_counter", lambda: now[0])
    return now


def test_a_large_kernel_is_spoken_of_once_it_is_known_how_fast_this_machine_is(clock):
    said = []
    with watch_compilation(said.append), compiling("the engine", 250):
        for part in range(250):
            assert (expected_seconds() is not None) == (part >= 25)
            clock[0] += 0.04
            with compiling("a kernel that it calls", 3):
                note_part()
    assert said == ["compiling the engine, once: about 13 s"]  # 10 s of parts, and to link them
    assert expected_seconds() is None


def test_of_a_small_kernel_nothing_is_said_and_of_an_unknown_one_no_time(clock):
    said = []
    with watch_compilation(said.append):
        with compiling("a small one", 0):
            for _ in range(24):
                note_part()
        with compiling("`unknown`", 0):
            for _ in range(40):
                note_part()
    assert said == ["compiling `unknown`, once"]


def test_a_kernel_counts_what_it_is_made_of(monkeypatch):
    made = []
    monkeypatch.setattr("spheresim.compiler.callables.note_part", lambda: made.append(1))

    @routine
    def half(x):
        return 0.5 * x

    def mean(x, y):
        return half(x) + half(y)

    assert kernel(mean)(1.0, 3.0) == 2.0
    assert len(made) == 1


@pytest.mark.parametrize(("is_terminal", "printed"), [(True, "spheresim: hear\n"), (False, "")])
def test_by_default_it_is_said_where_somebody_reads_along(monkeypatch, is_terminal, printed):
    stderr = io.StringIO()
    stderr.isatty = lambda: is_terminal
    monkeypatch.setattr("sys.stderr", stderr)
    say_on_terminal("hear")
    assert stderr.getvalue() == printed
    monkeypatch.setattr("sys.stderr", None)  # as in a program without a console
    say_on_terminal("hear")
