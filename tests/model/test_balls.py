"""Balls as columns behave as the list of balls that they stand for."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim import Ball, Simulation, TVector
from spheresim.model.balls import Balls
from spheresim.model.labels import Labels

finite = st.floats(-1e9, 1e9)
vectors = st.tuples(finite, finite, finite)
positive = st.floats(1e-9, 1e9)
texts = st.none() | st.sampled_from(["red", "ball 0", "ball 3", "ball 03", "#ff0000", "ä, b"])
balls = st.builds(Ball, vectors, vectors, positive, positive, st.floats(0, 1), texts, texts)
many = st.lists(balls, max_size=6)


def said(balls):
    """All that there is to say of each."""
    return [(repr(ball), ball.name, ball.color) for ball in balls]


@given(many)
def test_columns_hold_what_the_list_holds(listed):
    columns = Balls.of(listed)
    assert len(columns) == len(listed)
    assert said(columns) == said(listed)
    assert said(reversed(columns)) == said(reversed(listed))
    assert Balls.of(columns) is columns
    assert columns == Balls.of(iter(listed))
    assert bool(columns) == bool(listed)
    assert repr(columns) == f"Balls({listed!r})"


@given(many, st.data())
def test_an_index_or_a_slice_is_that_of_the_list(listed, data):
    columns = Balls.of(listed)
    for index in range(-len(listed), len(listed)):
        assert said([columns[index]]) == said([columns[np.int64(index)]]) == said([listed[index]])
        assert isinstance(columns[index].position, TVector)
        assert type(columns[index].radius) is float
    for index in (len(listed), -len(listed) - 1):
        with pytest.raises(IndexError, match=f"there are {len(listed)} balls"):
            columns[index]
    part = data.draw(st.slices(len(listed)))
    assert said(columns[part]) == said(listed[part])
    assert columns[part] == Balls.of(listed[part])


@given(many, many, many)
def test_sums_are_those_of_the_lists(a, b, c):
    assert said(Balls.of(a) + Balls.of(b)) == said(a + b)
    assert said(Balls.of(a) + b) == said(a + Balls.of(b)) == said(a + b)
    assert said(Balls.joined([Balls.of(part) for part in (a, b, c)])) == said(a + b + c)
    assert len(Balls.joined([])) == 0


@given(many, many)
def test_columns_are_equal_if_all_is(a, b):
    assert (Balls.of(a) == Balls.of(b)) == (said(a) == said(b))
    assert Balls.of(a) != a


@given(many)
def test_who_has_no_name_gets_a_number(listed):
    names = [ball.name or f"ball {i}" for i, ball in enumerate(listed)]
    assert list(Balls.of(listed).numbered().name) == names
    assert [ball.name for ball in Balls.of(listed).numbered()] == names


def test_columns_cannot_be_written_to():
    columns = Balls.of([Ball((0, 0, 0), radius=1)])
    for column in (columns.position, columns.velocity, columns.radius, columns.mass):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 2.0


def test_a_ball_of_columns_cannot_be_written_to():
    """Else what was written would be lost without a word."""
    columns = Balls.of([Ball((0, 0, 0), radius=1, name="a")])
    for ball in (columns[0], *columns, *columns[:1], *reversed(columns)):
        for attribute in Ball.__slots__:
            with pytest.raises(AttributeError, match=f"given a {attribute}, .* copy.copy"):
                setattr(ball, attribute, getattr(ball, attribute))


@given(balls)
def test_a_copy_of_a_ball_of_columns_is_a_ball_of_ones_own(ball):
    shown = Balls.of([ball])[0]
    for own in (copy.copy(shown), copy.deepcopy(shown), pickle.loads(pickle.dumps(shown))):
        assert said([own]) == said([ball])
        assert type(own) is Ball
        own.mass = 2.0
        assert Balls.of([own])[0].mass == 2.0
    assert said([shown]) == said([ball])


@pytest.mark.parametrize(
    ("attribute", "value", "fault"),
    [
        ("mass", -1.0, "mass must be greater than 0"),
        ("radius", 0.0, "radius must be greater than 0"),
        ("restitution", 5.0, "restitution must be from 0 to 1"),
        ("position", (1.0, 2.0), "position: a vector has three components"),
        ("velocity", (0.0, math.nan, 0.0), "velocity must be finite"),
    ],
)
def test_a_value_that_is_assigned_is_checked(attribute, value, fault):
    ball = Ball((0, 0, 0), radius=1)
    with pytest.raises(ValueError, match=fault):
        setattr(ball, attribute, value)
    ball.position = [1, 2, 3]
    assert ball.position == TVector(1, 2, 3)


def test_an_empty_name_or_color_is_none():
    balls = [Ball((3 * i, 0, 0), radius=1, name="", color="") for i in range(2)]
    assert said(Balls.of(balls)) == said([Ball((3 * i, 0, 0), radius=1) for i in range(2)])
    assert [ball.name for ball in Simulation(balls).balls] == ["ball 0", "ball 1"]


def test_of_many_balls_not_all_are_shown():
    ball = Ball((0, 0, 0), radius=1)
    assert repr(Balls.of([ball] * 3002)).endswith("restitution=1.0)] and 2,002 more)")


def test_a_simulation_of_columns_is_that_of_the_list_and_leaves_them_alone():
    listed = [
        Ball((3.0 * i, 0, 0), (-i, 0, 0.5), 1, 1 + i, name=[None, f"b {i}"][i % 2])
        for i in range(9)
    ]
    columns = Balls.of(listed)
    one, other = Simulation(listed), Simulation(columns)
    for simulation in (one, other):
        simulation.run(until=2)
    assert one.position.tobytes() == other.position.tobytes()
    assert [ball.name for ball in one.balls] == [ball.name for ball in other.balls]
    assert said(columns) == said(listed)


@given(st.lists(texts), st.lists(texts))
def test_labels_are_equal_if_their_texts_are(a, b):
    assert list(Labels.of(a)) == a
    assert (Labels.of(a) == Labels.of(b)) == (a == b)
    assert list(Labels.joined([Labels.of(a), Labels.of(b)])) == a + b
    assert Labels.joined([Labels.of(a), Labels.of(b)]) == Labels.of(a + b)
    assert Labels.of(a).differ() == (len(set(a)) == len(a))
    assert Labels.joined([Labels.of(a), Labels.of(b)]).differ() == (len({*a, *b}) == len(a + b))


def test_numbered_names_need_no_strings():
    names = [f"ball {k}" for k in range(1000)]
    for labels in (Labels.of(names), Labels.of(names[::-1]), Labels.same(None, 1000).numbered()):
        assert labels.table == ()
        assert sorted(labels) == sorted(names)
    huge = ["ball 999999999", "ball 9999999999", "ball -1", "Ball 1", "ball 1 "]
    assert list(Labels.of(huge)) == huge


def test_balls_of_a_simulation_begin_another():
    own = (0.0, 0.5, 0.0)
    pulled = Ball((0, 0, 0), (1, 0, 0), radius=1, name="a", acceleration=own)
    first = Simulation([pulled, Ball((5, 0, 0), radius=2)])
    first.run(until=1)
    again = Simulation(first.balls)
    assert [ball.name for ball in again.balls] == ["a", "ball 1"]
    assert np.array_equal(again.position, first.position)
    assert np.array_equal(again.velocity, first.velocity)
    assert [ball.acceleration for ball in again.balls] == [own, (0.0, 0.0, 0.0)]


@pytest.mark.parametrize("strange", [5, 0, False, b"red", (1, 0, 0), ["red"]])
@pytest.mark.parametrize("what", ["name", "color"])
def test_a_name_or_a_color_that_is_no_text_is_refused(what, strange):
    with pytest.raises(TypeError, match="must be a text, not "):
        Balls.of([Ball((0, 0, 0), radius=1), Ball((3, 0, 0), radius=1, **{what: strange})])


@pytest.mark.parametrize("index", ["a", 1.0, None])
def test_an_index_that_is_no_whole_number_is_refused(index):
    with pytest.raises(TypeError, match="an index of balls must be a whole number, not"):
        Balls.of([Ball((0, 0, 0), radius=1)] * 3)[index]
