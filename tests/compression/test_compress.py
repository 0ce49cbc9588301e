"""Packings: balls that grow until the space is full, from Python and in fills."""

import math
import re

import numpy as np
import pytest
from one_sentence import told
from scene_files import faults_of, write_room
from worlds import room

from spheresim import Ball, Box, Cylinder, Fill, Obstacle, Run, Simulation, Sphere, compress
from spheresim.analysis import contact_numbers
from spheresim.analysis.published_hard_spheres import collision_rate, compressibility_factor
from spheresim.model.shear_flow import peculiar_velocity
from spheresim.scene import load_scene

pytestmark = pytest.mark.compiled_only


def gas(count=100, packing=0.2, **words):
    return Simulation(Fill(count=count, radius=0.5, packing_fraction=packing, **words))


def relative_gaps(simulation):
    """Of all pairs in a periodic box, over the sum of their radii."""
    x, radius, side = simulation.position, simulation.world.radius, simulation.world.box.size
    d = x[:, None] - x
    d -= np.round(d / side) * side
    reach = radius[:, None] + radius
    gap = np.linalg.norm(d, axis=2) / reach - 1.0
    return gap[np.triu_indices(len(x), 1)]


def test_balls_grow_to_a_packing_fraction_and_all_else_stays():
    loose = Simulation(
        Fill(count=150, radius=(0.3, 0.6), temperature=2, density=3, color="red", seed=4),
        box=Box(size=(10, 8, 6)),
    )
    before = loose.position.copy(), loose.velocity.copy()
    packing = compress(loose, packing_fraction=0.55)
    packed = packing.simulation
    assert packing.packing_fraction == pytest.approx(0.55, rel=1e-14)
    radius = packed.world.radius
    assert 4 / 3 * math.pi * (radius**3).sum() / 480 == pytest.approx(0.55, rel=1e-14)
    assert radius / loose.world.radius == pytest.approx(radius[0] / loose.world.radius[0])
    assert relative_gaps(packed).min() > -1e-12
    assert (packed.world.mass == loose.world.mass).all()
    assert list(packed.colors) == list(loose.colors)
    assert packed.time == 0.0
    assert packed.energy() == pytest.approx(loose.energy(), rel=1e-12)
    assert all(
        (a == b).all() for a, b in zip(before, (loose.position, loose.velocity), strict=True)
    )
    course = packing.course
    assert (np.diff(course.packing_fraction) > 0).all()
    assert course.impacts[-1] == packing.impacts
    packed.run(impacts=1000)
    assert packed.tally.deepest_overlap < 1e-12


def test_the_same_seed_makes_the_same_bytes_and_another_another_packing():
    one, again, other = (
        compress(gas(50), packing_fraction=0.5, seed=seed).simulation for seed in (1, 1, 2)
    )
    assert one.position.tobytes() == again.position.tobytes()
    assert one.world.radius.tobytes() == again.world.radius.tobytes()
    assert np.abs(one.position - other.position).max() > 0.1


def test_the_pressure_on_the_way_is_that_of_a_fluid():
    course = compress(gas(500, 0.3), packing_fraction=0.48, growth_rate=0.003).course
    published = [compressibility_factor(phi) for phi in course.packing_fraction]
    # It is an average over a stage, in which the pressure rises.
    assert len(published) >= 4
    assert (np.array(published) >= course.pressure * 0.98).all()
    assert (np.array([compressibility_factor(0.3), *published[:-1]]) <= course.pressure).all()


def test_balls_at_one_place_of_a_closed_room_come_to_the_largest_size_that_fits():
    """Two in a cube touch across its diagonal: r = √3 / (2 (1 + √3)); one fills it: r = 1/2."""
    for places, largest in (([(0.3, 0.4, 0.5)], 0.5), ([(0.3, 0.3, 0.4), (0.7, 0.6, 0.6)], 0.3170)):
        balls = [Ball(place, radius=1e-3) for place in places]
        packing = compress(
            Simulation(balls, room(0, 1)), pressure=1e7, from_points=True, growth_rate=0.1
        )
        exact = math.sqrt(3) / (2 + 2 * math.sqrt(3)) if len(balls) == 2 else 0.5
        assert exact == pytest.approx(largest, abs=1e-4)
        assert packing.simulation.world.radius == pytest.approx([exact] * len(balls), rel=1e-6)
        assert packing.pressure >= 1e7
        assert (packing.simulation.velocity == 0.0).all()


