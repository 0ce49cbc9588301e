"""Ball-steps per CPU-second of the fixed-timestep engine, beside MuJoCo and REBOUND.

`python -m benchmarks.stepping [--csv FILE]`. All run the same gas, in turn, in one
process on one core: a closed box (REBOUND: periodic, it has no walls), a step of a tenth
of a radius at mean speed, weak gravity where the engine has it. The peers are measured
where they are installed (`pip install mujoco rebound`), frictionless and as elastic as
they can be.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks.gas import RADIUS, Gas, gas
from benchmarks.measurements import Measurement, add_csv_option, append, version_of

STEP = 0.1
GRAVITY = 0.01
CASES = ((1000, 0.05), (1000, 0.3), (10_000, 0.05), (10_000, 0.3))
ROUNDS = 3
_SECONDS = 1.0

Advance = Callable[[int], None]
Engine = Callable[[Gas], tuple[Advance, Callable[[], np.ndarray]]]
"""Takes a gas; gives what advances it by so many steps, and what tells the velocities."""


def ours(slices: int) -> Engine:
    """Spheresim, with the analytic (0) or the sliced time of impact."""

    def start(gas: Gas) -> tuple[Advance, Callable[[], np.ndarray]]:
        from spheresim import Ball, Plane, Simulation

        far = (gas.side,) * 3
        walls = [Plane((0, 0, 0), n) for n in np.eye(3)] + [Plane(far, -n) for n in np.eye(3)]
        balls = [Ball(x, v, RADIUS) for x, v in zip(gas.position, gas.velocity, strict=True)]
        simulation = Simulation(
            balls,
            walls,
            (0, 0, -GRAVITY),
            STEP,
            toi="sliced" if slices else "analytic",
            slices=slices or 1,
        )

        def advance(steps: int) -> None:
            simulation.advance(simulation.time + steps * STEP)

        return advance, lambda: simulation.velocity

    return start


def mujoco(gas: Gas) -> tuple[Advance, Callable[[], np.ndarray]]:
    """Free bodies, frictionless contacts without damping, the cheapest solver settings."""
    import mujoco as mj

    half = gas.side / 2.0
    walls = "".join(
        f'<geom type="plane" size="{half} {half} 1" '
        f'pos="{p[0]} {p[1]} {p[2]}" zaxis="{n[0]} {n[1]} {n[2]}"/>'
        for axis in np.eye(3)
        for n, p in ((axis, half * (1 - axis)), (-axis, half * (1 - axis) + gas.side * axis))
    )
    bodies = "".join(
        f'<body pos="{x[0]} {x[1]} {x[2]}"><freejoint/><geom size="{RADIUS}" mass="1"/></body>'
        for x in gas.position
    )
    model = mj.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" gravity="0 0 {-GRAVITY}" iterations="5" '
        'ls_iterations="5" solver="CG" cone="elliptic"/><size memory="2G"/>'
        '<default><geom condim="1" solref="-30 0" solimp="1 1 .001"/></default>'
        f"<worldbody>{walls}{bodies}</worldbody></mujoco>"
    )
    data = mj.MjData(model)
    velocities = data.qvel.reshape(-1, 6)
    velocities[:, :3] = gas.velocity

    def advance(steps: int) -> None:
        for _ in range(steps):
            mj.mj_step(model, data)

    return advance, lambda: velocities[:, :3]


def rebound(gas: Gas) -> tuple[Advance, Callable[[], np.ndarray]]:
    """Tree search, hard spheres, no gravity, a periodic box."""
    import rebound as rb

    simulation = rb.Simulation()
    simulation.integrator = "leapfrog"
    simulation.gravity = "none"
    simulation.collision = "tree"
    simulation.collision_resolve = "hardsphere"
    simulation.root_size = gas.side
    simulation.boundary = "periodic"
    simulation.N_ghost_x = simulation.N_ghost_y = simulation.N_ghost_z = 1
    simulation.dt = STEP
    for x, v in zip(gas.position - gas.side / 2.0, gas.velocity, strict=True):
        simulation.add(m=1.0, r=RADIUS, x=x[0], y=x[1], z=x[2], vx=v[0], vy=v[1], vz=v[2])

    def velocities() -> np.ndarray:
        return np.array([(p.vx, p.vy, p.vz) for p in simulation.particles])

    return simulation.steps, velocities


ENGINES: dict[str, Engine] = {
    "spheresim analytic": ours(0),
    "spheresim sliced": ours(150),
    "MuJoCo": mujoco,
    "REBOUND": rebound,
}


def measure(engine: Engine, gas: Gas) -> tuple[float, float]:
    """Ball-steps per CPU-second, and the kinetic energy's growth over the measured steps."""
    advance, velocities = engine(gas)
    advance(10)  # compiles, fills caches
    before = float(np.sum(velocities() ** 2))
    steps, spent = 0, 0.0
    chunk = max(1, 20_000 // len(gas.position))
    while spent < _SECONDS:
        start = time.process_time()
        advance(chunk)
        spent += time.process_time() - start
        steps += chunk
    return steps * len(gas.position) / spent, float(np.sum(velocities() ** 2)) / before


def main() -> None:
    """Measure all engines on all cases, and print the median of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_csv_option(parser)
    path = parser.parse_args().csv
    rows = []
    for n, packing_fraction in CASES:
        start = gas(n, packing_fraction)
        case = {"balls": n, "packing_fraction": packing_fraction}
        for name, engine in ENGINES.items():
            try:
                rounds = sorted(measure(engine, start) for _ in range(ROUNDS))
            except ImportError:
                continue
            speed, growth = rounds[len(rounds) // 2]
            version = version_of(name.partition(" ")[0].lower())
            rows.append(Measurement(case, name, "ball_steps_per_second", round(speed), version))
            rows.append(Measurement(case, name, "kinetic_energy_ratio", f"{growth:.3g}", version))
            print(
                f"{n:6} {packing_fraction:4} {name:20} "
                f"{speed / 1e6:7.3f} million, energy ×{growth:.3g}"
            )
    if path is not None:
        append(path, rows)


if __name__ == "__main__":
    main()
