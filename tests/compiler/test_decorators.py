"""One source, two ways to run: the same bits."""

import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from fresh_process import run
from numba.core.registry import cpu_target

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import kernel, routine, value
from spheresim.numerics.double_double import DoubleDouble, exact_difference, two_product, two_sum
from spheresim.numerics.ray import TRay
from spheresim.numerics.records import zero_record
from spheresim.numerics.roots import Quadratic, contact_quadratic
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane

pytestmark = pytest.mark.compiled_only

# --- The same bits --------------------------------------------------------------------


def vector_answers(a, b, scalar):
    return (
        (a + b, a - b, a * scalar, scalar * a, a / scalar, -a, a.cross(b), a.unit()),
        (a.dot(b), a.mag_sqr(), a.mag(), a.dist_sqr(b), a.dist(b)),
        (a.perpendicular(), b.perpendicular(), (2.0 * a - b / scalar).unit()),
    )


def exact_answers(a, b, scalar):
    x, y = two_sum(a.x, b.x), two_product(a.y, b.y)
    d = exact_difference(a, b)
    return x + y, x - y, x * y, d.dot(d), d.cross(exact_difference(b, a * scalar)), d.mag_sqr()


def root_answers(a, b, scalar):
    quadratic = contact_quadratic(a, b, scalar)
    outside = Quadratic(1.0, -3.0, 8.0, 1.0)
    return (
        (quadratic, quadratic.value_at(scalar), quadratic.first_root(), quadratic.last_root()),
        (outside.first_root(), outside.last_root(), outside.first_crossing()),
        (quadratic.crossings(), quadratic.first_crossing()),
        (quadratic.first_fall(), Quadratic(-1.0, 1.0, 1.0, 2.0).first_fall()),
    )


def ray_answers(a, b, scalar):
    ray, other = TRay(a, b), TRay(b, a.cross(b))
    return (
        (ray.at_parameter(scalar), ray.at(scalar), ray.nearest_parameter(a * scalar)),
        (ray.nearest_point(b), ray.nearest_points(other), other.nearest_points(ray)),
    )


def shape_answers(a, b, scalar):
    # The same questions to two kinds of shape: each must get its own answer.
    plane, cylinder = Plane(a, b.unit()), Cylinder(b, a.unit(), scalar)
    ray = TRay(a * 3.0 - b, b - a * 2.0)
    return (
        (plane.gap(ray.origin), plane.toi(ray, scalar), plane.normal_at(a, a)),
        (plane.offset(scalar).gap(b), cylinder.toi(ray, 2.0 * scalar)),
        (cylinder.gap(ray.origin), cylinder.toi(ray, 0.25), cylinder.toi(ray, scalar)),
        (cylinder.is_tube(a), cylinder.normal_at(a, a), cylinder.normal_at(a, ray.origin)),
        (plane.clearance(b), cylinder.clearance(b)),
        (plane.is_receding(ray.origin, b, a), cylinder.is_receding(ray.origin, b, a)),
        (plane.bend(ray.origin, b), cylinder.bend(ray.origin, b)),
        plane.growing_toi(ray.origin, ray.direction, scalar, 0.5),
        cylinder.growing_toi(ray.origin, ray.direction, 0.1 * scalar, 0.5),
        plane.falling_toi(ray.origin, ray.direction, a * scalar, scalar, 1e9),
        cylinder.falling_toi(ray.origin, ray.direction, a * 0.0, scalar, 1e9),
        cylinder.falling_toi(ray.origin, ray.direction, a * scalar, scalar, 1e9),
    )


@pytest.mark.parametrize(
    "answers", [vector_answers, exact_answers, root_answers, ray_answers, shape_answers]
)
def test_a_kernel_and_plain_python_agree_to_the_last_bit(answers):
    # numba, not `kernel`: what a test compiles has no business in the package's cache.
    compiled = numba.njit(error_model="numpy")(answers)
    random = np.random.default_rng(1)
    for _ in range(300):
        a, b = (TVector(random.normal(size=3) * 10.0 ** random.uniform(-9, 9)) for _ in "ab")
        scalar = abs(random.normal())
        assert repr(compiled(a, b, scalar)) == repr(answers(a, b, scalar))


