"""k-DOPs, pixels, the Minkowski difference as an object, and convex decomposition."""

import builtins
from itertools import pairwise

import numpy as np
import pytest
from convex_pairs import random_pairs

from spheresim.convex import (
    Bodies,
    box,
    decompose,
    gjk,
    kdop,
    kdop_directions,
    kdops_overlap,
    minkowski_difference,
    pixels_overlap,
    pixels_overlap_batch,
    sat,
    sphere,
)


@pytest.mark.parametrize(("dimension", "ks"), [(2, (4, 8, 16)), (3, (6, 14, 18, 26))])
def test_k_dops_that_are_apart_are_never_wrong_and_more_directions_see_more(dimension, ks):
    pairs = list(random_pairs(60, 16, dimension))
    a, b = Bodies.of([pair.a for pair in pairs]), Bodies.of([pair.b for pair in pairs])
    overlapping = np.array([bool(sat(pair.a, pair.b).overlapping) for pair in pairs])
    seen = [kdops_overlap(kdop(a, k), kdop(b, k)) for k in ks]
    for found in seen:
        assert found[overlapping].all()
    assert seen[-1].sum() < seen[0].sum()
    one = kdop(pairs[0].a, ks[0])
    assert one.low.tolist() == kdop(a, ks[0]).low[0].tolist()


def test_a_6_dop_is_the_axis_aligned_box():
    bounds = kdop(sphere(2.0, (1, 2, 3)), 6)
    order = np.argmax(bounds.directions, axis=1)
    assert bounds.low.tolist() == [[-1, 0, 1][i] for i in order]
    assert bounds.high.tolist() == [[3, 4, 5][i] for i in order]


@pytest.mark.parametrize("k", [6, 14, 18, 26])
def test_directions_are_k_half_units_none_twice(k):
    directions = kdop_directions(k, 3)
    assert len(directions) == k // 2
    cosines = np.abs(directions @ directions.T)
    assert np.diag(cosines) == pytest.approx(1.0)
    assert (cosines - np.eye(k // 2)).max() < 0.99


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: kdop(box((1, 1)), 5), "even k, not 5"),
        (lambda: kdop(box((1, 1, 1)), 8), "6, 14, 18 or 26, not 8"),
        (lambda: kdops_overlap(kdop(box((1, 1)), 4), kdop(box((1, 1)), 8)), "same directions"),
        (lambda: pixels_overlap(np.ones(3), np.ones(3)), "rows and columns"),
        (lambda: pixels_overlap([[np.nan]], [[1]]), "not NaN"),
        (lambda: pixels_overlap([[1]], [[1]], (0.5, 0)), "whole numbers"),
        (lambda: decompose([(0, 0, 0), (1, 0, 0)], [(0, 1, 2)]), "must be indices of its vertices"),
        (lambda: decompose([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), "closed"),
        (lambda: decompose([(0, 0, np.nan)], [(0, 0, 0)]), "must be from"),
        (lambda: decompose(CORNER[0], CORNER[1][:-1]), "closed"),
        (lambda: decompose(CORNER[0], [*CORNER[1], CORNER[1][0]]), "closed"),
        (lambda: decompose(CORNER[0], [*CORNER[1][1:], CORNER[1][0][::-1]]), "closed"),
    ],
)
def test_faults(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()


def test_pixels_against_padded_masks():
    random = np.random.default_rng(17)
    masks_a, masks_b = random.random((50, 9, 12)) < 0.1, random.random((50, 7, 5)) < 0.1
    offsets = random.integers(-12, 14, size=(50, 2))
    counts = pixels_overlap_batch(masks_a, masks_b, offsets)
    for a, b, (down, across), count in zip(masks_a, masks_b, offsets, counts, strict=True):
        ground = np.zeros((2, 60, 60), dtype=bool)
        ground[0, 20:29, 20:32] = a
        ground[1, 20 + down : 27 + down, 20 + across : 25 + across] = b
        assert ground.all(axis=0).sum() == count == pixels_overlap(a, b, (down, across))
    assert counts.max() > 0 == counts.min()


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_origins_distance_from_the_minkowski_difference_is_theirs(dimension):
    for pair in random_pairs(40, 18, dimension):
        difference = minkowski_difference(pair.a, pair.b)
        origin = box((1e-300,) * dimension)
        expected = gjk(pair.a, pair.b).gap
        assert gjk(difference.body, origin).gap == pytest.approx(expected, abs=1e-9)
        of_a, of_b = difference.pairs.T
        assert difference.body.points == pytest.approx(
            pair.a.world_points[of_a] - pair.b.world_points[of_b], abs=1e-12
        )


def prism(outline, height):
    """A mesh of a star-shaped outline about its first point, from z = 0 up."""
    n = len(outline)
    points = np.vstack([np.column_stack([outline, np.full(n, z)]) for z in (0.0, height)])
    roof = [(0, i, j) for i, j in pairwise(range(1, n))]
    walls = [(i, (i + 1) % n) for i in range(n)]
    return points, np.array(
        [triangle[::-1] for triangle in roof]
        + [tuple(i + n for i in triangle) for triangle in roof]
        + [(i, j, j + n) for i, j in walls]
        + [(i, j + n, i + n) for i, j in walls]
    )


CORNER = prism(np.array([(1, 1), (1, 3), (0, 3), (0, 0), (3, 0), (3, 1)], dtype=float), 1.0)


def test_a_corner_is_two_blocks():
    pytest.importorskip("coacd")
    found = decompose(*CORNER)
    assert found.concavity_before == pytest.approx(7 / 5 - 1)
    assert len(found.parts) == 2
    assert abs(found.concavity) < 0.05
    assert found.cost == sum(len(part.points) for part in found.parts)
    inside_the_notch = sphere(0.3, (2, 2, 0.5))
    assert all(gjk(part, inside_the_notch).gap > 0.5 for part in found.parts)


def test_without_the_library_one_sentence_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *arguments, **options):
        if name == "coacd":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"-m pip install coacd$"):
        decompose(*CORNER)
