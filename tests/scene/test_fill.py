"""Fills: balls that are put where there is room, with the masses and speeds asked for."""

import math

import numpy as np
import pytest
from scene_files import BALL, faults_of

from spheresim import Ball, Cylinder, Fill, Plane, Simulation, Sphere
from spheresim.scene import load_scene
from spheresim.scene.fill import arrange

CUBE = "region = { low = [0, 0, 0], high = [10, 10, 10] }\n"


def fill(count, radius, more=CUBE):
    return f"duration = 1\n[[fill]]\ncount = {count}\nradius = {radius}\n{more}"


def arrays(scene):
    """Positions, velocities, radii and masses."""
    balls = scene.balls
    vectors = (np.array([getattr(b, name) for b in balls]) for name in ("position", "velocity"))
    numbers = (np.array([getattr(b, name) for b in balls]) for name in ("radius", "mass"))
    return (*vectors, *numbers)


def smallest_gap(position, radius):
    """Between any two balls."""
    distance = np.linalg.norm(position[:, np.newaxis] - position, axis=2)
    gap = distance - radius[:, np.newaxis] - radius
    return gap[np.triu_indices(len(radius), 1)].min()


@pytest.mark.parametrize("arrangement", ["random", "cubic"])
@pytest.mark.parametrize("radius", ["0.5", "[0.2, 0.6]"])
def test_balls_of_a_fill_stay_inside_and_apart(room, arrangement, radius):
    scene = load_scene(room(fill(250, radius, f'{CUBE}arrangement = "{arrangement}"')))
    position, velocity, radius, mass = arrays(scene)
    assert len(position) == 250
    assert smallest_gap(position, radius) >= 0.0
    assert (position - radius[:, np.newaxis]).min() >= -1e-12
    assert (position + radius[:, np.newaxis]).max() <= 10 + 1e-12
    assert (velocity == 0.0).all()
    assert (mass == 1.0).all()


def test_the_balls_fill_the_whole_region(room):
    for arrangement in ("random", "cubic"):
        position, *_ = arrays(
            load_scene(room(fill(60, 0.5, f'{CUBE}arrangement = "{arrangement}"')))
        )
        assert position.min(axis=0) == pytest.approx([0.5] * 3, abs=0.7)
        assert position.max(axis=0) == pytest.approx([9.5] * 3, abs=0.7)


def test_random_places_are_uniform(room):
    position, *_ = arrays(load_scene(room(fill(1500, 0.05))))
    error = 9.9 / math.sqrt(12 * 1500)
    assert position.mean(axis=0) == pytest.approx([5] * 3, abs=4 * error)
    assert position.std(axis=0) == pytest.approx([9.9 / math.sqrt(12)] * 3, rel=0.05)


def test_radii_are_uniform_between_their_ends_and_in_no_order(room):
    _, _, radius, _ = arrays(load_scene(room(fill(1000, "[0.1, 0.3]"))))
    assert radius.min() == pytest.approx(0.1, abs=2e-3)
    assert radius.max() == pytest.approx(0.3, abs=2e-3)
    assert radius.mean() == pytest.approx(0.2, abs=4 * 0.2 / math.sqrt(12 * 1000))
    assert abs(np.corrcoef(radius, np.arange(1000))[0, 1]) < 0.13


def test_the_same_seed_makes_the_same_balls_and_another_others(room):
    path = room(fill(50, 0.5, f"{CUBE}temperature = 1"))
    balls = {seed: repr(load_scene(path, seed=seed).balls) for seed in (0, 1)}
    assert repr(load_scene(path).balls) == balls[0] != balls[1]
    assert load_scene(path, seed=1).seed == 1
    assert repr(load_scene(path, seed=1).balls) == balls[1]
    (fault,) = faults_of(path, seed=-1)
    assert fault == "room.toml: fill[0].seed: must be at least 0, not -1"


def test_a_seed_for_all_is_another_for_each_fill(room):
    one = "[[fill]]\ncount = 9\nradius = 0.5\nregion = { low = [0, 0, 0], high = [9, 9, 9] }\n"
    other = one.replace("[0, 0, 0]", "[90, 0, 0]").replace("[9, 9, 9]", "[99, 9, 9]")
    balls = load_scene(room(f"duration = 1\n{one}{other}"), seed=4).balls
    assert abs(balls[0].position.y - balls[9].position.y) > 1e-6
    assert repr(load_scene(room(f"duration = 1\n{one}"), seed=4).balls) == repr(balls[:9])
    assert repr(load_scene(room(f"duration = 1\n{other}"), seed=5).balls) == repr(balls[9:])
    path = room(f"duration = 1\n{one}{other}")
    assert repr(load_scene(path).balls) == repr(load_scene(path, seed=0).balls)