def test_a_tube_and_a_slab_close_space_too():
    tube = [Cylinder((0.5, 0.5, 0), (0, 0, 1), 0.5), *room(0, 1, [2])]
    lone = Simulation([Ball((0.5, 0.6, 0.4), radius=0.1)], tube)
    packing = compress(lone, pressure=1e6)
    assert packing.simulation.world.radius == pytest.approx([0.5], rel=1e-5)
    assert packing.packing_fraction == pytest.approx(2 / 3, rel=1e-4)
    slab = Box(size=(3, 3, 1), periodic=(True, True, False))
    lone = Simulation([Ball((0.5, 0.6, 0.4), radius=0.1)], room(0, 1, [2]), box=slab)
    packing = compress(lone, pressure=1e6)
    assert packing.simulation.world.radius == pytest.approx([0.5], rel=1e-5)
    assert packing.packing_fraction == pytest.approx(math.pi / 6 / 9, rel=1e-4)


def test_it_ends_at_a_pressure_or_after_impacts():
    by_pressure = compress(gas(), pressure=100.0)
    assert 100.0 <= by_pressure.pressure < 150.0
    assert 0.58 < by_pressure.packing_fraction < 0.7
    by_impacts = compress(gas(), impacts=777, from_points=True)
    assert by_impacts.impacts == 777
    first = compress(gas(), packing_fraction=0.5, impacts=777)
    assert first.impacts == 777
    assert first.packing_fraction < 0.5
    assert relative_gaps(first.simulation).min() > -1e-12


FAULTS = [
    ({}, TypeError, "compress needs packing_fraction, pressure, or impacts"),
    ({"packing_fraction": 0.2}, ValueError, "must be more than that of the balls as they are, 0.2"),
    ({"packing_fraction": 1.5}, ValueError, "packing_fraction must be from 0 to 1, not 1.5"),
    ({"pressure": 1e11}, ValueError, "pressure must be from 1 to 1e+10, not 1"),
    ({"impacts": 0}, ValueError, "impacts must be a whole number of at least 1, not 0"),
    ({"impacts": 9, "growth_rate": 2}, ValueError, "growth_rate must be from 0 to 1, not 2"),
    ({"impacts": 9, "growth_rate": 0}, ValueError, "growth_rate must be greater than 0, not 0"),
    ({"impacts": 9, "seed": -1}, ValueError, "seed must be a whole number of at least 0, not -1"),
]


@pytest.mark.parametrize(("words", "kind", "sentence"), FAULTS)
def test_what_it_cannot_be_told_is_refused(words, kind, sentence):
    told(lambda: compress(gas(10), **words), re.escape(sentence), kind)


HALF = Ball((0.5, 0.5, 0.5), radius=0.1)


@pytest.mark.parametrize(
    ("balls", "obstacles", "words", "sentence"),
    [
        ([HALF], room(0, 1)[:5], {}, "space is open along z: there it must be periodic, or closed"),
        ([HALF], [], {}, "space is open along x"),
        (
            [HALF],
            [*room(0, 1), Obstacle(Sphere((0, 0, 0), 0.1), name="stone")],
            {},
            "stone is a sphere",
        ),
        ([HALF, HALF], room(0, 1), {}, "overlap by 0.2"),
        ([HALF, HALF], room(0, 1), {"from_points": True}, "two balls have the same centre"),
        ([Ball((-1, 0.5, 0.5), radius=0.1)], room(0, 1), {}, "ball 0 is behind plane 0"),
    ],
)
def test_a_world_in_which_balls_cannot_grow_is_refused(balls, obstacles, words, sentence):
    simulation = Simulation(balls, obstacles, check=False)
    with pytest.raises(ValueError, match=sentence):
        compress(simulation, impacts=10, **words)