@pytest.mark.parametrize("kind", [TVector, DoubleDouble, Quadratic, TRay, Plane, Cylinder])
def test_every_method_that_kernels_may_call_is_called_above(kind):
    asked = set()
    for answers in vector_answers, exact_answers, root_answers, ray_answers, shape_answers:
        asked |= set(answers.__code__.co_names)
    methods = {name: method for name, method in vars(kind).items() if not name.startswith("_")}
    for_kernels = {
        name
        for name, method in methods.items()
        if callable(method) and not hasattr(method, "python_only")
    }
    assert for_kernels <= asked


@pytest.mark.thorough
def test_the_kernels_answer_alike_with_and_without_the_compiler(tmp_path):
    script = Path(__file__).parents[1] / "support" / "kernel_answers.py"
    plain = run(script, NUMBA_DISABLE_JIT="1", HOME=str(tmp_path))
    kept = {name: os.environ[name] for name in ("HOME", "NUMBA_CACHE_DIR") if name in os.environ}
    assert run(script, **kept) == plain  # with the kernels that are compiled already
    assert len(plain.splitlines()) > 1540  # 1500 times, 40 steps, and then the impacts


# --- The settings ---------------------------------------------------------------------


class Rows(NamedTuple):
    numbers: Any
    ratios: Any


def divide(rows):
    for i in range(rows.ratios.size):
        rows.ratios[i] = rows.numbers[i, 0] / rows.numbers[i, 1]


def test_kernels_count_no_references_to_the_arrays_that_they_are_given(monkeypatch):
    # Half the speed hangs on a private option of numba's: this is where its loss would show.
    monkeypatch.setattr(
        "spheresim.compiler.kernel_cache.cache_folder", lambda: None
    )  # code to look at
    counts = []
    for compiled in kernel(divide), numba.njit(error_model="numpy")(divide):
        compiled(Rows(np.ones((4, 2)), np.zeros(4)))
        code = next(iter(compiled.inspect_llvm().values()))
        assert "define" in code
        counts.append("call void @NRT_decref" in code)
    assert counts == [False, True]  # the second shows that the first means something


EMPTY = """
from spheresim.compiler.decorators import inlined, kernel

@inlined
def nothing(x):
    \"\"\"For who has something to do here.\"\"\"

@kernel
def twice(x):
    nothing(x)
    return 2.0 * x

print(twice(1.5))
"""


@pytest.mark.thorough
def test_functions_that_do_nothing_compile_with_debug_information_too(tmp_path):
    # Numba looks for the line after the docstring, and raised IndexError: no engine compiled.
    (tmp_path / "empty.py").write_text(EMPTY, encoding="utf-8")
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    assert run(tmp_path / "empty.py", NUMBA_DEBUGINFO="1", **environment) == "3.0\n"


def test_a_division_by_zero_in_a_kernel_is_infinity():
    rows = Rows(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]), np.zeros(3))
    kernel(divide)(rows)
    assert repr(rows.ratios.tolist()) == "[inf, -inf, nan]"


# --- Names ----------------------------------------------------------------------------


@value
class Interval(NamedTuple("Interval", [("low", float), ("high", float)])):
    def middle(self):
        return 0.5 * (self.low + self.high)

    def shifted(self, by):
        return Interval(self.low + by, self.high + by)


@value
class Marked(NamedTuple("Marked", [("middle", float), ("shift", float)])):
    def shifted(self, amount):
        return self.middle + self.shift * amount


def middles(interval, marked):
    return interval.middle() + marked.middle, interval.shifted(1.0).low + marked.shifted(2.0)


def test_classes_share_no_names_of_fields_methods_or_parameters():
    arguments = Interval(1.0, 3.0), Marked(10.0, 0.5)
    assert kernel(middles)(*arguments) == middles(*arguments) == (12.0, 13.0)


# --- Tuples by reference --------------------------------------------------------------


@by_reference
class Inner(NamedTuple("Inner", [("grid", Any), ("scale", float), ("nothing", Any)])):
    pass


@by_reference
class Outer(NamedTuple("Outer", [("inner", Inner), ("at", TVector), ("names", Any)])):
    pass


@routine
def read(outer, k, by):
    inner = outer.inner
    if inner.nothing is None:
        inner.grid[k, 1] += by * inner.scale
    return inner.grid[k].sum() + outer.at.dot(outer.at) + outer.names[k].weight


def all_rows(outer, by):
    total = 0.0
    for k in range(outer.inner.grid.shape[0]):
        total += read(outer, k, by)
    return total