def test_a_temperature_gives_each_mass_its_maxwell_distribution(room):
    path = room(fill(4000, "[0.02, 0.06]", f"{CUBE}temperature = 3\ndensity = 1000"))
    _, velocity, radius, mass = arrays(load_scene(path))
    assert mass == pytest.approx(1000 * 4 / 3 * math.pi * radius**3, rel=1e-14)
    energy = mass[:, np.newaxis] * velocity**2
    assert energy.mean(axis=0) == pytest.approx([3] * 3, rel=4 * math.sqrt(2 / 4000))
    for half in (radius < 0.04, radius >= 0.04):
        assert energy[half].mean() == pytest.approx(3, rel=4 * math.sqrt(2 / 6000))
    squares = (velocity**2).sum(axis=1) * mass
    assert (squares**2).mean() / squares.mean() ** 2 == pytest.approx(5 / 3, rel=0.08)


def test_a_speed_is_the_mean_speed(room):
    _, velocity, _, mass = arrays(load_scene(room(fill(500, 0.1, f"{CUBE}speed = 2\nmass = 5"))))
    speed = np.linalg.norm(velocity, axis=1)
    assert (mass == 5).all()
    assert speed.mean() == pytest.approx(2, rel=1e-14)
    assert speed.std() / 2 == pytest.approx(math.sqrt(3 * math.pi / 8 - 1), rel=0.15)


def test_a_cubic_lattice_is_one_and_as_wide_as_may_be(room):
    position, *_ = arrays(load_scene(room(fill(1000, 0.5, f'{CUBE}arrangement = "cubic"'))))
    assert sorted({round(x, 9) for x in position[:, 0]}) == pytest.approx(np.arange(0.5, 10))
    position, *_ = arrays(load_scene(room(fill(27, 0.5, f'{CUBE}arrangement = "cubic"'))))
    assert {round(x, 9) for x in position.ravel()} == {0.5, 5.0, 9.5}
    position, *_ = arrays(load_scene(room(fill(1, 0.5, f'{CUBE}arrangement = "cubic"'))))
    assert position[0] == pytest.approx([5, 5, 5])


PLANES = "".join(
    f"[[plane]]\npoint = {[sign * -reach * (k == axis) for k in range(3)]}\n"
    f"normal = {[sign * (k == axis) for k in range(3)]}\n"
    for axis, reach in ((0, 4), (1, 5), (2, 6))
    for sign in (1, -1)
)


@pytest.mark.parametrize("arrangement", ["random", "cubic"])
def test_without_a_region_the_room_that_planes_enclose_is_filled(room, arrangement):
    text = fill(150, 0.4, f'arrangement = "{arrangement}"\n{PLANES}')
    text += "[[plane]]\npoint = [0, -4, 0]\nnormal = [1, 1, 0]\n"
    scene = load_scene(room(text))
    position, _, radius, _ = arrays(scene)
    assert (abs(position).max(axis=0) <= np.array([3.6, 4.6, 5.6]) + 1e-9).all()
    assert abs(position[:, 2]).max() > 5
    slanting = position @ scene.obstacles[-1].shape.normal + 4 / math.sqrt(2)
    assert slanting.min() >= 0.4 - 1e-9
    assert smallest_gap(position, radius) >= 0


def test_planes_that_enclose_no_room_are_no_region(room):
    planes = PLANES.split("[[plane]]")
    open_to_the_right = "[[plane]]".join(planes[:2] + planes[3:])
    (fault,) = faults_of(room(fill(1, 1, open_to_the_right)))
    assert fault == (
        "room.toml: fill[0].region: is missing, and the planes enclose no axis-aligned room "
        "that it could be: no plane has its normal along -x"
    )
    inside_out = PLANES.replace("[-4, 0, 0]", "[5, 0, 0]")
    (fault,) = faults_of(room(fill(1, 1, inside_out)))
    assert fault.endswith("the planes leave no room along x")


