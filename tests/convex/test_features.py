"""The nearest feature by Voronoi regions, against GJK, and with coherence."""

import numpy as np
import pytest
from convex_pairs import random_body

from spheresim.convex import Bodies, VoronoiRegions, box, gjk_batch, hull, polygon, sphere


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("count", "asked"), [(6, 10), pytest.param(25, 300, marks=pytest.mark.compiled_only)]
)
@pytest.mark.parametrize("dimension", [2, 3])
def test_it_is_the_distance_that_gjk_finds(dimension, count, asked):
    random = np.random.default_rng(14)
    for k in range(count):
        family = ["solid", "box", "repeated points", "point", "segment"][k % 5]
        body = random_body(random, dimension, family)
        points = body.position[:dimension] + random.normal(size=(asked, dimension)) * 2
        answer = VoronoiRegions(body).nearest_batch(points)
        expected = gjk_batch(
            Bodies(body.geometry, body.poses.repeat(asked, axis=0)),
            Bodies.of([hull([point]) for point in points]),
        )
        assert answer.gap == pytest.approx(expected.gap, abs=1e-10)
        cores = answer.gap + body.radius > 1e-6
        outwards = answer.point[:, :dimension] - points
        assert np.linalg.norm(outwards[cores], axis=1) == pytest.approx(
            answer.gap[cores] + body.radius, abs=1e-10
        )


@pytest.mark.parametrize(
    ("point", "kind", "gap"),
    [
        ((0, 0, 3), "face", 2.0),
        ((0, 0, 0.75), "face", -0.25),  # inside
        ((4, 5, 0.5), "edge", 5.0),
        ((2, 3, 3), "vertex", 3.0),
        ((1, 0, 0), "face", 0.0),  # on the surface
    ],
)
def test_the_regions_of_a_box(point, kind, gap):
    regions = VoronoiRegions(box((1, 1, 1)))
    answer = regions.nearest(point)
    assert regions.kind(answer.feature) == kind
    assert answer.gap == gap


def test_from_the_last_feature_it_is_a_step_or_two():
    random = np.random.default_rng(15)
    regions = VoronoiRegions(hull(random.normal(size=(60, 3))))
    angle = np.linspace(0, 2 * np.pi, 2000)
    path = 3 * np.column_stack([np.cos(angle), np.sin(angle), 0.3 * np.sin(3 * angle)])
    last, coherent = None, []
    for point in path:
        last = regions.nearest(point, start=last)
        coherent.append(last.steps)
    cold = regions.nearest_batch(path)
    assert np.mean(coherent) < 1.1
    assert np.mean(cold.steps) > 3 * np.mean(coherent)
    assert last.feature == cold.feature[-1]
    warm = regions.nearest_batch(path + 1e-9, start=cold)
    assert (warm.gap - cold.gap) == pytest.approx(0.0, abs=1e-8)
    assert warm.steps.mean() < 1.01


def test_the_regions_move_with_the_body():
    regions = VoronoiRegions(box((1, 2), radius=0.5)).at((10, 0), np.pi / 2)
    answer = regions.nearest((10, 4))
    assert answer.gap == pytest.approx(2.5)
    assert answer.point[:2] == pytest.approx([10, 1])


def test_a_flat_face_in_space_is_refused_and_a_feature_that_is_not_there():
    with pytest.raises(ValueError, match="no inside"):
        VoronoiRegions(hull([(0, 0, 0), (1, 0, 0), (0, 1, 0)]))
    with pytest.raises(ValueError, match="no feature 9"):
        VoronoiRegions(box((1, 1))).kind(9)
    with pytest.raises(ValueError, match="must be finite"):
        VoronoiRegions(sphere(1)).nearest((0, 0, np.nan))


@pytest.mark.parametrize("scale", [1e-150, 1e-80, 1e80, 1e150])
def test_the_regions_of_the_largest_and_the_smallest(scale):
    cube = hull(box((1, 1, 1)).points * scale)
    regions = VoronoiRegions(cube)
    assert regions.nearest((0, 0, 3 * scale)).gap == pytest.approx(2 * scale)
    assert regions.kind(regions.nearest((2 * scale, 3 * scale, 4 * scale)).feature) == "vertex"


def test_numbers_of_edges_and_faces_are_those_of_the_body():
    for body in (polygon([(0, 0), (4, 0), (4, 2), (0, 2)]), box((1, 2, 3))):
        regions, corners = VoronoiRegions(body), len(body.points)
        for k, edge in enumerate(body.edges):
            middle = body.world_points[list(edge)].mean(axis=0)
            outside = middle + 0.1 * (middle - body.world_points.mean(axis=0))
            assert int(regions.nearest(outside[: body.dimension]).feature) == corners + k
        for k, face in enumerate(body.faces if body.dimension == 3 else ()):
            middle = body.world_points[list(face)].mean(axis=0)
            assert int(regions.nearest(1.1 * middle).feature) == corners + len(body.edges) + k
