"""Sheared periodic boxes: images, work, stress and viscosity (Lees and Edwards, 1972)."""

import numpy as np
import pytest
from checkpoints import goes_on_alike
from command_line import typed
from kinds_of_scenes import SHEARED
from scene_files import faults_of, write_room
from sheared_images import impacts_by_hand

from spheresim import (
    Ball,
    Box,
    ConstantAccelerations,
    Cylinder,
    Fill,
    Obstacle,
    Plane,
    Run,
    Simulation,
    Sphere,
    Surfaces,
    analysis,
    analytic_toi,
)
from spheresim.analysis.published_hard_spheres import contact_value, enskog_viscosity
from spheresim.model.periodic_wrap import to_nearest_images, wrapped
from spheresim.model.shear_flow import peculiar_velocity

pytestmark = pytest.mark.compiled_only

SIDE, RATE = 20.0, 0.1
BOX = Box((-10, -10, -10), (SIDE, SIDE, SIDE), shear_rate=RATE)


def gas(count=60, seed=1, rate=0.3, restitution=1.0, size=(9, 10, 8), radius=(0.4, 0.7)):
    """Balls of several sizes in a small sheared box."""
    box = Box((-4, -5, -4), size, shear_rate=rate)
    fill = Fill(count=count, radius=radius, temperature=1, seed=seed)
    balls = Simulation(fill, box=box).balls
    return Simulation(
        [Ball(b.position, b.velocity, b.radius, b.mass, restitution) for b in balls], box=box
    )


def temperature(simulation):
    """kT of the velocities beside the flow."""
    c = peculiar_velocity(simulation.world.box, simulation.position, simulation.velocity)
    return float((simulation.world.mass @ c**2).sum()) / (3.0 * len(c))


# --- Images ---------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [1, -1])
def test_a_ball_hits_the_image_that_slides_past_the_face(turns):
    """Against the closed form, in the laboratory."""
    one = Ball((5 * turns, 9 * turns, 0), (0.3 * turns, 1.0 * turns, 0.1), radius=1)
    place, away = np.array((3 * turns, -9.5 * turns, 0.2)), np.array((-turns, 0.0, 0.0))
    other = Ball(place, away, radius=1)
    up = np.array((0.0, turns * SIDE, 0.0))
    flow = np.array((turns * RATE * SIDE, 0.0, 0.0))
    image = Ball(place + up, away + flow, radius=1)
    simulation = Simulation([one, other], box=BOX)
    simulation.run(impacts=1)
    assert simulation.time == pytest.approx(analytic_toi(one, image), rel=1e-14)
    # Velocities are those of the laboratory, of the balls themselves and not of images.
    pair = Simulation([one, image])
    pair.run(until=simulation.time + 1e-9)
    assert simulation.velocity[0] == pytest.approx(pair.velocity[0], rel=1e-12)
    assert simulation.velocity[1] + flow == pytest.approx(pair.velocity[1], rel=1e-12)


def test_a_ball_that_leaves_the_box_flies_straight_on_in_the_laboratory():
    simulation = Simulation([Ball((1, 2, 3), (0.5, 7, -3), radius=1)], box=BOX)
    simulation.run(until=1000.0)
    assert simulation.position[0] == pytest.approx([501, 7002, -2997], rel=1e-13)
    assert tuple(simulation.velocity[0]) == (0.5, 7, -3)


@pytest.mark.parametrize(("rate", "restitution"), [(0.3, 1.0), (-1.0, 0.8)])
def test_impacts_are_those_of_a_laboratory_with_all_images(rate, restitution):
    simulation = gas(count=40, seed=3, rate=rate, restitution=restitution)
    expected = impacts_by_hand(simulation, 60)
    simulation.run(impacts=60)
    found = simulation.impacts
    assert (np.stack([found.i, found.j], axis=1) == expected[:, 1:3]).all()
    assert found.t == pytest.approx(expected[:, 0], abs=1e-8)
    assert found.impulse == pytest.approx(expected[:, 3], abs=1e-6)
    assert (np.abs(simulation.position[:, 1]) > 5.0).any()  # some have left the box


