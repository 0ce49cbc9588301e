"""A shape grown by a radius is what it is to the centre of a ball outside of it."""

import numpy as np
import pytest
from any_shape import SHAPES

from spheresim import Ball, Disc, Mesh, Ring, Simulation, Sphere
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.bounded import Bounded

BOUNDED = [name for name, shape in SHAPES.items() if isinstance(shape, Bounded)]


@pytest.mark.parametrize("radius", [0.2, 4.0])
@pytest.mark.parametrize("name", BOUNDED)
def test_a_ray_hits_the_grown_shape_where_a_ball_is_stopped(name, radius):
    shape, random = SHAPES[name], np.random.default_rng(len(name))
    grown, hits = shape.offset(radius), 0
    for _ in range(60):
        start = random.normal(size=3)
        start *= 20.0 / np.linalg.norm(start)
        ray = TRay(TVector(start), TVector(random.uniform(-3.0, 3.0, 3) - start))
        time, hit = shape.toi(ray, radius), grown.hit(ray)
        assert (hit is None) == (time == np.inf)
        if hit is not None:
            hits += 1
            assert hit.distance == pytest.approx(time * ray.direction.mag(), rel=1e-9)
            assert shape.clearance(hit.point) == pytest.approx(radius, rel=1e-9)
    assert hits > 5


def test_grown_shapes_are_of_the_same_kind_where_that_has_a_radius():
    ring = Ring((0, 0, 0), (0, 0, 1), 2, 0.5)
    assert Sphere((1, 2, 3), 2).offset(0.5) == Sphere((1, 2, 3), 2.5)
    assert ring.offset(1) == Ring((0, 0, 0), (0, 0, 1), 2, 1.5)
    assert ring.offset(2).gap((0, 0, 5)) == pytest.approx(29**0.5 - 2.5)  # it has no hole left
    disc = Disc((0, 0, 0), (0, 0, 1), 2).offset(0.5).offset(0.25)
    assert disc.gap((0, 0, 3)) == pytest.approx(2.25)
    assert disc.encloses(np.array([(2.5, 0, 0), (2.8, 0, 0), (0, 0, 0.7)])).tolist() == (
        [True, False, True]
    )


@pytest.mark.parametrize("name", SHAPES)
def test_only_some_grown_shapes_are_of_no_kind_of_scene_files(name):
    kinds = {"capped cylinder", "disc", "mesh", "compound"}
    assert (SHAPES[name].offset(0.1).kind == "grown shape") == (name in kinds)


def test_a_negative_offset_is_refused():
    with pytest.raises(ValueError, match="an offset must be at least 0"):
        Sphere((0, 0, 0), 2).offset(-1.0)


def test_a_grown_mesh_cannot_be_saved(tmp_path):
    grown = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]).offset(0.5)
    simulation = Simulation([Ball((9, 0, 0), radius=1)], [grown])
    with pytest.raises(ValueError, match="grown shape 0 cannot be saved: a grown shape"):
        simulation.save_scene(tmp_path / "scene.toml")
