"""Random shots at every obstacle that is made of features, against a slow check of another kind.

`slow_toi` follows the distance from the surface along a dense path.
"""

import math
from decimal import Decimal, localcontext
from math import inf

import numpy as np
import pytest
from numpy.random import default_rng
from slow_toi import DISTANCES, first_touch

from spheresim.compiler.decorators import kernel
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.capped_cylinder import CappedCylinder
from spheresim.obstacles.capsule import Capsule
from spheresim.obstacles.cuboid import Cuboid
from spheresim.obstacles.disc import Disc
from spheresim.obstacles.features.circle import Circle
from spheresim.obstacles.hull import Hull
from spheresim.obstacles.mesh import Mesh
from spheresim.obstacles.polygon import Polygon
from spheresim.obstacles.ring import Ring
from spheresim.obstacles.sphere import Sphere
from spheresim.obstacles.table import clearance, falling_toi, normal_at, pack, toi

TURN = ((1.0, 2.0, 3.0), 40.0)
UNTIL = 6.0
CORNERS = [(0, 0, 0), (2, 0, 0.5), (0, 2, 0), (0.3, 0.2, 2), (1.5, 1.5, 1.2)]
HUMP = [(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0), (0.1, 0.2, 1.0), (0, 0, -0.5)]
SHAPES = {
    "sphere": Sphere((0.1, 0.2, 0.3), 1.5),
    "capsule": Capsule((-1, 0, 0.2), (1, 0.5, 0), 0.4),
    "cuboid": Cuboid((0, 0, 0), (2, 3, 1), TURN),
    "rounded cuboid": Cuboid((0, 0, 0), (2, 3, 1), TURN, 0.2),
    "hull": Hull(CORNERS),
    "polygon": Polygon([(-1, -1, 0.1), (1, -1, 0), (1.2, 1, 0.3), (-1, 1, 0.4)][:3]),
    "rounded polygon": Polygon([(-1, -1, 0), (1, -1, 0), (1.5, 1, 0), (-1, 1, 0)], 0.1),
    "disc": Disc((0, 0, 0), (1, 1, 3), 1.3),
    "capped cylinder": CappedCylinder((0, 0, -1), (0.5, 0, 1), 0.8),
    "ring": Ring((0, 0, 0), (0.3, 0, 1), 1.2, 0.4),
    "mesh": Mesh(HUMP, [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (0, 5, 1)]),
}
MANY = [800, pytest.param(1_000_000, marks=[pytest.mark.study, pytest.mark.compiled_only])]


@kernel
def shoot(obstacles, x, v, g, radius, until, times, normals):
    """Each ball against all features; without gravity by `toi` too, which must say the same, but
    for the last digits: those of a circle's follow from how far ahead one looks."""
    for i in range(radius.size):
        position, velocity, first, hit = vector_at(x, i), vector_at(v, i), np.inf, -1
        for k in range(obstacles.kind.size):
            t = falling_toi(obstacles, k, BallPath(position, velocity, g), radius[i], until)
            if t < first:
                first, hit = t, k
        times[i] = first
        if hit >= 0:
            there = position + (velocity + g * (0.5 * first)) * first
            set_vector(normals, i, normal_at(obstacles, hit, there))
        if g.mag_sqr() == 0.0:
            straight = np.inf
            for k in range(obstacles.kind.size):
                straight = min(straight, toi(obstacles, k, TRay(position, velocity), radius[i]))
            late = min(straight, first) > until  # of which either may be told as never
            if straight != first and not late and not abs(straight - first) <= 1e-12 * first:
                times[i] = np.nan


@kernel
def nearest(obstacles, x, gaps):
    for i in range(gaps.size):
        gaps[i] = np.inf
        for k in range(obstacles.kind.size):
            gaps[i] = min(gaps[i], clearance(obstacles, k, vector_at(x, i)))


def shots(shape, count, random):
    """Balls of all sizes from all sides, many of them towards edges; some start inside, some go
    along an edge or along the axis of what is round."""
    box = shape.bounds()
    low, high = np.array(box.low), np.array(box.high)
    size = float(np.linalg.norm(high - low))
    radius = size * 10.0 ** random.uniform(-2.5, -0.2, count)
    start = random.uniform(low - size, high + size, (count, 3))
    inside = random.random(count) < 0.3
    start[inside] = random.uniform(low, high, (count, 3))[inside]
    rows = shape.features()
    # Towards a point of some feature, grazing it at about the ball's radius.
    feature = random.integers(0, len(rows.kind), count)
    goal = random.uniform(rows.low[feature], rows.high[feature])
    graze = random.normal(size=(count, 3))
    graze *= (radius / np.linalg.norm(graze, axis=1))[:, None]
    goal += random.choice([0.0, 0.9, 1.0, 1.1, 1.4], count)[:, None] * graze
    velocity = (goal - start) * random.uniform(0.3, 1.5, count)[:, None]
    along = random.random(count) < 0.1
    direction = rows.numbers[feature, 3:6] * np.linalg.norm(velocity, axis=1)[:, None]
    along &= direction.any(axis=1)  # a point has none
    velocity[along] = direction[along]
    start[along] = (goal - direction * random.uniform(0.3, 2.0, count)[:, None])[along]
    return start, velocity, radius