def test_it_makes_no_difference_in_which_image_balls_start():
    """Those n boxes further up move faster by n times the rate times the height."""
    here = gas(count=30)
    up = np.arange(30) % 5 - 2
    shift = np.outer(up, (0.0, 10.0, 0.0))
    balls = [
        Ball(b.position + s, np.add(b.velocity, (0.3 * s[1], 0, 0)), b.radius)
        for b, s in zip(here.balls, shift, strict=True)
    ]
    there = Simulation(balls, box=here.world.box)
    here.run(until=1.0)
    there.run(until=1.0)
    assert there.impacts.i.tolist() == here.impacts.i.tolist()
    apart = shift + np.outer(shift[:, 1], (0.3, 0, 0))  # the images slid meanwhile
    assert there.position == pytest.approx(here.position + apart, abs=1e-9)
    box = here.world.box
    inside = wrapped(box, 1.0, there.position)
    assert inside == pytest.approx(wrapped(box, 1.0, here.position), abs=1e-9)


@pytest.mark.parametrize(
    ("count", "size", "radius"),
    [(70, (9, 10, 8), (0.4, 0.7)), (60, (40, 4.2, 4.2), (0.5, 1.0)), (40, (5, 30, 6), (0.1, 1.0))],
)
def test_no_balls_ever_overlap_for_a_long_time(count, size, radius):
    """Also where images slide many times past the box while it is sheared by its own height."""
    simulation = gas(count, seed=5, rate=0.5, restitution=0.7, size=size, radius=radius)
    simulation.keep_impacts(False)
    simulation.run(impacts=20_000)
    assert simulation.tally.deepest_overlap < 1e-11
    # Nothing was missed: no pair of images overlaps.
    box, time, x = simulation.world.box, simulation.time, simulation.position
    i, j = np.triu_indices(len(x), 1)
    distance = np.linalg.norm(to_nearest_images(box, time, x[i] - x[j]), axis=1)
    radius = simulation.world.radius
    assert (distance - radius[i] - radius[j]).min() > -1e-9


def test_without_a_shear_rate_it_is_the_periodic_box():
    size = (9, 10, 8)
    assert Box(size=size, shear_rate=0) == Box(size=size)
    slow = gas(count=30, rate=1e-13)
    still = Simulation(
        [Ball(b.position, b.velocity, b.radius) for b in slow.balls],
        box=Box(slow.world.box.low, slow.world.box.size),
    )
    for simulation in (slow, still):
        simulation.run(until=1.0)
    assert slow.impacts.t == pytest.approx(still.impacts.t, abs=1e-9)
    assert slow.position == pytest.approx(still.position, abs=1e-9)


# --- Work, stress, viscosity -----------------------------------------------------------


@pytest.mark.parametrize("restitution", [1.0, 0.8])
def test_the_work_of_shear_is_all_that_the_gas_gains_and_loses_in_impacts(restitution):
    simulation = gas(restitution=restitution)
    energy, momentum = simulation.energy(), np.array(simulation.momentum())
    simulation.run(impacts=3000)
    tally = simulation.tally
    gained = simulation.energy() - energy
    assert tally.work_of_shear > 0.1 * energy
    assert gained == pytest.approx(tally.work_of_shear - tally.dissipated, rel=1e-10)
    assert np.array(simulation.momentum()) == pytest.approx(momentum, abs=1e-10)


@pytest.mark.thorough
def test_the_work_of_shear_is_all_that_rough_balls_gain_and_lose_too():
    rough = Surfaces(tangential_restitution=0.5, friction=0.3)
    simulation = Simulation(list(gas().balls), box=gas().world.box, surfaces=rough)
    energy = simulation.energy()
    simulation.run(impacts=300)
    tally = simulation.tally
    assert tally.dissipated > 0.01 * energy
    gained = simulation.energy() - energy
    assert gained == pytest.approx(tally.work_of_shear - tally.dissipated, rel=1e-9)


def test_work_is_stress_times_rate_times_volume():
    simulation = gas()
    start = simulation.snapshots[-1]
    simulation.run(until=7.0)
    stress = simulation.snapshots[-1][6:] - start[6:]
    assert simulation.tally.work_of_shear == pytest.approx(-0.3 * stress[3], rel=1e-12)
    # The trace is twice the kinetic energy over time, and the virial of impacts.
    assert stress[:3].sum() > simulation.snapshots[-1][3] > 0.0


