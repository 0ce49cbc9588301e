"""Balls poured into a box until they lie still: what it costs, and how still, beside others.

`python -m benchmarks.pile [--balls N …] [--restitution E …] [--engines events steps]
[--no-peers] [--csv FILE]`. Of each program: CPU seconds for 20 seconds of motion, how deep two
balls overlap at the end at the most (in radii), and how fast the fastest still is. Of ours, too:
impacts a ball until all are asleep. The peers are measured where they are installed
(`pip install mujoco pybullet`), frictionless and with their own step: MuJoCo with its own softness,
damped to the restitution, for a hundred balls; Bullet for all numbers.

    python -m benchmarks.pile --balls 100 1000 10000 --restitution 0 0.6 0.9 --no-peers
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measurements import Measurement, add_csv_option, append, version_of

RADIUS = 0.25
GRAVITY = 9.81
SECONDS = 20.0
STEP = 0.005
MUJOCO_STEP, MUJOCO_SOFTNESS, MUJOCO_BALLS = 0.002, 0.02, 100
"""MuJoCo's defaults: its step, and the time in which a contact gives way; for how many balls it is
measured."""
BULLET_STEP = 1.0 / 240.0
"""Bullet's default."""
ENGINES = ["events", "steps"]
LONGEST = 1000.0
"""How many seconds of motion are waited until all are asleep; and so many of CPU time."""


class Pouring(NamedTuple):
    """Balls above a box whose floor is at z = 0."""

    position: np.ndarray
    velocity: np.ndarray
    side: float
    restitution: float


class Outcome(NamedTuple):
    """What 20 seconds cost, and what they came to."""

    cpu_seconds: float
    deepest_overlap: float
    fastest: float