def one_row(outer):
    return read(outer, 1, 0.25)


@routine
def smooth(outer, k, by, rounds):
    """Too long to be copied into its callers."""
    grid, sum_of_all, largest = outer.inner.grid, 0.0, 0.0
    for n in range(rounds):
        for m in range(grid.shape[1]):
            left, right = grid[k - 1, m], grid[(k + 1) % grid.shape[0], m]
            if left > right:
                grid[k, m] += by * (left - right) / (1.0 + n)
            elif left < right:
                grid[k, m] -= by * (right - left) * math.sqrt(right - left)
            else:
                grid[k, m] = math.floor(by * grid[k, m]) + math.hypot(left, right)
            sum_of_all += math.fabs(grid[k, m])
            largest = max(largest, grid[k, m], by * left, by * right)
    return sum_of_all + largest * outer.at.mag()


def smooth_for_its_effect(outer):
    smooth(outer, 1, 0.5, 3)
    smooth(outer, 2, 0.5, 4)
    return outer.inner.grid[1, 1] + outer.inner.grid[2, 0]


def smooth_for_its_answer(outer, by):
    return smooth(outer, 1, by, 2) - smooth(outer, 0, 2.0 * by, 3)


def outer_of(numbers):
    names = np.array([(k, 0.5 * k) for k in range(3)], [("key", "i4"), ("weight", "f8")])
    return Outer(Inner(numbers, 2.0, None), TVector(1.0, 2.0, 3.0), names.view(np.recarray))


def test_fields_of_a_tuple_by_reference_are_read_and_their_arrays_written():
    plain, compiled = np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(3, 2)
    expected = all_rows(outer_of(plain), 0.5)
    assert kernel(all_rows)(outer_of(compiled), 0.5) == expected
    assert compiled.tolist() == plain.tolist()


class Odometer:
    turns: int
    distance: float


@by_reference
class Vehicle(NamedTuple("Vehicle", [("front", Any), ("back", Any), ("speeds", Any)])):
    pass


def moved(vehicle, by):
    vehicle.front.turns += 1
    vehicle.back.distance += by * vehicle.speeds[0]
    return vehicle.front.turns + vehicle.back.distance


def test_records_of_a_tuple_by_reference_are_taken_where_no_signal_can_interrupt(monkeypatch):
    # numpy's records look up attributes in Python: where a signal raised KeyboardInterrupt there,
    # the next record "had no attribute 'data'", and the program ended with a traceback.
    vehicle = Vehicle(zero_record(Odometer), zero_record(Odometer), np.full(1, 3.0))
    compiled = kernel(moved)
    assert compiled(vehicle, 0.5) == 2.5

    def interrupted(_record, _name):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(np.record, "__getattribute__", interrupted)
        assert compiled(vehicle, 0.5) == 5.0
    assert (vehicle.front.turns, vehicle.back.distance) == (2, 3.0)


def test_kernels_that_share_a_routine_keep_their_copies_apart(monkeypatch):
    # Each has a copy that takes what its callers do not know: one is not asked for its answer.
    # Where the copies had symbols, the linker of the JIT mixed them up, and the process ended.
    monkeypatch.setattr("spheresim.compiler.kernel_cache.cache_folder", lambda: None)
    for_effect, for_answer = kernel(smooth_for_its_effect), kernel(smooth_for_its_answer)
    for seed in range(3):
        numbers = np.random.default_rng(seed).normal(size=(3, 2))
        compiled, plain = outer_of(numbers.copy()), outer_of(numbers.copy())
        assert for_effect(compiled) == smooth_for_its_effect(plain)
        assert for_answer(compiled, 0.25) == smooth_for_its_answer(plain, 0.25)
    for compiled in for_effect, for_answer:
        code = next(iter(compiled.inspect_llvm().values()))
        copies = [
            line for line in code.splitlines() if line.startswith("define") and "6smooth" in line
        ]
        assert [line.split()[1] for line in copies] == ["private"]


def test_what_a_kernel_calls_is_translated_once_for_all_that_call_it():
    # Parts that the compiler made anew for each caller's settings were a third of the work.
    kernel(all_rows)(outer_of(np.zeros((3, 2))), 1.0)
    kernel(one_row)(outer_of(np.zeros((3, 2))))
    part = cpu_target.typing_context.resolve_value_type(read)
    assert len(part.get_call_signatures()[0]) == 1
