"""The vector: its algebra on whole numbers, where floats are exact, and what may make one."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spheresim.numerics.vector import TVector

whole = st.integers(-1000, 1000).map(float)
vectors = st.builds(TVector, whole, whole, whole)
finite = st.floats(-1e300, 1e300)


@given(vectors, vectors, whole)
def test_the_operators_are_those_of_a_vector_space(a, b, scalar):
    assert tuple(a + b) == tuple(np.add(a, b))
    assert tuple(a - b) == tuple(np.subtract(a, b))
    assert tuple(a * scalar) == tuple(np.multiply(a, scalar)) == tuple(scalar * a)
    assert -a == a * -1.0
    if scalar:
        assert (a * scalar) / scalar == a
    assert (a + b) * scalar == a * scalar + b * scalar
    assert {type(a + b), type(a - b), type(-a), type(2 * a), type(a / 2)} == {TVector}


@given(vectors, vectors)
def test_dot_and_cross_fulfil_lagranges_identity_exactly(a, b):
    assert a.cross(b).mag_sqr() + a.dot(b) ** 2 == a.mag_sqr() * b.mag_sqr()


@given(vectors, vectors, vectors)
def test_cross_is_perpendicular_antisymmetric_and_cyclic(a, b, c):
    assert a.cross(b).dot(a) == a.cross(b).dot(b) == 0.0
    assert a.cross(b) == -b.cross(a)
    assert a.cross(b).dot(c) == b.cross(c).dot(a)
    assert a.cross(b.cross(c)) == b * a.dot(c) - c * a.dot(b)  # bac - cab


def test_cross_is_right_handed():
    assert TVector(1, 0, 0).cross(TVector(0, 1, 0)) == TVector(0, 0, 1)


@given(vectors, vectors, vectors)
def test_distances_are_symmetric_and_obey_the_triangle_inequality(a, b, c):
    assert a.dist(b) == b.dist(a) == (a - b).mag()
    assert a.dist_sqr(b) == (a - b).mag_sqr()
    assert a.dist(c) <= (a.dist(b) + b.dist(c)) * (1 + 1e-15)


def test_lengths_are_those_of_the_eulerian_brick_and_of_boxes_with_whole_diagonals():
    boxes = [(1, 2, 2, 3), (2, 3, 6, 7), (1, 4, 8, 9), (4, 4, 7, 9), (2, 6, 9, 11), (8, 9, 12, 17)]
    assert [TVector(x, y, z).mag() for x, y, z, _ in boxes] == [box[3] for box in boxes]
    brick = TVector(44, 117, 0), TVector(44, 0, 240), TVector(0, 117, 240)
    assert [face.mag() for face in brick] == [125, 244, 267]


@given(finite, finite, finite)
def test_unit_has_length_one_and_the_same_direction_however_small_or_large(x, y, z):
    vector = TVector(x, y, z)
    largest = max(map(abs, vector))
    assume(largest > 0.0)
    unit = vector.unit()
    assert math.hypot(*unit) == pytest.approx(1.0, rel=4e-16)
    for component, expected in zip(unit, vector, strict=True):
        scaled = expected / largest
        assert component * math.hypot(*(v / largest for v in vector)) == pytest.approx(
            scaled, rel=1e-15, abs=1e-300
        )


@given(finite, finite, finite)
def test_perpendicular_is_a_unit_vector_at_right_angles(x, y, z):
    assume(1e-150 < max(abs(x), abs(y), abs(z)) < 1e150)
    vector = TVector(x, y, z)
    other = vector.perpendicular()
    assert other.mag() == pytest.approx(1.0, rel=4e-16)
    assert abs(other.dot(vector.unit())) <= 4e-16


@pytest.mark.parametrize(
    "source", [(1, 2, 3), [1.0, 2.0, 3.0], np.array([1, 2, 3]), range(1, 4), iter([1, 2, 3])]
)
def test_whatever_holds_three_numbers_makes_a_vector_of_plain_floats(source):
    vector = TVector(source)
    assert vector == (1.0, 2.0, 3.0)
    assert {type(component) for component in vector} == {float}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ([1, 2], "three components, not 2"),
        ([1, 2, 3, 4], "three components, not 4"),
        (7, "three components, not one: 7"),
        (None, "three components, not one: None"),
        (["1", "2", "3"], "is a number, not '1'"),
        ([1, True, 3], "is a number, not True"),
        ([1, None, 3], "is a number, not None"),
        ((k for k in range(2)), "three components, not 2"),
        ([(1, 2), (3, 4), (5, 6)], r"is a number, not \(1, 2\)"),
        (np.ones((3, 1)), r"is a number, not array\(\[1.\]\)"),
    ],
)
def test_nothing_else_makes_a_vector(source, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        TVector(source)


@pytest.mark.parametrize("components", [("1", 2, 3), (1, None, 2), (1, False, 2)])
def test_loose_components_are_checked_like_those_in_a_list(components):
    with pytest.raises(TypeError, match="a vector's component is a number, not"):
        TVector(*components)


@pytest.mark.parametrize("factor", [TVector(1, 2, 3), (1, 2, 3), "a", np.ones(3), None])
def test_a_vector_is_scaled_by_a_number_alone(factor):
    vector = TVector(1, 2, 3)
    for scale in vector.__mul__, vector.__truediv__:
        with pytest.raises(TypeError, match=r"by a number, not by .* two vectors are dot and cros"):
            scale(factor)
    assert vector * np.float64(2) == vector * np.array(2) == vector * np.int8(2) == (2, 4, 6)


def test_a_sum_of_vectors_starts_from_a_vector():
    vectors = [TVector(1, 2, 3), TVector(1, 1, 1)]
    with pytest.raises(
        TypeError, match=r"not to the number 0: .* sum\(vectors, TVector\(0, 0, 0\)"
    ):
        sum(vectors)
    assert sum(vectors, TVector(0, 0, 0)) == (2, 3, 4)


@pytest.mark.parametrize("strange", [math.inf, -math.inf, math.nan])
def test_a_vector_that_is_not_finite_has_no_direction(strange):
    for vector in TVector(strange, 0, 0), TVector(1, 2, strange):
        with pytest.raises(ValueError, match="a vector with a direction must be finite, not"):
            vector.unit()


def test_two_numbers_are_no_vector():
    with pytest.raises(TypeError, match="a vector has three components, not two: 1 and 2"):
        TVector(1, 2)


def test_a_vector_never_changes():
    vector = TVector(1, 2, 3)
    with pytest.raises(AttributeError):
        vector.x = 5.0
    with pytest.raises(AttributeError):
        vector.w = 5.0
    with pytest.raises(TypeError):
        vector[0] = 5.0
    assert {vector: "usable as a key"}[TVector(1, 2, 3)]


def test_the_zero_vector_has_no_direction():
    with pytest.raises(ValueError, match="zero vector has no direction"):
        TVector(0, 0, 0).unit()


def test_a_number_out_of_an_array_scales_a_vector_from_either_side():
    # numpy takes a tuple for an array unless the vector says otherwise.
    speed = np.array([2.0])[0]
    assert type(speed * TVector(1, 2, 3)) is type(TVector(1, 2, 3) * speed) is TVector