@pytest.mark.parametrize("arrangement", ["random", "cubic"])
def test_balls_of_a_fill_keep_off_pillars_and_all_balls_before(room, arrangement):
    pillars = "".join(
        f"[[cylinder]]\npoint = {point}\naxis = {axis}\nradius = {radius}\n"
        for point, axis, radius in (([5, 0, 5], [0, 1, 0], 2), ([0, 8, 8], [1, 0.2, 0], 1.5))
    )
    other = f'[[fill]]\ncount = 100\nradius = 0.3\narrangement = "{arrangement}"\n{CUBE}'
    big = "[[ball]]\nposition = [2, 2, 2]\nradius = 1.5\n"
    text = fill(100, 0.5, f'{CUBE}arrangement = "random"\n{other}{big}{pillars}')
    scene = load_scene(room(text))
    position, _, radius, _ = arrays(scene)
    assert len(position) == 201
    assert smallest_gap(position, radius) >= -1e-9
    for obstacle in scene.obstacles:
        cylinder = obstacle.shape
        distance = np.linalg.norm(np.cross(position - cylinder.point, cylinder.axis), axis=1)
        assert (distance - cylinder.radius - radius).min() >= -1e-9


@pytest.mark.parametrize("arrangement", ["random", "cubic"])
def test_a_cylinder_around_most_of_the_region_is_a_tube_to_be_filled(room, arrangement):
    around = "[[cylinder]]\npoint = [5, 5, 0]\naxis = [0, 0, 1]\nradius = 5\n"
    core = "[[cylinder]]\npoint = [5, 5, 0]\naxis = [0, 0, 1]\nradius = 2\n"
    text = fill(150, 0.4, f'{CUBE}arrangement = "{arrangement}"\n{around}{core}')
    position, *_ = arrays(load_scene(room(text)))
    distance = np.linalg.norm(position[:, :2] - 5, axis=1)
    assert distance.max() <= 4.6 + 1e-9
    assert distance.min() >= 2.4 - 1e-9


def test_a_fill_of_a_room_that_is_a_part_of_a_compound_keeps_out_of_the_others(room):
    arena = (
        "[[compound]]\ncuboid = [{ center = [5, 5, 5], size = [9, 9, 9] }]\n"
        "sphere = [{ center = [5, 5, 5], radius = 2 }]\n"
        "capsule = [{ a = [2, 2, 2], b = [8, 2, 2], radius = 1 }]\n"
    )
    position, *_ = arrays(load_scene(room(fill(150, 0.3, CUBE + arena))))
    assert np.abs(position - 5).max() <= 4.2
    assert np.linalg.norm(position - 5, axis=1).min() >= 2.3
    past = np.clip(position[:, 0], 2, 8)
    axis = np.stack([past, np.full(150, 2.0), np.full(150, 2.0)], axis=1)
    assert np.linalg.norm(position - axis, axis=1).min() >= 1.3


@pytest.mark.thorough
def test_a_fill_is_not_put_into_what_is_solid(room):
    rock = "[[cuboid]]\ncenter = [5, 5, 5]\nsize = [20, 20, 20]\nrounding = 1\n"
    (fault,) = faults_of(room(fill(5, 0.3, CUBE + rock)))
    assert "fill[0]" in fault


def test_a_fill_that_cannot_be_says_how_many_fit_and_what_to_try(room):
    (fault,) = faults_of(room(fill(1000, 0.51, f'{CUBE}arrangement = "cubic"')))
    assert fault == (
        "room.toml: fill[0]: only 729 of 1,000 balls fit into the region, clear of obstacles and "
        "other balls; all would make a packing fraction of 0.556 (at random up to about .64, "
        "cubic up to .52, fcc up to .74); try a smaller radius, fewer balls or a larger region"
    )
    (fault,) = faults_of(room(fill(1, 5.1)))
    assert fault.startswith("room.toml: fill[0]: only 0 of 1 balls fit")
    assert 'try arrangement = "cubic" or "fcc", a smaller radius' in fault
    behind = "[[plane]]\npoint = [0, 20, 0]\nnormal = [0, 1, 0]\n"
    (fault,) = faults_of(room(fill(10, 0.5, f'{CUBE}arrangement = "cubic"\n{behind}')))
    assert "only 0 of 10 balls fit into the region, clear of obstacles" in fault