def test_what_is_no_simulation_is_refused():
    with pytest.raises(TypeError, match="compress takes a Simulation, not 'packing'"):
        compress("packing", pressure=9)


def test_a_box_that_would_be_too_narrow_for_the_balls_is_refused():
    with pytest.raises(ValueError, match=r"must be longer than 1\.9\d+, 4.02 times the largest"):
        compress(
            Simulation([HALF, Ball((0, 0, 0), radius=0.1)], box=(1, 1, 1)), packing_fraction=0.9
        )


def test_balls_that_jam_before_say_where():
    with pytest.raises(RuntimeError, match=r"jam at the packing fraction 0\.5\d+, before 0.7: a"):
        compress(gas(100), packing_fraction=0.7, growth_rate=0.3)


# --- Fills ------------------------------------------------------------------------------


@pytest.mark.parametrize("periodic", [True, False])
def test_a_fill_is_packed_as_densely_as_random_balls_can_be(folder, periodic):
    fill = "duration = 1\n[[fill]]\ncount = 300\nradius = 0.5\ntemperature = 1\n"
    if periodic:
        text = f"{fill}packing_fraction = 0.64\n[box]\nlow = [-1, 2, 3]\n"
    else:
        text = f"{fill}region = {{ low = [0, 0, 0], high = [6.6, 6.6, 6.6] }}\n"
    path = write_room(text)
    scene, again = load_scene(path), load_scene(path)
    position = np.array(scene.balls.position)
    assert position.tobytes() == np.array(again.balls.position).tobytes()
    assert (scene.balls.radius == 0.5).all()
    if periodic:
        simulation = Simulation.from_scene(scene)
        assert relative_gaps(simulation).min() + 1e-12 > 0.0
        assert (position >= scene.box.low).all()
        assert (position <= np.add(scene.box.low, scene.box.size)).all()
    else:
        assert (position.min(axis=0) >= 0.5 - 1e-12).all()
        assert (position.max(axis=0) <= 6.1 + 1e-12).all()


def test_a_dense_fill_is_a_gas_in_equilibrium_from_the_start():
    simulation = gas(500, 0.45, temperature=1, seed=2)
    assert relative_gaps(simulation).min() > 1e-6
    simulation.run(impacts=10_000)
    rate = 2 * 10_000 / 500 / simulation.time
    assert rate == pytest.approx(collision_rate(0.45, 1.0, 1.0), rel=0.03)


def test_a_dense_fill_grows_in_a_tube_beside_balls_outside_of_it():
    tube = Cylinder((2, 2, 0), (0, 0, 1), 2)
    region = {"low": (0, 0, 0), "high": (4, 4, 4)}
    far = Ball((9, 9, 9), radius=1)
    simulation = Simulation([far, Fill(count=390, radius=(0.2, 0.25), region=region)], [tube])
    position, radius = simulation.position[1:], simulation.world.radius[1:]
    assert (4.0 / 3.0 * math.pi * radius**3).sum() / (16 * math.pi) > 0.36
    assert np.linalg.norm(position[:, :2] - 2, axis=1).max() <= 1.8 + 1e-12
    d = np.linalg.norm(position[:, None] - position, axis=2) - radius[:, None] - radius
    assert d[np.triu_indices(390, 1)].min() > 0.0


def test_a_dense_fill_of_a_plane_stays_in_it():
    layer = {"low": (0, 0, 0.1), "high": (10, 10, 0.1)}
    position = Simulation(Fill(count=95, radius=0.5, region=layer)).position  # 75 % of the area
    assert (position[:, 2] == 0.1).all()
    d = np.linalg.norm(position[:, None] - position, axis=2)
    assert d[np.triu_indices(95, 1)].min() > 1.0