def slope(distance, x, shape, step):
    """The gradient of a distance at points (n, 3), and where it is smooth enough to tell.

    Central differences of fourth order over two steps, of which those that differ have an edge,
    or the end of a curve, between them.
    """
    found = []
    for h in (step, 0.6 * step):
        gradient = np.zeros_like(x)
        for axis in range(3):
            aside = np.eye(3)[axis] * h[:, None]
            near = distance(x + aside, shape) - distance(x - aside, shape)
            far = distance(x + 2.0 * aside, shape) - distance(x - 2.0 * aside, shape)
            gradient[:, axis] = (8.0 * near - far) / (12.0 * h)
        found.append(gradient)
    return found[0], np.abs(found[0] - found[1]).max(axis=1) < 3e-10


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "gravity", [(0.0, 0.0, 0.0), (0.5, -2.0, 1.0)], ids=["straight", "falling"]
)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("count", MANY)
def test_shots_meet_the_surface_when_the_distance_says(name, gravity, count):
    shape, g = SHAPES[name], TVector(gravity)
    random = default_rng([len(name), count, int(any(gravity))])
    obstacles = pack([shape], [1.0])
    done = 0
    while done < count:
        part = min(1000, count - done)
        done += part
        x, v, radius = shots(shape, part, random)
        apart = DISTANCES[shape.kind](x, shape)
        free = (apart > radius) & ~(shape.is_solid & shape.encloses(x))
        x, v, radius = x[free], v[free], radius[free]
        times, normals = np.full(len(x), inf), np.zeros((len(x), 3))
        shoot(obstacles, x, v, g, radius, UNTIL, times, normals)
        expected, least = first_touch(shape, x, v, np.array(g), radius, UNTIL)
        assert not np.isnan(times).any()
        times[times > UNTIL] = inf
        # Hits and misses, but for grazes below the rounding.
        sure = np.abs(least) > 1e-9
        assert sure.mean() > 0.95
        assert ((times < inf) == (expected < inf))[sure].all()
        assert 0.1 < (times < inf).mean() < 0.999
        # Times, and normals where the ball does not just graze.
        both = sure & (times < inf)
        x, v, t, radius = x[both], v[both], times[both], radius[both]
        there = x + (v + 0.5 * np.array(g) * t[:, None]) * t[:, None]
        speed = v + np.array(g) * t[:, None]
        vn = -np.einsum("ij,ij->i", speed, normals[both])
        steep = vn > 1e-3 * np.linalg.norm(speed, axis=1)
        error = np.abs(t - expected[both])[steep]
        assert (error <= 1e-9 * np.maximum(expected[both][steep], 1e-2)).all()
        off = DISTANCES[shape.kind](there, shape) - radius
        assert (np.abs(off) < 1e-9 * (1.0 + np.abs(x).max(axis=1))).all()
        # The normal is the way in which the distance grows.
        gradient, smooth = slope(DISTANCES[shape.kind], there[steep], shape, 2e-3 * radius[steep])
        assert smooth.mean() > 0.8
        assert np.abs(gradient - normals[both][steep])[smooth].max(initial=0.0) < 1e-9