@pytest.mark.compiled_only
def test_a_fill_that_cannot_be_among_other_balls_says_so(room):
    small = "[[fill]]\ncount = 900\nradius = 0.4\n" + CUBE
    (fault,) = faults_of(room("duration = 1\n" + small + small.replace("900", "4000")))
    assert "not counting the balls before them" in fault
    assert "largest" not in fault
    large = "[[fill]]\ncount = 300\nradius = 0.7\n" + CUBE
    (fault,) = faults_of(room("duration = 1\n" + small.replace("900", "50") + large))
    assert "packing fraction of 0.431, not counting the balls before them" in fault
    assert "try to put the largest balls first, arrangement" in fault


@pytest.mark.compiled_only
@pytest.mark.parametrize("packing", [0.36, 0.49, 0.6])
def test_balls_are_put_at_random_more_densely_than_one_by_one(packing):
    count, side = 500, (500 * math.pi / 6.0 / packing) ** (1.0 / 3.0)
    dense = Fill(count=count, radius=0.5, packing_fraction=packing, seed=5)
    position = Simulation(dense).position.copy()
    assert np.array_equal(position, Simulation(dense).position)
    d = position[:, None] - position
    d -= side * np.round(d / side)
    distance = np.linalg.norm(d, axis=2)[~np.eye(count, dtype=bool)]
    assert distance.min() >= 1.0
    # No lattice: balls that touch a common one are at all distances from each other.
    assert (np.histogram(distance, np.linspace(1.05, 2.0, 20))[0] > 0).all()


@pytest.mark.compiled_only
def test_dense_fills_keep_off_obstacles_and_off_balls_that_are_there():
    floor, pillar = Plane((0, 0, 0), (0, 0, 1)), Cylinder((2, 2, 0), (0, 0, 1), 0.5)
    region = {"low": (0, 0, 0), "high": (4, 4, 4)}
    given = [Ball((3, 3, 1), radius=0.6), Fill(count=470, radius=(0.2, 0.28), region=region)]
    simulation = Simulation(given, [floor, pillar], check=False)
    position, radius = simulation.position, simulation.world.radius
    assert (4.0 / 3.0 * math.pi * radius**3).sum() / (64 - 4 * math.pi * 0.25) > 0.42
    assert smallest_gap(position, radius) > 0.001  # no ball is in contact from the start
    assert (np.linalg.norm(position[:, :2] - 2.0, axis=1) - radius).min() >= 0.5
    assert (position[1:] - radius[1:, None]).min() >= 0.0
    assert (position[1:] + radius[1:, None]).max() <= 4.0


@pytest.mark.compiled_only
def test_a_dense_fill_stays_inside_a_closed_obstacle():
    region = {"low": (-2.2, -2.2, -2.2), "high": (2.2, 2.2, 2.2)}
    fill = Fill(count=300, radius=0.25, region=region)  # 44 % of the sphere
    position = Simulation(fill, [Sphere((0, 0, 0), 2.2)]).position
    assert np.linalg.norm(position, axis=1).max() <= 2.2 - 0.25
    assert smallest_gap(position, np.full(300, 0.25)) >= 0.0


@pytest.mark.compiled_only
def test_a_random_fill_that_is_too_full_ends(room):
    (fault,) = faults_of(room(fill(10_000_000, 0.5)))
    assert 500 < int(fault.split()[3].replace(",", "")) < 750


@pytest.mark.compiled_only
@pytest.mark.thorough
def test_at_a_packing_fraction_of_three_tenths_a_ball_takes_few_trials(room, monkeypatch):
    radius = (0.3 * 1000 / 10_000 * 0.75 / math.pi) ** (1 / 3)
    monkeypatch.setattr(arrange, "_most_trials", lambda wanted: 100 * len(wanted.radius))
    for way in ("_by_growth", "_by_relaxation"):
        monkeypatch.setattr(arrange, way, lambda _: np.zeros((0, 3)))
    position, *_ = arrays(load_scene(room(fill(10_000, radius))))
    assert len(position) == 10_000
    assert smallest_gap(position[:2000], np.full(2000, radius)) >= 0.0


def test_balls_that_are_there_may_be_anywhere(room):
    far = BALL.replace("[0, 0, 0]", "[1e9, 0, 0]")
    assert len(load_scene(room(far.join(["duration = 1\n", fill(20, 0.5)[13:]]))).balls) == 21