def test_stress_from_a_run_on_disk_is_that_of_the_engine(folder):
    write_room(SHEARED.replace("duration = 4", "duration = 40").replace("0.25", "0.05"))
    assert typed("run", "room.toml", "--out", "out", cwd=folder).returncode == 0
    run = Run.load("out")
    found = analysis.stress(run)
    info = run.info
    for axes in ("xx", "yy", "zz", "xy"):
        error = 0.05 * info["pressure"]
        assert getattr(found, axes).value == pytest.approx(info[f"stress_{axes}"], abs=error), axes
    assert info["shear_viscosity"] == pytest.approx(-info["stress_xy"] / 0.3)
    assert found.shear_viscosity.value == pytest.approx(-found.xy.value / 0.3)
    trace = info["stress_xx"] + info["stress_yy"] + info["stress_zz"]
    assert trace / 3.0 == pytest.approx(info["pressure"], rel=0.05)
    assert info["work_of_shear"] > 0.0
    assert abs(info["energy_remainder"]) < 1e-9 * info["energy_end"]
    # What is not known of a gas under shear is said in one line.
    whole = analysis.analyse(run)
    assert "shear viscosity" in whole.figures()
    assert whole.missing["diffusion"] == "it is not measured in a sheared box"


def test_stress_of_a_gas_at_rest_is_its_pressure(folder):
    write_room(SHEARED.replace("shear_rate = 0.3\n", "").replace("restitution = 0.9\n", ""))
    Simulation.load("room.toml").save("out", until=4.0)
    run = Run.load("out")
    found, pressure = analysis.stress(run), analysis.pressure(run).pressure
    trace = found.xx.value + found.yy.value + found.zz.value
    assert trace / 3.0 == pytest.approx(pressure.value, rel=1e-12)
    assert found.shear_viscosity is None
    assert "stress_xx" not in run.info


def viscosity(fraction, count, strain, rate, seed):
    side = (count * np.pi / 6.0 / fraction) ** (1.0 / 3.0)
    box = Box((-side / 2,) * 3, (side,) * 3, shear_rate=rate)
    simulation = Simulation(Fill(count=count, radius=0.5, temperature=1, seed=seed), box=box)
    simulation.keep_impacts(False)
    simulation.run(until=strain / rate)
    return simulation.gas_figures().stress["shear_viscosity"]


@pytest.mark.parametrize("fraction", [0.1, 0.2])
def test_the_viscosity_is_near_that_of_enskog(fraction):
    """Within its error, and some percent by which Enskog's theory and shear thinning err."""
    found = viscosity(fraction, 1000, 10.0, 0.2, 1)
    assert found.error < 0.05 * found.value
    assert abs(found.value - found.published) < 3.0 * found.error + 0.03 * found.published


@pytest.mark.study
@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.2])
def test_the_viscosity_is_that_of_enskog_within_its_own_uncertainty(fraction):
    """Alder, Gass and Wainwright (1970): within about 2 % of Enskog's up to φ = .2."""
    found = [viscosity(fraction, 4000, 10.0, 0.1, seed) for seed in range(1, 9)]
    ratio = np.array([one.value / one.published for one in found])
    error = ratio.std(ddof=1) / np.sqrt(len(ratio))
    assert error < 0.02
    assert abs(ratio.mean() - 1.0) < 3.0 * error + 0.02


def test_the_viscosity_of_a_thin_gas_is_that_of_chapman_and_enskog():
    assert enskog_viscosity(1e-9, 2.0, 3.0, 5.0) == pytest.approx(
        1.016 * 5 / 64 * np.sqrt(15 / np.pi), rel=1e-6
    )


def steady_temperature(restitution, start):
    """kT of a sheared granular gas, long after it began with another; σ, m and the rate are 1."""
    box = Box((-5, -5, -5), (10, 10, 10), shear_rate=1.0)
    fill = Fill(count=380, radius=0.5, temperature=start, seed=1)
    balls = [
        Ball(b.position, b.velocity, b.radius, restitution=restitution)
        for b in Simulation(fill, box=box).balls
    ]
    simulation = Simulation(balls, box=box)
    simulation.keep_impacts(False)
    simulation.run(until=30.0)
    found = []
    for time in np.arange(31.0, 80.0):
        simulation.run(until=time)
        found.append(temperature(simulation))
    return np.mean(found)


@pytest.mark.parametrize(("restitution", "within"), [(0.9, 0.2), (0.95, 0.1)])
def test_a_sheared_granular_gas_comes_to_the_steady_temperature(restitution, within):
    """What the flow gives, impacts take: viscosity · rate² is the loss per volume and time.

    C. K. K. Lun, S. B. Savage, D. J. Jeffrey and N. Chepurniy, Journal of Fluid Mechanics 140, 223
    (1984): the loss is (12/√π) (1 − e²) ρ φ² g T^(3/2) / σ with the density ρ of the balls. The
    viscosity is Enskog's where impacts lose little; so the less they lose, the nearer it comes.
    """
    phi = 380 * np.pi / 6.0 / 1000.0
    rate_of_loss = 12.0 / np.sqrt(np.pi) * (1.0 - restitution**2) * 6.0 / np.pi * phi**2
    expected = enskog_viscosity(phi, 1.0, 1.0, 1.0) / (rate_of_loss * contact_value(phi))
    cold, hot = (steady_temperature(restitution, part * expected) for part in (0.2, 5.0))
    assert cold == pytest.approx(hot, rel=0.05)
    assert 0.0 < expected - 0.5 * (cold + hot) < within * expected


