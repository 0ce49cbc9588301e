"""What a person tries from Python: overlaps are warned of, tuples are vectors."""

import math
import warnings

import numpy as np
import pytest

from spheresim import (
    Ball,
    BallFile,
    CappedCylinder,
    Compound,
    Cylinder,
    MaterialPair,
    Obstacle,
    Plane,
    Simulation,
    Sphere,
    Surfaces,
    TRay,
    TVector,
    obstacle_toi,
)
from spheresim.scene import SceneError, load_scene

FLOOR = Plane((0, 0, 0), (0, 1, 0))


def load_scene_of(folder, text):
    (folder / "scene.toml").write_text(text, "utf-8")
    return load_scene(folder / "scene.toml")


def ball(x, radius=1.0):
    return Ball((x, 0, 0), radius=radius)


# --- Overlaps -------------------------------------------------------------------------


def warned(*arguments, **options):
    """The words of the one warning, and where it is said to come from."""
    with pytest.warns(UserWarning, match="overlap|behind") as caught:
        Simulation(*arguments, **options)
    (warning,) = caught
    assert warning.filename == __file__
    return str(warning.message)


def test_balls_that_overlap_are_warned_of_once_with_names_and_depth():
    assert "ball 1 and ball 0 overlap by 0.25: their centres are 1.75 apart" in warned(
        [ball(0), ball(1.75), ball(9)]
    )
    red = Ball((0.5, 0, 0), radius=1, name="red")
    text = warned([ball(0), red, ball(1)])
    assert text.startswith("red and ball 0 overlap by 1.5")
    assert text.endswith("(and 2 more)")


def test_a_ball_in_an_obstacle_is_warned_of():
    low = [Ball((0, 0.75, 0), radius=1)]
    assert "ball 0 and plane 0 overlap by 0.25" in warned(low, [FLOOR])
    pillar = Obstacle(Cylinder((2, 0, 0), (0, 1, 0), 1.5), name="pillar")
    assert "ball 0 and pillar overlap by 0.5" in warned(low, [pillar])


@pytest.mark.parametrize(
    "obstacle",
    [
        Cylinder((0, 0, 0), (0, 1, 0), 0.25),
        CappedCylinder((0, -5, 0), (0, 5, 0), 0.25),
        Sphere((0, 0, 0), 0.25),
    ],
)
def test_a_ball_that_fills_a_tube_or_a_bowl_is_refused(obstacle, tmp_path):
    """In a tube without room a ball went through the wall, or became NaN."""
    made = Simulation([Ball((0, 0, 0), radius=0.25 * (1 - 2e-9))], [obstacle])
    with pytest.raises(ValueError, match=r"ball 0 fills .*: its radius, 0.25, must be smaller"):
        Simulation([Ball((0, 0, 0), radius=0.25)], [obstacle])
    made.save_scene(tmp_path / "fit.toml", until=1.0)
    text = (tmp_path / "fit.toml").read_text("utf-8")
    assert "radius = 0.2499999995" in text
    with pytest.raises(SceneError, match="ball 0 fills"):
        load_scene_of(tmp_path, text.replace("radius = 0.2499999995", "radius = 0.25"))


def test_balls_across_a_plane_with_centres_behind_it_are_warned_of():
    """A ball at the origin, on a floor through it, would fall through the floor."""
    text = warned([ball(0), ball(3), Ball((9, -5, 0), radius=1)], [FLOOR])
    assert text == (
        "ball 0 and 1 more start with their centres behind plane 0, which does not stop what comes "
        "from there"
    )


def test_balls_that_overlap_through_the_faces_of_a_box_are_warned_of():
    assert "overlap by 1:" in warned([ball(0.5), ball(9.5)], box=(10, 10, 10))


def test_what_touches_behind_a_plane_or_is_not_to_be_checked_is_no_warning():
    with warnings.catch_warnings(action="error"):
        Simulation([ball(0), ball(2 * (1 - 1e-10))])
        Simulation([Ball((0, 1, 0), radius=1), Ball((0, -9, 0), radius=1)], [FLOOR])
        Simulation([ball(0), ball(1)], check=False)
        Simulation.from_scene(load_scene("newtons_cradle"))


# --- Vectors ----------------------------------------------------------------------------

LIKE = pytest.mark.parametrize("like", [tuple, list, np.array, iter, TVector])