def test_a_fill_may_color_its_balls(room):
    scene = load_scene(room(fill(3, 0.5, f'{CUBE}color = "blue"')))
    assert [ball.color for ball in scene.balls] == ["#0000ff"] * 3


# --- In a plane, on a line --------------------------------------------------------------

LAYER = 'region = {{ low = [-20, -20, {0}], high = [20, 20, {0}] }}\narrangement = "{1}"\n'


@pytest.mark.parametrize("arrangement", ["random", "cubic"])
@pytest.mark.parametrize(
    "radius", [pytest.param("0.5", marks=pytest.mark.compiled_only), "[0.2, 0.6]"]
)
def test_a_fill_in_a_plane_stays_in_it_at_its_temperature(room, arrangement, radius):
    more = LAYER.format(0.1, arrangement) + "temperature = 3\nmass = 2\n"
    scene = load_scene(room(fill(200, radius, more)))
    position, velocity, radii, mass = arrays(scene)
    assert (position[:, 2] == 0.1).all()
    assert (velocity[:, 2] == 0.0).all()
    assert (np.abs(position[:, :2]).max(axis=1) <= 20 - radii + 1e-9).all()
    kinetic = 0.5 * (mass * (velocity**2).sum(axis=1)).sum()
    assert kinetic == pytest.approx(0.5 * 2 * 200 * 3, rel=1e-12)  # ½kT for each of two axes
    assert mass @ velocity == pytest.approx([0, 0, 0], abs=1e-9)
    simulation = Simulation.from_scene(scene)
    simulation.advance(1.0)
    assert (simulation.position[:, 2] == 0.1).all()


def test_a_fill_on_a_line_moves_along_it(room):
    line = "region = { low = [-20, 1, 2], high = [20, 1, 2] }\nspeed = 2\n"
    position, velocity, *_ = arrays(load_scene(room(fill(9, 0.5, line))))
    assert (position[:, 1:] == [1, 2]).all()
    assert (velocity[:, 1:] == 0).all()
    assert np.abs(velocity[:, 0]).mean() == pytest.approx(2, rel=1e-12)


def test_a_plane_has_no_face_centred_lattice(room):
    (fault,) = faults_of(room(fill(9, 0.5, LAYER.format(0, "fcc"))))
    assert fault.startswith('room.toml: fill[0]: arrangement must be "random" or "cubic" in a flat')


@pytest.mark.compiled_only
def test_a_gas_in_a_plane_has_the_temperature_that_was_asked_for(room):
    box = "[box]\nsize = [40, 40, 9]\n"
    flat = "region = { low = [0, 0, 4], high = [40, 40, 4] }\ntemperature = 3\n"
    simulation = Simulation.load(room(fill(100, 0.5, flat) + box))
    simulation.advance(200.0)
    figures = simulation.gas_figures()
    assert figures.temperature.value == pytest.approx(3, rel=1e-9)
    assert figures.pressure is None
    assert 1.0 < figures.compressibility_factor.value < 1.3  # 1 / (1 − φ)² of discs is 1.11


def test_spins_have_their_own_temperature(room):
    more = f"{CUBE}temperature = 2\nmass = 3\ninertia_factor = 0.5\n"
    still = load_scene(room(fill(400, "[0.02, 0.05]", more))).balls
    balls = load_scene(room(fill(400, "[0.02, 0.05]", f"{more}rotational_temperature = 5"))).balls
    assert balls.velocity.tolist() == still.velocity.tolist()
    assert not still.angular_velocity.any()
    energies = balls.inertia[:, np.newaxis] * balls.angular_velocity**2
    assert energies.mean() == pytest.approx(5.0, rel=1e-12)
    small = balls.radius < 0.035  # each size has that temperature, within three errors
    assert energies[small].mean() == pytest.approx(5.0, rel=3 * np.sqrt(2 / energies[small].size))
    flat = "region = { low = [0, 0, 0], high = [9, 9, 0] }\n"
    text = fill(20, 0.1, f"{flat}rotational_temperature = 5")
    spin = load_scene(room(text)).balls.angular_velocity
    assert not spin[:, :2].any()
    assert 0.4 * 0.01 * (spin[:, 2] ** 2).mean() == pytest.approx(5.0)
