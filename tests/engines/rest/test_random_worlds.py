"""Small random worlds under gravity: none jams, and each keeps what every world keeps.

Surfaces overlap by no more than rounding, energy never rises, and the number of impacts is bounded
by the number of balls and by time; see `world_invariants`.
"""

import numpy as np
import pytest
from furnished_worlds import furnished_world
from gravity_worlds import gravity_world
from surfaces import pair_gaps, surface
from world_invariants import broken_among, broken_among_many

from spheresim import Cylinder, Plane

ENGINES = ["events", "steps"]


@pytest.mark.compiled_only
@pytest.mark.cases(2)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_in_a_random_world_nothing_jams_overlaps_or_gains_energy(first, engine):
    assert broken_among(range(first, first + 50), engine) == {}


@pytest.mark.compiled_only
@pytest.mark.cases(2)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", range(0, 100, 10))
def test_among_obstacles_of_all_kinds_nothing_does_either(first, engine):
    assert broken_among(range(first, first + 10), engine, furnished_world) == {}


@pytest.mark.study
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("world", "seeds"),
    [(gravity_world, range(1000, 101_000)), (furnished_world, range(1000, 11_000))],
)
def test_in_a_hundred_thousand_random_worlds_nothing_does(engine, world, seeds):
    broken = broken_among_many(seeds, engine, world)
    assert broken == {}, "\n".join(f"seed {seed}: {what}" for seed, what in broken.items())


@pytest.mark.compiled_only
def test_a_ball_that_slides_along_a_pillar_does_not_creep_into_it():
    assert broken_among([1188, 1396]) == {}


@pytest.mark.compiled_only
def test_a_ball_wedged_in_comes_to_rest_although_one_contact_of_it_loses_nothing():
    assert broken_among([1135, 1386]) == {}


@pytest.mark.compiled_only
def test_balls_that_start_in_contact_are_pushed_by_nothing_that_does_work():
    assert broken_among([1686, 3342]) == {}


@pytest.mark.compiled_only
def test_what_loses_nothing_and_starts_at_rest_far_from_the_origin_lies_still():
    on_a_plane, in_a_tube = 2710, 4902
    assert broken_among([on_a_plane, in_a_tube]) == {}


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_in_a_narrow_wedge_a_ball_is_brought_to_rest_within_some_hundred_impacts():
    among_lossy_things, among_elastic_ones = [2473, 2947, 4640, 5939], [3274, 3950]
    assert broken_among(among_lossy_things + among_elastic_ones) == {}


@pytest.mark.compiled_only
def test_an_elastic_ball_that_hits_things_without_moving_parts_from_them_and_does_not_jam():
    assert broken_among([4524]) == {}


@pytest.mark.compiled_only
def test_without_gravity_balls_that_a_wall_presses_on_others_do_not_jam():
    assert broken_among([1873, 2275, 4356, 5029, 5046, 23371]) == {}


@pytest.mark.compiled_only
def test_without_gravity_balls_in_a_row_without_room_between_walls_do_not_jam():
    assert broken_among([8618]) == {}


@pytest.mark.compiled_only
def test_without_gravity_a_ball_comes_to_rest_in_a_corner():
    assert broken_among([4926]) == {}


@pytest.mark.compiled_only
def test_a_ball_that_slides_in_a_wedge_of_surfaces_that_bend_stays_between_them():
    assert broken_among([1502, 1615, 2889, 5218, 5895]) == {}


@pytest.mark.compiled_only
def test_a_ball_that_slides_in_a_tube_and_is_hit_all_the_time_does_not_creep_into_its_wall():
    assert broken_among([28903]) == {}


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_balls_of_a_pile_that_slide_in_a_tube_do_not_hit_its_wall_all_the_time():
    in_a_wedge_with_a_plane = [1976, 6147, 9371, 9532]
    assert broken_among(in_a_wedge_with_a_plane) == {}


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_the_pushes_of_a_pile_win_no_energy():
    assert broken_among([7162, 9564, 16355]) == {}


@pytest.mark.compiled_only
def test_in_fixed_steps_worlds_that_once_jammed_go_on():
    hops_round_a_tube, heavy_on_light, wedges, underflow, creeps = (
        2610,
        2585,
        [1460, 2246],
        6522,
        6783,
    )
    seeds = [hops_round_a_tube, heavy_on_light, *wedges, underflow, creeps]
    assert broken_among(seeds, "steps") == {}


# --- The worlds themselves ----------------------------------------------------------------


@pytest.mark.thorough
def test_worlds_are_of_all_kinds_and_their_balls_start_apart():
    worlds = [gravity_world(seed) for seed in range(400)]
    touching = 0
    for world in worlds:
        position = np.array([ball.position for ball in world["balls"]])
        radius = np.array([ball.radius for ball in world["balls"]])
        gaps = [*pair_gaps(position, radius)]
        for shape, *_ in world["obstacles"]:
            distance = surface(shape, position)[0]
            gaps += [*((distance if isinstance(shape, Plane) else abs(distance)) - radius)]
        assert min(gaps) > -1e-9 * radius.min()
        touching += min(gaps) < 1e-12
    shapes = [type(shape) for world in worlds for shape, *_ in world["obstacles"]]
    restitutions = [ball.restitution for world in worlds for ball in world["balls"]]
    at_rest = [not any(any(ball.velocity) for ball in world["balls"]) for world in worlds]
    gravity = [np.linalg.norm(world["gravity"]) for world in worlds]
    assert {len(world["balls"]) for world in worlds} == set(range(1, 16))
    assert {len(world["obstacles"]) for world in worlds} == set(range(1, 7))
    assert min(shapes.count(Plane), shapes.count(Cylinder)) > 300
    assert {0.0, 1.0} < set(restitutions)
    assert min(touching, sum(at_rest), gravity.count(0.0)) > 50


def test_a_seed_always_makes_the_same_world():
    assert repr(gravity_world(7)) == repr(gravity_world(7))