@pytest.mark.parametrize("spare", 10.0 ** -np.arange(1, 12))
def test_a_ball_that_just_fits_a_ring_meets_it_where_the_room_ends(spare):
    # Of the terms of the torus's polynomial all but some 1e-16·(spare / R)² cancel.
    random, far = default_rng(3), 3.0
    circle = Circle(TVector(0, 0, 0), TVector(0, 0, 1), 0.5, far, 1.0)
    room = 0.5 - (0.5 - spare)
    for way in (0.0, 1.0):
        for _ in range(20):
            turn, about = random.uniform(0, 2 * np.pi, 2)
            out = np.array([np.cos(turn), np.sin(turn), 0.0])
            up, along = np.array([0.0, 0.0, 1.0]), np.array([-out[1], out[0], 0.0])
            aside = room * random.uniform(0, 0.9) * (np.cos(about) * out + np.sin(about) * up)
            drift = np.sqrt(spare) * (random.normal() * out + random.normal() * up)
            ray = TRay(TVector(far * out + aside), TVector(way * along + drift))
            there = np.array(ray.at_parameter(circle.toi(ray, 0.5 - spare)))
            off = np.hypot(np.hypot(there[0], there[1]) - far, there[2])
            assert off == pytest.approx(room, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("offset", [1e-2, 1e-4, 1e-6, 2e-7, 1e-8, 1e-10, 1e-12])
def test_from_one_side_of_the_mouth_of_a_ring_the_other_is_met_where_a_circle_is(offset):
    """In a plane through the axis the two sides are circles, here solved with 50 digits."""
    s, y = 1.8, -offset
    z = math.sqrt(s * s - (1.5 + y) ** 2) * (1.0 + 1e-15)
    v = TVector(0.0, 0.3, -0.05)
    with localcontext(prec=50):
        far = [Decimal(y) - Decimal("1.5"), Decimal(z)]
        a = Decimal(v.y) ** 2 + Decimal(v.z) ** 2
        half_b = far[0] * Decimal(v.y) + far[1] * Decimal(v.z)
        c = far[0] ** 2 + far[1] ** 2 - Decimal(s) ** 2
        expected = float((-half_b - (half_b**2 - a * c).sqrt()) / a)
    ring = pack([Ring((0, 0, 0), (0, 0, 1), 1.5, 0.5)], [1.0])
    assert toi(ring, 0, TRay(TVector(0.0, y, z), v), 1.3) == pytest.approx(expected, abs=3e-14)


def test_balls_that_pass_next_to_the_axis_of_a_ring_meet_it_where_its_distance_is_theirs():
    circle, random = Circle(TVector(0, 0, 0), TVector(0, 0, 1), 0.5, 1.5, 0.0), default_rng(4)
    tip, met = math.sqrt(1.8**2 - 1.5**2), 0
    for _ in range(2000):
        aside, above = 10.0 ** random.uniform(-9, -2, 2)
        start, fall = -(10.0 ** random.uniform(-6, -0.5)), random.normal() * random.choice([0, 0.1])
        ray = TRay(TVector(start, aside, tip + above + start * fall), TVector(1.0, 0.0, fall))
        t = circle.toi(ray, 1.3)
        if t > 0.0 and circle.distance_to(ray.origin) > 1.8 and t < inf:
            met += 1
            assert circle.distance_to(ray.at_parameter(t)) == pytest.approx(1.8, abs=1e-10)
    assert met > 200


def test_a_ball_that_leaves_the_surroundings_of_a_ring_and_falls_back_hits_it_then():
    # It just touches the rim and rises; the sphere around the whole ring it leaves at once.
    s = 0.7
    circle = Circle(TVector(0, 0, 0), TVector(0, 0, 1), 0.2, 1.0, 0.0)
    for lean in (0.02, 0.05, 0.1, 0.2):
        away, down = TVector(math.cos(lean), 0.0, math.sin(lean)), TVector(-10.0, 0.0, 0.0)
        x = TVector(1.0, 0.0, 0.0) + away * s
        for speed in (0.05, 0.2, 1.0):
            t = circle.falling_toi(x, away * speed, down, s - 0.2, 10.0)
            assert 0.0 < t < inf
            there = x + (away * speed + down * (0.5 * t)) * t
            assert circle.distance_to(there) == pytest.approx(s, abs=1e-13)
            before = [
                x + (away * speed + down * (0.5 * u)) * u for u in np.linspace(0, t, 50)[1:-1]
            ]
            assert min(circle.distance_to(y) for y in before) > s


@pytest.mark.parametrize("name", SHAPES)
def test_the_clearance_is_the_distance(name):
    shape = SHAPES[name]
    random = default_rng(7)
    x = random.uniform(-3.0, 3.0, (500, 3))
    x = x[~(shape.is_solid & shape.encloses(x))]
    gaps, expected = np.zeros(len(x)), DISTANCES[shape.kind](x, shape)
    nearest(pack([shape], [1.0]), x, gaps)
    assert gaps == pytest.approx(expected, abs=1e-12)


def test_a_ray_in_the_plane_of_a_disc_hits_its_rim_where_it_comes_in():
    """By the chord: however the disc lies, and however long the direction is."""
    random = default_rng(3)
    for _ in range(300):
        center, radius = random.uniform(-5.0, 5.0, 3), random.uniform(0.2, 3.0)
        disc = Disc(center, random.normal(size=3), radius)
        normal = np.array(disc.normal)
        along = np.cross(normal, random.normal(size=3))
        along /= np.linalg.norm(along)
        beside = random.uniform(-0.98, 0.98) * radius
        half_chord = math.sqrt(radius * radius - beside * beside)
        before = random.uniform(3.1, 9.0)
        start = center + beside * np.cross(normal, along) - before * along
        direction = along * random.uniform(0.1, 10.0)
        hit = disc.hit(TRay(start, direction))
        assert hit.distance == pytest.approx(before - half_chord, abs=1e-12)
        rim = (np.array(hit.point) - center) / radius
        np.testing.assert_allclose(hit.normal, rim, atol=1e-9)
        assert disc.hit(TRay(start + 1e-10 * normal, direction)) is None
        many = disc.hit_batch([start], [direction])
        assert many.distance[0] == hit.distance