def test_a_packing_is_saved_and_runs(tmp_path):
    packing = compress(gas(60, temperature=1), packing_fraction=0.6)
    packing.simulation.save_scene(tmp_path / "packed.toml", until=0.1)
    loaded = Simulation.load(tmp_path / "packed.toml")
    assert loaded.position.tobytes() == packing.simulation.position.tobytes()
    assert loaded.world.radius.tobytes() == packing.simulation.world.radius.tobytes()
    loaded.save(tmp_path / "run", until=0.1)
    assert len(Run.load(tmp_path / "run").impacts.t) > 60


def test_equal_balls_are_refused_where_only_a_lattice_fits(folder):
    fill = "duration = 1\n[[fill]]\ncount = 200\nradius = 0.5\npacking_fraction = 0.7\n[box]\n"
    (fault,) = faults_of(write_room(fill))
    assert "fit into the region" in fault
    assert "(at random up to about .64, cubic up to .52, fcc up to .74)" in fault


# --- The jammed state -------------------------------------------------------------------


def test_a_sheared_box_keeps_its_flow_and_its_temperature():
    box = Box(low=(-6, -6, -6), size=(12, 12, 12), shear_rate=0.3)
    loose = Simulation(Fill(count=100, radius=0.5, temperature=1.0, seed=2), box=box)
    packed = compress(loose, packing_fraction=0.3).simulation

    def own(simulation):
        return peculiar_velocity(box, simulation.position, simulation.velocity)

    assert (own(packed) ** 2).sum() == pytest.approx((own(loose) ** 2).sum(), rel=1e-12)
    assert abs(np.polyfit(packed.position[:, 1], own(packed)[:, 0], 1)[0]) < 0.1
    loose.run(until=1.0)
    with pytest.raises(ValueError, match="sheared box can be compressed only while"):
        compress(loose, packing_fraction=0.3)


def test_rattlers_are_those_that_can_leave_their_contacts():
    # A cubic lattice, each ball with six contacts, and a ball in one of its holes.
    cubic = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), axis=-1).reshape(-1, 3)
    places, radius = np.vstack([cubic, [(0.5, 0.5, 0.5)]]), np.append(np.full(64, 0.5), 0.3)
    found = contact_numbers(places, (4, 4, 4), radius)
    assert found.mean == 6.0
    assert np.flatnonzero(found.is_rattler).tolist() == [64]
    assert found.contacts[64] == 0
    lone = contact_numbers(places[:1], (4, 4, 4), radius[:1])
    assert math.isnan(lone.mean)
    assert lone.is_rattler.all()
    with pytest.raises(ValueError, match="size must be that of a box that is periodic"):
        contact_numbers(places, None, radius)


@pytest.mark.thorough
def test_equal_balls_jam_at_random_close_packing_with_near_six_contacts():
    """.64 (Scott and Kilgour 1969); 6 contacts are the fewest that hold all (Maxwell 1864)."""
    fractions = []
    for seed in range(3):
        fast = compress(gas(1000, 0.3, seed=seed), pressure=1e8, growth_rate=0.01, seed=seed)
        fractions.append(fast.packing_fraction)
    assert np.mean(fractions) == pytest.approx(0.64, abs=0.005)
    slow = compress(gas(1000, 0.3, seed=1), pressure=1e10, growth_rate=0.003)
    packed = slow.simulation
    found = contact_numbers(packed.position, packed.world.box.size, packed.world.radius)
    assert found.mean == pytest.approx(6.0, abs=0.1)
    assert 0.01 < found.is_rattler.mean() < 0.06
    assert relative_gaps(packed).min() > -1e-9


@pytest.mark.study
def test_ten_thousand_balls_fill_sixty_four_hundredths():
    simulation = gas(10_000, 0.64)
    x, side = simulation.position, simulation.world.box.size
    found = contact_numbers(x, side, simulation.world.radius, gap=0.03)
    assert found.mean > 6.0
    radius = simulation.world.radius * (1.0 - 1e-9)
    assert contact_numbers(x, side, radius, gap=0.0).contacts.max() == 0