def pouring(count: int, restitution: float) -> Pouring:
    """A loose column of balls, about five balls deep when it lies in the box."""
    wide = max(2, round((count / 5.0) ** 0.5))
    random = np.random.default_rng(count)
    k = np.arange(count)
    cells = np.stack([k % wide, k // wide % wide, k // wide**2], axis=1)
    pitch = 2.4 * RADIUS
    places = (cells + 0.5) * pitch + random.uniform(-0.19, 0.19, (count, 3)) * RADIUS
    places[:, 2] += 4.0 * RADIUS
    return Pouring(places, random.normal(size=(count, 3)), wide * pitch, restitution)


def deepest_overlap(position: np.ndarray) -> float:
    """Of all pairs, in radii; negative if none touch."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(position).query_pairs(2.0 * RADIUS, output_type="ndarray")
    if len(pairs) == 0:
        return 0.0
    apart = np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1)
    return float((2.0 * RADIUS - apart.min()) / RADIUS)


def outcome(advance: Callable[[], None], state: Callable[[], tuple[np.ndarray, ...]]) -> Outcome:
    """Advance by 20 seconds, and look."""
    start = time.process_time()
    advance()
    spent = time.process_time() - start
    position, velocity = state()
    fastest = float(np.linalg.norm(velocity, axis=1).max())
    return Outcome(spent, deepest_overlap(position), fastest)


# --- Ours ---------------------------------------------------------------------------------


def simulation_of(pouring: Pouring, engine: str) -> Any:
    """A simulation that counts its impacts, and keeps none."""
    from spheresim import Obstacle, Plane, Simulation
    from spheresim.model.balls import Balls

    n, e = len(pouring.position), pouring.restitution
    far = (pouring.side,) * 3
    walls = [Plane((0, 0, 0), axis) for axis in np.eye(3)]
    walls += [Plane(far, -axis) for axis in np.eye(3)[:2]]
    balls = Balls(pouring.position, pouring.velocity, np.full(n, RADIUS), np.ones(n), np.full(n, e))
    obstacles = [Obstacle(wall, e) for wall in walls]
    simulation = Simulation(balls, obstacles, (0, 0, -GRAVITY), STEP, engine, check=False)
    simulation.log_impacts(False)
    simulation.compile()
    return simulation


def ours(pouring: Pouring, engine: str) -> Outcome:
    """Twenty seconds in one of the engines."""
    simulation = simulation_of(pouring, engine)
    return outcome(
        lambda: simulation.run(until=SECONDS),
        lambda: (simulation.position.copy(), simulation.velocity.copy()),
    )


def until_asleep(pouring: Pouring, engine: str) -> Iterator[tuple[str, float]]:
    """Impacts a ball, seconds of motion and CPU seconds until all sleep; then an hour more."""
    simulation = simulation_of(pouring, engine)
    start = time.process_time()

    def is_late() -> bool:
        return time.process_time() - start > LONGEST

    while not simulation.asleep.all() and simulation.time < LONGEST and not is_late():
        simulation.advance(simulation.time + 0.5, is_late)
    spent, tally = time.process_time() - start, simulation.tally
    yield "asleep", float(simulation.asleep.mean())
    yield "impacts_a_ball", (tally.ball_impacts + tally.obstacle_impacts) / len(pouring.position)
    yield "seconds_until_asleep", simulation.time
    yield "cpu_seconds_until_asleep", spent
    if simulation.asleep.all():
        start = time.process_time()
        simulation.run(until=simulation.time + 3600.0)
        yield "cpu_seconds_an_hour_asleep", time.process_time() - start


# --- MuJoCo -------------------------------------------------------------------------------


def mujoco(pouring: Pouring) -> Outcome:
    """Free bodies, frictionless contacts that are springs with a damper.

    Of a spring with a damping ratio z a fall comes back with e = exp(−π z / √(1 − z²)).
    """
    import mujoco as mj

    decades = math.log(max(pouring.restitution, 1e-3))
    damping = -decades / math.sqrt(math.pi**2 + decades**2)
    half = pouring.side / 2.0
    walls = "".join(
        f'<geom type="plane" size="{half} {half} 1" pos="{p[0]} {p[1]} {p[2]}" '
        f'zaxis="{n[0]} {n[1]} {n[2]}"/>'
        for axis in np.eye(3)[:2]
        for n, p in ((axis, half * (1 - axis)), (-axis, half * (1 - axis) + pouring.side * axis))
    )
    floor = f'<geom type="plane" size="{half} {half} 1" pos="{half} {half} 0"/>'
    bodies = "".join(
        f'<body pos="{x[0]} {x[1]} {x[2]}"><freejoint/><geom size="{RADIUS}" mass="1"/></body>'
        for x in pouring.position
    )
    model = mj.MjModel.from_xml_string(
        f'<mujoco><option timestep="{MUJOCO_STEP}" gravity="0 0 {-GRAVITY}"/><size memory="1G"/>'
        f'<default><geom condim="1" solref="{MUJOCO_SOFTNESS} {damping}"/></default>'
        f"<worldbody>{floor}{walls}{bodies}</worldbody></mujoco>"
    )
    data = mj.MjData(model)
    velocities = data.qvel.reshape(-1, 6)[:, :3]
    velocities[:] = pouring.velocity

    def advance() -> None:
        for _ in range(round(SECONDS / MUJOCO_STEP)):
            mj.mj_step(model, data)

    done = outcome(advance, lambda: (data.qpos.reshape(-1, 7)[:, :3].copy(), velocities.copy()))
    if data.warning[mj.mjtWarning.mjWARN_BADQACC].number > 0:
        raise ArithmeticError("MuJoCo is unstable with its own step at this restitution")
    return done


# --- Bullet -------------------------------------------------------------------------------


def bullet(pouring: Pouring) -> Outcome:
    """Rigid spheres between five planes, without friction and damping."""
    import pybullet as pb

    pb.connect(pb.DIRECT)
    pb.setGravity(0, 0, -GRAVITY)
    pb.setTimeStep(BULLET_STEP)
    frictionless = {
        "restitution": pouring.restitution,
        "linearDamping": 0.0,
        "angularDamping": 0.0,
        "lateralFriction": 0.0,
        "rollingFriction": 0.0,
        "spinningFriction": 0.0,
    }
    far = np.full(3, pouring.side)
    walls = [(np.zeros(3), axis) for axis in np.eye(3)]
    walls += [(far * axis, -axis) for axis in np.eye(3)[:2]]
    for place, normal in walls:
        shape = pb.createCollisionShape(pb.GEOM_PLANE, planeNormal=list(normal))
        body = pb.createMultiBody(0.0, shape, basePosition=list(place))
        pb.changeDynamics(body, -1, restitution=1.0, lateralFriction=0.0)
    sphere = pb.createCollisionShape(pb.GEOM_SPHERE, radius=RADIUS)
    balls = [pb.createMultiBody(1.0, sphere, basePosition=list(x)) for x in pouring.position]
    for ball, velocity in zip(balls, pouring.velocity, strict=True):
        pb.changeDynamics(ball, -1, **frictionless)
        pb.resetBaseVelocity(ball, list(velocity))

    def advance() -> None:
        for _ in range(round(SECONDS / BULLET_STEP)):
            pb.stepSimulation()

    def state() -> tuple[np.ndarray, ...]:
        position = np.array([pb.getBasePositionAndOrientation(ball)[0] for ball in balls])
        return position, np.array([pb.getBaseVelocity(ball)[0] for ball in balls])

    done = outcome(advance, state)
    pb.disconnect()
    return done


PEERS = {"MuJoCo": (mujoco, MUJOCO_BALLS), "PyBullet": (bullet, math.inf)}
"""Each with the largest number of balls for which it is measured."""


def main() -> None:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--balls", type=int, nargs="+", default=[100])
    parser.add_argument("--restitution", type=float, nargs="+", default=[0.6])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--no-peers", action="store_true", help="measure spheresim alone")
    add_csv_option(parser)
    options = parser.parse_args()
    rows = []
    for n in options.balls:
        for restitution in options.restitution:
            case = {"balls": n, "restitution": restitution}
            start = pouring(n, restitution)
            for name, measured in measure(start, options.engines, not options.no_peers):
                version = version_of(name.partition(" ")[0].lower())
                figures = {quantity: f"{value:.3g}" for quantity, value in measured.items()}
                rows += [Measurement(case, name, q, v, version) for q, v in figures.items()]
                told = ", ".join(f"{quantity} {value}" for quantity, value in figures.items())
                print(f"{n:6} {restitution:4} {name:18} {told}", flush=True)
    if options.csv is not None:
        append(options.csv, rows)


def measure(
    start: Pouring, engines: list[str], with_peers: bool
) -> Iterator[tuple[str, dict[str, float]]]:
    """The figures of each program; how often its time is that of the first of our engines."""
    n, ours_took = len(start.position), 0.0
    for engine in engines:
        done = ours(start, engine)
        ours_took = ours_took or done.cpu_seconds
        figures = done._asdict() | {"times_as_long": done.cpu_seconds / ours_took}
        yield f"spheresim {engine}", figures | dict(until_asleep(start, engine))
    for name, (peer, most) in PEERS.items():
        if not with_peers or n > most:
            continue
        try:
            done = peer(start)
        except ImportError:
            continue
        except ArithmeticError as fault:
            print(fault)
            continue
        yield name, done._asdict() | {"times_as_long": done.cpu_seconds / ours_took}


if __name__ == "__main__":
    main()