@LIKE
def test_whatever_makes_a_vector_stands_for_one(like):
    a = TVector(1, 2, 2)
    assert a.dot(like([1, 2, 3])) == 11
    assert a.cross(like([0, 3, 4])) == (2, -4, 3)
    assert (a.dist(like([1, 2, 5])), a.dist_sqr(like([1, 2, 5]))) == (3, 9)
    assert a + like([1, 1, 1]) == (2, 3, 3)
    assert a - like([1, 1, 1]) == (0, 1, 1)
    assert isinstance(a - like([1, 1, 1]), TVector)
    assert FLOOR.gap(like([7, 2, 7])) == 2
    assert FLOOR.normal_at(like([7, 0, 7]), seen_from=like([0, 5, 0])) == (0, 1, 0)
    pillar = Cylinder((0, 0, 0), (0, 0, 1), 2)
    assert pillar.gap(like([0, 5, 9])) == 3
    assert pillar.is_tube(like([0, 1, 9]))
    assert pillar.normal_at(like([0, 2, 9]), like([0, 5, 9])) == (0, 1, 0)
    ray = TRay((0, 0, 0), (2, 0, 0))
    assert ray.nearest_point(like([3, 4, 0])) == (3, 0, 0)
    assert (ray.nearest_parameter(like([3, 4, 0])), ray.dist(like([3, 4, 0]))) == (1.5, 4)


@pytest.mark.parametrize("like", [tuple, list])
def test_a_tuple_before_a_vector_is_added_and_not_lengthened(like):
    assert like([1, 2, 3]) + TVector(1, 1, 1) == (2, 3, 4)
    assert like([1, 2, 3]) - TVector(1, 1, 1) == (0, 1, 2)
    rows = np.ones((4, 3)) - TVector(1, 2, 3)  # numpy's arrays stay arrays
    assert rows.tolist() == [[0, -1, -2]] * 4


@pytest.mark.parametrize("wrong", [(1, 2), (1, 2, 3, 4), "abc", 3, None, (1, "a", 2)])
def test_what_makes_no_vector_stands_for_none(wrong):
    for ask in (TVector(1, 2, 3).dot, FLOOR.gap, TVector(1, 2, 3).__sub__):
        with pytest.raises((TypeError, ValueError), match="a vector"):
            ask(wrong)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"shape": "floor"}, "an obstacle must be one of plane, cylinder, .*, not 'floor'"),
        ({"shape": Ball((0, 0, 0), radius=1)}, "an obstacle must be one of .*, not Ball"),
        ({"restitution": -0.5}, "an obstacle's restitution must be from 0 to 1, not -0.5"),
        ({"restitution": 2}, "an obstacle's restitution must be from 0 to 1, not 2.0"),
        ({"restitution": math.nan}, "an obstacle's restitution must be finite, not nan"),
        ({"restitution": "0.5"}, "an obstacle's restitution must be a number, not '0.5'"),
        ({"name": 5}, "an obstacle's name must be a text, not 5"),
        ({"material": 5}, "an obstacle's material must be a text, not 5"),
        ({"motion": (0, 1, 0)}, "an obstacle's motion must be one of ConstantVelocity, Osc"),
        ({"thermal": 2.0}, "an obstacle's thermal must be a Thermal, not 2.0"),
    ],
)
def test_the_values_of_an_obstacle_are_checked(values, sentence):
    with pytest.raises((TypeError, ValueError), match=f"^{sentence}"):
        Obstacle(**{"shape": FLOOR, **values})


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Surfaces(materials=5), "surfaces: materials must be a list of Materials, not 5"),
        (lambda: Surfaces(materials=["steel"]), "surfaces: materials must be a list of Materials"),
        (lambda: Surfaces(pairs=5), "surfaces: pairs must be a list of MaterialPairs, not 5"),
        (lambda: MaterialPair(5), "a pair's materials must be two names, not 5"),
        (lambda: BallFile(5), "a ball file must be a path, not 5"),
        (lambda: Compound(5), "a compound is made of sphere, .*, not of 5"),
        (lambda: Simulation.load(5), "a scene must be a name or a path, not 5"),
    ],
)
def test_arguments_of_a_wrong_kind_are_told_in_a_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError), match=f"^{sentence}"):
        make()


def test_an_obstacle_stands_for_its_shape():
    falling = Ball((0, 3, 0), (0, -2, 0), radius=1)
    assert obstacle_toi(falling, Obstacle(FLOOR)) == obstacle_toi(falling, FLOOR) == 1.0


# --- Views --------------------------------------------------------------------------------


def test_a_kept_position_is_a_copy_where_the_docstring_says_so():
    simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=1)])
    rows, views = [], []
    for k in range(3):
        simulation.run(until=float(k))
        rows.append(simulation.position[0].copy())
        views.append(simulation.balls[0].position)
    assert [row[0] for row in rows] == [view.x for view in views] == pytest.approx([0, 1, 2])
    assert "copy" in Simulation.position.__doc__
    assert "copy" in Simulation.velocity.__doc__
