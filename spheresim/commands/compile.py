"""`spheresim compile`: compile in advance what the program may need, for a class room or an image.

Which kernels a world needs depends on what can happen in it, and not on how many balls there are:
see docs/compiling.md.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from spheresim.commands.exit_codes import DONE
from spheresim.compiler.compile_time import watch_compilation
from spheresim.compiler.kernel_cache import cache_folder
from spheresim.model.balls import Ball
from spheresim.model.force_field import ConstantAccelerations, HarmonicTrap
from spheresim.model.materials import Surfaces
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box
from spheresim.obstacles.driven_walls.motions import ConstantVelocity
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.sphere import Sphere
from spheresim.scene.find import shipped_scenes
from spheresim.simulation import Simulation

_FALLING = {"gravity": (0.0, -9.81, 0.0)}
_FLOOR = Plane((0, 0, 0), (0, 1, 0))
_LIFT = Obstacle(_FLOOR, motion=ConstantVelocity((0, 0.1, 0)))
_BALL = Sphere((0, -3, 0), 2)
_ROUGH = {"surfaces": Surfaces(tangential_restitution=0.5)}
_BOX: dict[str, Any] = {"low": (0, 0, 0), "size": (20, 20, 20)}

WORLDS: dict[str, dict[str, Any]] = {
    "straight flight, planes and cylinders": {"obstacles": [_FLOOR]},
    "straight flight, other obstacles too": {"obstacles": [_FLOOR, _BALL]},
    "straight flight, rough surfaces": {"obstacles": [_FLOOR], **_ROUGH},
    "gravity, planes and cylinders": {"obstacles": [_FLOOR], **_FALLING},
    "gravity, other obstacles too": {"obstacles": [_FLOOR, _BALL], **_FALLING},
    "straight flight, periodic box": {"box": Box(**_BOX, periodic=True)},
    "straight flight, sheared box": {"box": Box(**_BOX, shear_rate=0.1)},
    "gravity, periodic box": {
        "obstacles": [_FLOOR],
        **_FALLING,
        "box": Box(**_BOX, periodic=(True, False, True)),
    },
    "obstacles that move": {"obstacles": [_LIFT]},
    "gravity, obstacles that move": {"obstacles": [_LIFT], **_FALLING},
    "harmonic trap": {"obstacles": [_FLOOR], "field": HarmonicTrap(1.0)},
    "an acceleration of each ball": {
        "obstacles": [_FLOOR],
        "field": ConstantAccelerations(np.zeros((2, 3))),
    },
}
"""A world of each kind that has its own kernels, without rare ones, such as most with materials."""


def has_own_kernels(kind: str, engine: str) -> bool:
    """Whether worlds of this kind need kernels of their own; fixed steps ask Python for fields."""
    return engine == "events" or not WORLDS[kind].keys() & {"box", "field"}


def world_of_kind(kind: str, engine: str) -> Simulation:
    """A simulation of two balls that meet, in a world of this kind; impacts take energy where there
    is gravity. Without it they would make a bent obstacle one on which balls are pressed."""
    restitution = 0.5 if "gravity" in WORLDS[kind] else 1.0
    left = Ball((3.0, 5.0, 5.0), (1.0, 0.0, 0.0), radius=1.0, restitution=restitution)
    right = Ball((6.0, 5.0, 5.0), (-1.0, 0.0, 0.0), radius=1.0, restitution=restitution)
    return Simulation([left, right], **WORLDS[kind], engine=engine)


def compile_all(quiet: bool) -> int:
    """Compile everything that is not compiled yet, and print a table of it; the exit code."""
    stderr = Console(stderr=True, highlight=False, quiet=quiet)
    table = Table("for", "seconds", box=None, pad_edge=False)
    started = time.perf_counter()
    for label, make in _all_kinds():
        with watch_compilation(stderr.print) as compiling:
            make()
        took = f"{compiling.seconds:.1f}" if compiling.seconds > 0.0 else "there already"
        table.add_row(label, took)
    if not quiet:
        Console().print(table)
        _print_cache(time.perf_counter() - started)
    return DONE


def _all_kinds() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield a label and a function that compiles what the label names."""
    for kind in WORLDS:
        for engine in ("events", "steps"):
            if has_own_kernels(kind, engine):
                words = "exact engine" if engine == "events" else "fixed steps"
                yield f"{words}: {kind}", partial(_run, kind, engine)
    yield "exact engine, balls that grow: dense fills", _grow
    yield "shipped scenes: fills, records", _load_scenes
    yield "batches: times of impact, rays", _ask_in_bulk
    yield "broad phases", _find_pairs
    yield "convex bodies, collision worlds", _collide


def _run(kind: str, engine: str) -> None:
    simulation = world_of_kind(kind, engine)
    simulation.compile()
    simulation.run(until=0.01)
    if "field" not in WORLDS[kind]:  # where only runs until a time end
        simulation.run(impacts=1)


def _grow() -> None:
    from spheresim.scene.from_python import Fill
    from spheresim.simulation.compress import compress

    compress(Simulation(Fill(count=8, radius=0.5, packing_fraction=0.1)), impacts=1)


def _load_scenes() -> None:
    for name in shipped_scenes():
        Simulation.load(name).compile()


def _ask_in_bulk() -> None:
    from spheresim.collision.toi_batch import analytic_toi_batch, sliced_toi_batch
    from spheresim.model.obstacle_toi import obstacle_toi_batch

    places, motions, radii = np.eye(3) * 4.0, -np.eye(3), np.ones(3)
    analytic_toi_batch(places, motions, radii, places[::-1], motions[::-1], radii)
    sliced_toi_batch(places, motions, radii, places[::-1], motions[::-1], radii, 1.0)
    for shape in (_FLOOR, _BALL):
        obstacle_toi_batch(shape, places, motions, radii)
        shape.hit_batch(places, motions)


def _find_pairs() -> None:
    from spheresim.broadphase.catalogue import BROAD_PHASES, find_pairs

    low = np.random.default_rng(0).uniform(0.0, 30.0, (300, 3))
    for method in BROAD_PHASES:
        find_pairs(low, low + 1.0, method)


def _collide() -> None:
    from spheresim.collision_world import CollisionWorld
    from spheresim.convex.shapes import box, capsule
    from spheresim.obstacles.mesh import Mesh

    world, probe = CollisionWorld(), capsule((0, 0, 0), (1, 0, 0), 0.5)
    moving = world.add(box((1, 1, 1)), (0.2, 0, 0))
    world.add(probe)
    world.add(_FLOOR)
    world.add(Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2), (0, 1, 3)]))
    world.cycle()
    world.set_velocity(moving, (1, 0, 0))
    world.cycle(0.1)
    world.ray_cast((0, 5, 0), (0, -1, 0))
    world.overlap(probe, (0, 1, 0))
    world.nearest((0, 3, 0))
    world.shape_cast(probe, (0, -1, 0), position=(0, 5, 0))


def _print_cache(seconds: float) -> None:
    folder = cache_folder()
    if folder is None:
        print("no folder for compiled kernels is writable, so every start compiles again")
        return
    kernels = [path.stat().st_size for path in folder.glob("*.nbc")]
    print(f"{len(kernels)} kernels, {sum(kernels) / 1e6:.0f} MB, in {folder}; {seconds:.0f} s")