# --- Files, faults ----------------------------------------------------------------------


def test_a_run_goes_on_from_a_checkpoint_to_the_same_bytes():
    goes_on_alike(lambda: gas(count=80, seed=2), [2.5], 6.0)


def test_fills_move_with_the_flow():
    simulation = gas(count=90, rate=5.0)
    flow = 5.0 * simulation.position[:, 1]
    assert np.corrcoef(simulation.velocity[:, 0], flow)[0, 1] > 0.99
    assert temperature(simulation) == pytest.approx(1.0)
    side, rough = (9.0, 9.0, 9.0), Surfaces(tangential_restitution=0.0)
    hollow = Fill(count=9, radius=0.5, region={"low": (0, 0, 0), "high": side}, inertia_factor=0.6)
    sheared = Simulation(hollow, box=Box(size=side, shear_rate=1.0), surfaces=rough)
    assert sheared.balls[0].inertia_factor == 0.6


def test_xyz_frames_have_the_lattice_that_leads_to_the_image_above(tmp_path):
    simulation = gas(count=5)
    simulation.save(tmp_path / "out", until=2.0, frame_every=1.0, formats=("csv", "xyz"))
    lines = (tmp_path / "out" / "frames.xyz").read_text().splitlines()
    heads = [line for line in lines if line.startswith("Lattice")]
    # 0.3 · 10 · t, less whole periods of 9.
    for head, slid in zip(heads, ("0.0", "3.0", "-3.0"), strict=True):
        assert head.startswith(f'Lattice="9.0 0.0 0.0 {slid} 10.0 0.0 0.0 0.0 8.0"')


def test_what_does_not_go_with_shear_is_refused_in_a_sentence():
    ball = Ball((0, 0, 0), radius=1)
    with pytest.raises(ValueError, match=r"shear_rate must be periodic along x and y, not"):
        Box(size=(9, 9, 9), periodic=(True, False, True), shear_rate=0.1)
    with pytest.raises(ValueError, match=r"shear_rate must be finite, not inf"):
        Box(size=(9, 9, 9), shear_rate=np.inf)
    with pytest.raises(ValueError, match=r"gravity must be \(0, 0, 0\) in a box with a shear_rate"):
        Simulation([ball], box=BOX, gravity=(0, -1, 0))
    flat = Box(size=(9, 9, 9), periodic=(True, True, False), shear_rate=0.1)
    for shape in (
        Plane((0, 0, 0), (0, 0, 1)),
        Cylinder((4, 4, 0), (0, 0, 1), 1),
        Sphere((0, 0, 0), 1),
    ):
        with pytest.raises(ValueError, match=r"shear_rate, which may hold nothing but balls"):
            Simulation([ball], [Obstacle(shape)], box=flat)
    with pytest.raises(ValueError, match=r"there must be no field in a box with a shear_rate"):
        Simulation([ball], box=BOX, field=ConstantAccelerations([[0, 1, 0]]))
    with pytest.raises(ValueError, match=r'engine must be "events"'):
        Simulation([ball], box=BOX, engine="steps")
    moved = Simulation([ball], box=BOX)
    moved.run(until=1.0)
    with pytest.raises(ValueError, match=r"images of a sheared box .* have slid by 2\.0"):
        moved.save_scene("later.toml")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("shear_rate = 0.3", "shear_rate = true", "box.shear_rate must be a number, not true"),
        (
            "shear_rate = 0.3",
            "shear_rate = 0.3\nperiodic = [false, true, true]",
            "box.shear_rate is 0.3, expected is 0 in a box that is not periodic along x and y, and "
            "periodic is [False, True, True]",
        ),
        (
            "duration = 4",
            "duration = 4\ngravity = [0, 0, -1]",
            "gravity must be (0, 0, 0) in a box with a shear_rate, not (0.0, 0.0, -1.0)",
        ),
        ("duration = 4", 'duration = 4\nengine = "steps"', 'engine must be "events"'),
    ],
)
def test_faults_of_scenes(folder, old, new, fault):
    found = faults_of(write_room(SHEARED.replace(old, new)))
    assert any(fault in one.replace(": ", " ") for one in found), found
