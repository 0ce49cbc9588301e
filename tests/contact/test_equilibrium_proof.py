"""Proofs of rest: known forces and places, independent solutions, and what must not be proved."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog, nnls
from worlds import room

from spheresim.contact.contact_table import LastingContacts
from spheresim.contact.equilibrium_proof import Rest, prove_rest
from spheresim.contact.touching import Boundaries, touching_contacts
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.table import pack

G = 9.81
FLOOR = Plane((0, 0, 0), (0, 0, 1))


class Heap(NamedTuple):
    position: np.ndarray
    radius: np.ndarray
    weight: np.ndarray
    boundaries: Boundaries


def heap(position, radius, obstacles, mass=1.0) -> Heap:
    x = np.array(position, dtype=float)
    r = np.broadcast_to(np.asarray(radius, dtype=float), len(x)).copy()
    weight = np.zeros_like(x)
    weight[:, 2] = -G * np.asarray(mass)
    return Heap(x, r, weight, Boundaries(pack(obstacles, [1.0] * len(obstacles))))


def prove(world: Heap, candidates=None, **named) -> Rest:
    everyone = np.arange(len(world.radius)) if candidates is None else candidates
    return prove_rest(*world, everyone, **named)


def shaken(world: Heap, size: float, seed: int) -> Heap:
    """The balls moved at random by up to `size` radii."""
    way = np.random.default_rng(seed).uniform(-size, size, world.position.shape)
    return world._replace(position=world.position + way * world.radius[:, None])


def check(world: Heap, rest: Rest) -> None:
    """The forces push and balance the weights; contacts are closed; nothing overlaps."""
    x = rest.position
    total = world.weight.copy()
    np.add.at(total, rest.contacts.first, rest.contacts.force[:, None] * rest.contacts.normal)
    pair = rest.contacts.second >= 0
    np.add.at(
        total,
        rest.contacts.second[pair],
        -rest.contacts.force[pair, None] * rest.contacts.normal[pair],
    )
    scale = np.abs(world.weight).max() + rest.contacts.force.max(initial=0.0)
    assert np.abs(total[rest.balls]).max(initial=0.0) <= 1e-11 * scale
    assert np.all(rest.contacts.force > 0.0)
    now = touching_contacts(x, world.radius, world.boundaries, rest.balls, 1e-9)
    carry = set(zip(rest.contacts.first, rest.contacts.second, strict=True))
    carries = [pair in carry for pair in zip(now.first, now.second, strict=True)]
    assert sum(carries) >= len(carry)
    assert now.gap.min(initial=0.0) > -1e-12 * world.radius.max()
    size = world.radius.max() + np.abs(x).max()
    assert np.abs(now.gap[carries]).max(initial=0.0) <= 2e-15 * size


def force_on(rest: Rest, i: int, other: int) -> float:
    """The force between ball i and another one, or obstacle −1 − k."""
    at = {
        (int(a), int(b)): f for a, b, f in zip(*rest.contacts[:2], rest.contacts.force, strict=True)
    }
    return at[(i, other) if (i, other) in at else (other, i)]


def contact_matrix(contacts, balls):
    """A column for each contact, (3n, m): its normal at the first ball, and opposite at the
    second."""
    matrix = np.zeros((len(contacts.first), len(balls), 3))
    for c, (first, second) in enumerate(zip(contacts.first, contacts.second, strict=True)):
        matrix[c, np.searchsorted(balls, first)] += contacts.normal[c]
        if second >= 0:
            matrix[c, np.searchsorted(balls, second)] -= contacts.normal[c]
    return matrix.reshape(len(contacts.first), -1).T


# Closed forms.


def test_a_ball_on_the_floor_keeps_its_place_and_comes_down_on_it():
    world = heap([(3.0, -2.0, 0.5 + 1e-7)], 0.5, [FLOOR], mass=2.0)
    rest = prove(world)
    assert rest.balls.tolist() == [0]
    assert rest.position[0] == pytest.approx((3.0, -2.0, 0.5), abs=1e-15)
    assert rest.contacts.force == pytest.approx([2.0 * G], rel=1e-14)


ANGLES = 0.1 + 2.0 * math.pi / 3.0 * np.arange(3)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("r", "upper_radius", "c"), [(0.5, 0.5, 0.6), (1.0, 0.2, 1.16)])
def test_three_balls_in_the_corners_of_a_triangle_carry_a_fourth(seed, r, upper_radius, c):
    # The lower balls stand c from the axis, each at two of three walls.
    out = np.column_stack([np.cos(ANGLES), np.sin(ANGLES), np.zeros(3)])
    walls = [Plane(-(0.5 * c + r) * u, u) for u in out]
    reach = r + upper_radius
    rise = math.sqrt(reach**2 - c * c)
    exact = np.array([*(c * out), np.zeros(3)]) + np.array([(0, 0, r)] * 3 + [(0, 0, r + rise)])
    mass = np.array([r, r, r, upper_radius]) ** 3
    world = heap(exact, [r, r, r, upper_radius], [FLOOR, *walls], mass)
    world = shaken(world, 1e-6 * min(1.0, upper_radius / r), seed)
    rest = prove(world)
    check(world, rest)
    assert np.abs(rest.position - exact).max() < 2e-14
    weight = G * mass
    upper = weight[3] / 3.0 * reach / rise
    for i in range(3):
        assert force_on(rest, i, 3) == pytest.approx(upper, rel=1e-11)
        assert force_on(rest, i, -1) == pytest.approx(weight[i] + weight[3] / 3.0, rel=1e-12)
        for wall in {0, 1, 2} - {i}:
            assert force_on(rest, i, -2 - wall) == pytest.approx(upper * c / reach, rel=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_a_ball_in_the_corner_of_three_walls(seed):
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(3, 3)) * (1, 1, 0) + np.array([0, 0, 1.0])
    normals = np.array([(1, 0.2, 1), (-0.7, 0.8, 1.2), (-0.5, -1, 0.9)]) + 0.1 * rng.normal(
        size=(3, 3)
    )
    walls = [Plane((1, 2, 3), n) for n in normals]
    unit = np.array([wall.normal for wall in walls])
    exact = np.linalg.solve(unit, 0.3 + unit @ (1, 2, 3))
    world = shaken(heap([exact], 0.3, walls, mass=5.0), 1e-6, seed)
    rest = prove(world)
    check(world, rest)
    assert rest.position[0] == pytest.approx(exact, abs=1e-14)
    assert rest.contacts.force == pytest.approx(
        np.linalg.solve(unit.T, (0, 0, 5.0 * G))[::-1], rel=1e-12
    )


@pytest.mark.parametrize("height", [0.0, 0.4])
def test_a_ball_in_the_v_of_two_pillars(height):
    # Two lying pillars of radius 1, 3 apart; the second one lies higher.
    pillars = [Cylinder((0, 0, 0), (0, 1, 0), 1.0), Cylinder((3, 0, height), (0, 1, 0), 1.0)]
    d, reach = math.hypot(3, height), 2.0
    along, across = np.array([3, height]) / d, np.array([-height, 3]) / d
    x, z = 0.5 * d * along + math.sqrt(reach**2 - 0.25 * d * d) * across
    world = heap([(x + 3e-7, 7.0, z + 5e-7)], 1.0, pillars)
    rest = prove(world)
    check(world, rest)
    assert rest.position[0] == pytest.approx((x, 7.0, z), abs=1e-14)
    unit = np.array([(x, z), (x - 3, z - height)]) / 2.0
    assert rest.contacts.force[::-1] == pytest.approx(np.linalg.solve(unit.T, (0, G)), rel=1e-12)


def zigzag(count: int, width: float) -> np.ndarray:
    """Places of balls of radius 1 that lie in zigzag between walls at ±width."""
    aside = width - 1.0
    rise = math.sqrt(4.0 - 4.0 * aside**2)
    return np.array([((-1) ** k * aside, 0.0, 1.0 + k * rise) for k in range(count)])


@pytest.mark.parametrize("seed", range(3))
def test_a_zigzag_column_of_ten_balls_in_a_tube(seed):
    width, count = 1.4, 10
    exact = zigzag(count, width)
    tube = Cylinder((0, 0, 0), (0, 0, 1), width)
    world = heap(exact, 1.0, [FLOOR, tube])
    # In the plane of the column only: out of it the column is an unstable equilibrium.
    x = shaken(world, 1e-6, seed).position * (1, 0, 1)
    rest = prove(world._replace(position=x))
    check(world, rest)
    assert np.abs(rest.position - exact).max() < 1e-13
    rise = math.sqrt(4.0 - 4.0 * 0.4**2)
    for k in range(count - 1):
        carried = (count - 1 - k) * G
        assert force_on(rest, k, k + 1) == pytest.approx(carried * 2.0 / rise, rel=1e-12)
        below = 0.0 if k == 0 else (count - k) * G
        assert force_on(rest, k, -2) == pytest.approx((carried + below) * 0.8 / rise, rel=1e-12)
    assert force_on(rest, 0, -1) == pytest.approx(count * G, rel=1e-12)


def test_a_column_without_play_in_a_tube_stands_exactly():
    tube = Cylinder((1, 2, 0), (0, 0, 1), 0.5)
    exact = np.array([(1, 2, 0.5 + k) for k in range(10)], dtype=float)
    world = heap(exact + np.array((0, 0, 1e-7)), 0.5, [FLOOR, tube])
    rest = prove(world)
    check(world, rest)
    assert np.abs(rest.position - exact).max() < 1e-14
    assert force_on(rest, 0, -1) == pytest.approx(10 * G)


# Heaps.


def cannonballs(side: int) -> np.ndarray:
    """A pyramid of balls of radius 0.5 on a square of side × side, layer by layer."""
    places = []
    for layer in range(side):
        for i in range(side - layer):
            for j in range(side - layer):
                places.append(
                    (i + 0.5 * layer + 0.5, j + 0.5 * layer + 0.5, 0.5 + layer / math.sqrt(2))
                )
    return np.array(places)


def box(width: float) -> list[Plane]:
    return [FLOOR, *room(0, width, [0, 1])]


def test_a_pyramid_of_thirty_cannonballs_in_a_box():
    exact = cannonballs(4)
    assert len(exact) == 30
    world = heap(exact, 0.5, box(4.0))
    rest = prove(world)
    check(world, rest)
    assert rest.balls.tolist() == list(range(30))
    assert np.abs(rest.position - exact).max() < 1e-14
    floor = rest.contacts.second == -1
    assert rest.contacts.force[floor].sum() == pytest.approx(30 * G, rel=1e-12)
    assert_solvable(world, rest)


@pytest.mark.parametrize("slack", [1e-8, 1e-7, 1e-6])
@pytest.mark.parametrize("layers", ["square", "cubic"])
def test_crystals_with_a_little_play_find_places_and_forces(layers, slack):
    # Nearly dependent contacts, forces as small as gaps: the hard case.
    cube = np.stack(np.meshgrid(*[range(4)] * 3), axis=-1).reshape(-1, 3) + 0.5
    lattice = cannonballs(4) if layers == "square" else cube
    world = shaken(heap(lattice, 0.5 * (1.0 - slack), box(4.0)), 0.2 * slack, 7)
    rest = prove(world)
    check(world, rest)
    assert len(rest.balls) == len(lattice)
    lowered = (world.position - rest.position)[rest.balls] @ (0, 0, 1)
    assert lowered.sum() > 0.0


def settled(count: int, seed: int) -> Heap:
    """A disordered heap in a box: the linear programme of the fall, over and over."""
    rng = np.random.default_rng(seed)
    radius = rng.uniform(0.4, 0.5, count)
    x = np.stack(np.meshgrid(range(3), range(3), range(count)), axis=-1).reshape(-1, 3)
    x = x[np.argsort(x[:, 2], kind="stable")[:count]] * 1.05 + 0.55
    world = heap(x, radius, box(3.3), mass=radius**3)
    for _ in range(400):
        near = touching_contacts(x, radius, world.boundaries, np.arange(count), 1.0)
        matrix = contact_matrix(near, np.arange(count))
        load = -(world.weight / np.abs(world.weight).max()).ravel()
        fall = linprog(load, -matrix.T, near.gap, bounds=(-0.1, 0.1), method="highs")
        x = x + fall.x.reshape(-1, 3)
        if -load @ fall.x < 1e-15:
            break
    return world._replace(position=x)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_a_disordered_heap_finds_back_from_where_it_hopped_to(seed):
    exact = prove(settled(40, seed))
    assert len(exact.balls) == 40
    world = settled(40, seed)._replace(position=exact.position)
    check(world, exact)
    assert_solvable(world, exact)
    lifted = exact.position * (1.0 + np.array([0.0, 0.0, 1e-6]))
    again = prove(world._replace(position=lifted))
    check(world, again)
    loaded = np.unique(again.contacts.first)
    assert len(again.balls) == 40
    assert np.abs(again.position - exact.position)[loaded].max() < 1e-12
    assert again.contacts.force == pytest.approx(exact.contacts.force, rel=1e-9)


def assert_solvable(world: Heap, rest: Rest) -> None:
    """Non-negative least squares finds forces along the same contacts, too."""
    matrix = contact_matrix(rest.contacts, rest.balls)
    load = -world.weight[rest.balls].ravel() / G
    forces, left = nnls(matrix, load, maxiter=100 * len(load))
    assert left < 1e-9 * math.sqrt(len(load))
    if matrix.shape[1] == np.linalg.matrix_rank(matrix):
        assert forces * G == pytest.approx(rest.contacts.force, rel=1e-7, abs=1e-7)


def test_a_monolayer_and_single_balls_rest_where_they_are():
    rng = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(range(20), range(20)), axis=-1).reshape(-1, 2)
    x = np.column_stack([grid + rng.uniform(-0.01, 0.01, grid.shape), np.full(400, 0.5)])
    x[:, 2] += rng.uniform(0, 1e-7, 400)
    world = heap(x, 0.49, [Plane((0, 0, 0.01), (0, 0, 1))])
    rest = prove(world)
    check(world, rest)
    assert len(rest.balls) == 400
    assert np.array_equal(rest.position[:, :2], x[:, :2])


@pytest.mark.parametrize("seed", range(6))
def test_a_heap_that_rests_is_not_moved_by_another_test(seed):
    mass = 10.0 ** np.random.default_rng(seed).uniform(-1.0, 1.0, 30)
    world = shaken(heap(cannonballs(4), 0.5 * (1.0 - 1e-6), box(4.0), mass), 1e-6, seed)
    rest = prove(world)
    assert len(rest.balls) == 30
    again = prove(world._replace(position=rest.position), forces=rest.contacts)
    assert np.array_equal(again.position, rest.position)


def test_where_forces_are_not_unique_the_given_ones_remain():
    # Two walls press the ball between them as hard as one likes.
    world = heap([(0.5, 0.5, 0.5)], 0.5, [*box(1.0)], mass=2.0)
    for lateral in (0.0, 7.0):
        given = LastingContacts(
            np.zeros(3, dtype=int),
            np.array([-1, -2, -3]),
            np.array([(0, 0, 1.0), (1.0, 0, 0), (-1.0, 0, 0)]),
            np.array([2.0 * G, lateral, lateral]),
        )
        rest = prove(world, forces=given)
        check(world, rest)
        assert force_on(rest, 0, -1) == 2.0 * G
        assert rest.contacts.force.sum() == 2.0 * G + 2.0 * lateral


@pytest.mark.parametrize("share", [1e-9, 1e-10, 2.3e-11])
def test_a_force_that_is_small_beside_the_others_is_not_forgotten(share):
    """Without it the ball was not balanced by a little more than is rounding."""
    walls = [Plane((0, 0, 0), n) for n in [(0, 1, 0), (-1, 0, 1), (1, 0, 1)]]
    world = heap([(0, 0.5, 0.5 * math.sqrt(2.0))], 0.5, walls)
    world.weight[0, 1] = -share * G
    rest = prove(world)
    check(world, rest)
    assert rest.balls.tolist() == [0]
    assert force_on(rest, 0, -1) == pytest.approx(share * G, rel=1e-4)


# What is no rest.


def test_nothing_rests_on_a_slope_nor_in_the_air():
    slope = Plane((0, 0, 0), (1e-6, 0, 1))
    world = heap([(0, 0, 0.5), (5, 0, 3.0)], 0.5, [slope])
    assert len(prove(world).balls) == 0


@pytest.mark.parametrize("off", [0.3, 1e-3, 1e-6, 1e-9])
def test_a_ball_off_the_top_of_another_does_not_rest(off):
    world = heap([(0, 0, 0.5), (off, 0, 0.5 + math.sqrt(1.0 - off * off))], 0.5, [FLOOR])
    rest = prove(world)
    check(world, rest)
    assert 1 not in rest.balls


def test_a_ball_exactly_on_top_of_another_rests():
    world = heap([(0, 0, 0.5), (0, 0, 1.5)], 0.5, [FLOOR])
    assert prove(world).balls.tolist() == [0, 1]


def test_without_one_support_a_heap_does_not_rest():
    exact = cannonballs(3)
    world = heap(exact, 0.5, box(3.0))
    assert len(prove(world).balls) == 14
    # The top one is above the middle of two others now; off it by a little, and it topples.
    world.position[13] -= (1e-9, 1e-9, 0.0)
    missing = prove(world, np.arange(2, 14))
    assert 13 not in missing.balls
    assert 9 not in missing.balls  # the ball above those that are missing
    check(world, missing)


def test_balls_without_weight_rest_nowhere():
    world = heap([(0, 0, 0.5)], 0.5, [FLOOR], mass=0.0)
    assert len(prove(world).balls) == 0


# Fixed balls, and others in the way.


def test_a_ball_comes_to_rest_on_a_heap_that_sleeps_and_does_not_move_it():
    exact = cannonballs(3)
    world = heap(exact, 0.5, box(3.0))
    x = exact.copy()
    x[13] += (2e-7, 3e-7, 4e-7)
    world = world._replace(position=x)
    rest = prove(world)
    check(world, rest)
    assert len(rest.balls) == 14
    assert np.array_equal(rest.position[:13], x[:13])
    assert np.abs(rest.position[13] - exact[13]).max() < 1e-14


def test_what_flies_past_gives_way_if_it_is_a_candidate():
    # A ball comes down by 1e-5 between two pillars, onto where a small one is just now.
    pillars = [Cylinder((side, 0, 0), (0, 1, 0), 1.0) for side in (-1.2, 1.2)]
    world = heap([(0, 0, 1.6 + 1e-5), (0, 0, 0.5 + 5e-6)], [1.0, 0.1], pillars)
    rest = prove(world)
    check(world, rest)
    assert rest.balls.tolist() == [0]
    assert rest.position[0] == pytest.approx((0, 0, 1.6), abs=1e-15)
    assert rest.position[1] == pytest.approx((0, 0, 0.5), abs=1e-15)
    assert len(prove(world, [0]).balls) == 0


@pytest.mark.parametrize("ratio", [5, 50, 100])
def test_a_large_ball_is_not_moved_into_a_small_one(ratio):
    """A small ball was overlooked that was nearer than the large one may be moved."""
    gap, small = 9e-4, 1.0 / ratio
    # The small one lies on the floor, half that gap beside the large one.
    apart = math.sqrt((1.0 + small + 0.5 * gap) ** 2 - (1.0 + gap - small) ** 2)
    world = heap([(0, 0, 1.0 + gap), (apart, 0, small)], [1.0, small], [FLOOR])
    rest = prove(world, [0])
    x = rest.position
    assert np.linalg.norm(x[0] - x[1]) - 1.0 - small > -1e-12 * small


@pytest.mark.parametrize("ratio", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("heavy", [0, 1])
def test_a_light_ball_carries_a_heavy_one_and_a_heavy_one_a_light_one(heavy, ratio):
    mass = np.ones(2)
    mass[heavy] = ratio
    world = heap([(0, 0, 0.5 + 1e-7), (0, 0, 1.5 + 2e-7)], 0.5, [FLOOR], mass)
    for order in ([0, 1], [1, 0]):
        x, weight = world.position[order], world.weight[order]
        turned = world._replace(position=x, weight=weight)
        rest = prove(turned)
        check(turned, rest)
        assert len(rest.balls) == 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [1.0, 2.0])
def test_a_pyramid_of_light_and_heavy_balls_rests(spread, seed):
    exact = cannonballs(5)
    mass = 10.0 ** np.random.default_rng(seed).uniform(-spread, spread, len(exact))
    world = shaken(heap(exact, 0.5 * (1.0 - 2e-6), box(5.0), mass), 1e-6, seed)
    rest = prove(world)
    assert len(rest.balls) == len(exact)
    assert np.linalg.norm(rest.position - world.position, axis=1).max() < 1e-2 * 0.5


@pytest.mark.parametrize("gap", [1e-5, 1e-3, 9e-3])
@pytest.mark.parametrize("small", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("room", [0.0, 0.5, 2.0])
def test_what_gives_way_goes_no_further_than_a_ball_that_rests(room, small, gap):
    """It was pushed through the floor, or proved to rest radii away."""
    pillars = [Cylinder((side, 0, 0), (0, 1, 0), 1.0) for side in (-1.2, 1.2)]
    top = 1.6 + gap
    floor = Plane((0, 0, top - 1.0 - 2.0 * small - room * gap), (0, 0, 1))
    world = heap(
        [(0, 0, top), (0, 0, top - 1.0 - small - 1e-9)], [1.0, small], [*pillars, floor], [1, small]
    )
    rest = prove(world)
    check(world, rest)
    x = rest.position
    moved = np.linalg.norm(x - world.position, axis=1) / world.radius
    assert moved.max() <= 1e-2
    if np.any(moved > 0.0):
        near = touching_contacts(x, world.radius, world.boundaries, [0, 1], 1e-2)
        assert near.gap.min() > -1e-12 * small
