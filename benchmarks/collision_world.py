"""A collision world: CPU time of a step of moving boxes, and of rays, beside other libraries.

`python -m benchmarks.collision_world [--csv FILE] [--count N]`. All answer the same, in turn, in
one process on one core: boxes of random sizes and orientations move a little each step, and all
contacts are found, each with a point, a normal and a depth. The peers (`pip install coal
python-fcl`) keep the boxes in their managers of trees. Moving the boxes is measured with it: of a
peer object by object, as it offers. Rays: a million of random ones against 10,000 spheres, and
against a mesh of 100,000 triangles, in one call each, with handle, distance, point and normal; the
mesh beside Intel's embree (`pip install embreex`), in 32-bit floats, on one core.
"""

import argparse
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.measurements import Measurement, add_csv_option, append, version_of
from spheresim import CollisionWorld, Mesh, Sphere, __version__
from spheresim.convex import box

STEPS = 7
RAYS = 1_000_000
STEP, RATE = "milliseconds_per_step", "million_rays_per_second"

Step = Callable[[np.ndarray], int]
Rays = Callable[[np.ndarray, np.ndarray], int]


def boxes(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions, rotations, half extents and velocities; each box touches about two others."""
    random = np.random.default_rng(1)
    side = 1.857 * count ** (1.0 / 3.0)
    positions = random.uniform(0.0, side, (count, 3))
    rotations = Rotation.random(count, rng=random).as_matrix()
    return (
        positions,
        rotations,
        random.uniform(0.3, 0.8, (count, 3)),
        random.normal(size=(count, 3)),
    )


def ours(rotations: np.ndarray, halves: np.ndarray) -> Step:
    world = CollisionWorld()
    handles = np.array([world.add(box(half)) for half in halves])

    def step(positions: np.ndarray) -> int:
        world.move(handles, positions, rotations)
        return len(world.cycle().contacts)

    return step


def with_coal(rotations: np.ndarray, halves: np.ndarray) -> Step:
    import coal

    objects = [
        coal.CollisionObject(coal.Box(*(2.0 * half)), turn, np.zeros(3))
        for half, turn in zip(halves, rotations, strict=True)
    ]
    manager = coal.DynamicAABBTreeCollisionManager()
    for each in objects:
        manager.registerObject(each)
    manager.setup()

    def step(positions: np.ndarray) -> int:
        for each, position in zip(objects, positions, strict=True):
            each.setTranslation(position)
            each.computeAABB()
        manager.update()
        found = coal.CollisionCallBackDefault()
        found.data.request.num_max_contacts = 100 * len(objects)
        found.data.request.enable_contact = True
        manager.collide(found)
        return int(found.data.result.numContacts())

    return step


def with_fcl(rotations: np.ndarray, halves: np.ndarray) -> Step:
    import fcl

    objects = [
        fcl.CollisionObject(fcl.Box(*(2.0 * half)), fcl.Transform(turn, np.zeros(3)))
        for half, turn in zip(halves, rotations, strict=True)
    ]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()

    def step(positions: np.ndarray) -> int:
        for each, position in zip(objects, positions, strict=True):
            each.setTranslation(position)
        manager.update()
        request = fcl.CollisionRequest(num_max_contacts=100 * len(objects), enable_contact=True)
        data = fcl.CollisionData(request=request)
        manager.collide(data, fcl.defaultCollisionCallback)
        pairs = {tuple(sorted((id(c.o1), id(c.o2)))) for c in data.result.contacts}
        return len(pairs)

    return step


WORLDS = {
    "spheresim": (ours, ""),
    "coal": (with_coal, "coal"),
    "python-fcl": (with_fcl, "python-fcl"),
}


def measure_steps(count: int) -> list[Measurement]:
    """The fastest of some steps of each library, all taking the same ones in turn."""
    positions, rotations, halves, velocities = boxes(count)
    steps: dict[str, Step] = {}
    for name, (make, _) in WORLDS.items():
        try:
            steps[name] = make(rotations, halves)
        except ImportError:
            continue
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    touching: dict[str, int] = {}
    for k in range(STEPS):
        here = positions + 0.02 * k * velocities
        for name, step in steps.items():
            start = time.process_time()
            touching[name] = step(here)
            seconds[name].append(time.process_time() - start)
    found = []
    for name, times in seconds.items():
        case = {"question": "moving boxes", "objects": count, "found": touching[name]}
        version = version_of(WORLDS[name][1]) if WORLDS[name][1] else __version__
        found.append(Measurement(case, name, STEP, round(min(times[1:]) * 1e3, 2), version))
    return found


def measure_rays() -> list[Measurement]:
    """Rays against spheres, and against a mesh beside embree."""
    random = np.random.default_rng(0)
    balls, bumpy, mesh = CollisionWorld(), CollisionWorld(), bumpy_sphere(159, 318)
    for centre in random.uniform(0, 100, (10_000, 3)):
        balls.add(Sphere(centre, random.uniform(0.5, 1.5)))
    bumpy.add(mesh)
    start = random.normal(size=(RAYS, 3))
    start *= 3.0 / np.linalg.norm(start, axis=1)[:, np.newaxis]
    way = random.uniform(-1, 1, (RAYS, 3)) - start
    at_mesh = {"spheresim": rays_of(bumpy)}
    with suppress(ImportError):
        at_mesh["embree"] = rays_of_embree(mesh)
    spread = random.uniform(0, 100, (RAYS, 3)), random.normal(size=(RAYS, 3))
    return [
        *measured("rays at spheres", 10_000, {"spheresim": rays_of(balls)}, *spread),
        *measured("rays at a mesh", len(mesh.triangles), at_mesh, start, way),
    ]


def measured(
    question: str, objects: int, asked: dict[str, Rays], origins: Any, directions: Any
) -> list[Measurement]:
    """The fastest of some rounds of each library, in turn."""
    times: dict[str, list[float]] = {name: [] for name in asked}
    hits = dict.fromkeys(asked, 0)
    for _ in range(STEPS):
        for name, ask in asked.items():
            begin = time.process_time()
            hits[name] = ask(origins, directions)
            times[name].append(time.process_time() - begin)
    found = []
    for name, each in times.items():
        case = {"question": question, "objects": objects, "found": hits[name]}
        version = __version__ if name == "spheresim" else version_of("embreex")
        rate = round(RAYS / min(each) / 1e6, 3)
        found.append(Measurement(case, name, RATE, rate, version))
    return found


def rays_of(world: CollisionWorld) -> Rays:
    world.ray_cast_batch((9, 9, 9), (1, 0, 0))  # makes the tree

    def ask(origins: np.ndarray, directions: np.ndarray) -> int:
        return int(np.count_nonzero(world.ray_cast_batch(origins, directions).hits))

    return ask


def rays_of_embree(mesh: Mesh) -> Rays:
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scene = EmbreeScene()
    TriangleMesh(scene, mesh.vertices[mesh.triangles].astype(np.float32))

    def ask(origins: np.ndarray, directions: np.ndarray) -> int:
        single = origins.astype(np.float32), directions.astype(np.float32)
        return int(np.count_nonzero(scene.run(*single, output=True)["geomID"] >= 0))

    return ask


def bumpy_sphere(rows: int, columns: int) -> Mesh:
    """A closed mesh of 2·rows·columns − 2·columns triangles."""
    polar = np.linspace(0.0, np.pi, rows + 1)[1:-1]
    around = np.linspace(0.0, 2.0 * np.pi, columns, endpoint=False)
    theta, phi = (grid.ravel() for grid in np.meshgrid(polar, around, indexing="ij"))
    ring = np.column_stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)]
    )
    points = np.vstack([ring, [(0, 0, 1)], [(0, 0, -1)]])
    points *= (1.0 + 0.05 * np.sin(9 * points[:, 0]) * np.cos(11 * points[:, 1]))[:, np.newaxis]
    k, top = np.arange(columns), len(ring)
    after = (k + 1) % columns
    triangles = [np.column_stack([np.full(columns, top), k, after])]
    for row in range(rows - 2):
        one, two = row * columns, (row + 1) * columns
        triangles.append(np.column_stack([one + k, two + k, two + after]))
        triangles.append(np.column_stack([one + k, two + after, one + after]))
    last = (rows - 2) * columns
    triangles.append(np.column_stack([last + k, np.full(columns, top + 1), last + after]))
    return Mesh(points, np.vstack(triangles))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_csv_option(parser)
    parser.add_argument("--count", type=int, default=10_000, help="boxes that move")
    chosen = parser.parse_args()
    found = measure_steps(chosen.count) + measure_rays()
    for row in found:
        print(*row.case.values(), row.program, row.value, row.quantity, sep="  ")
    if chosen.csv:
        append(chosen.csv, found)


if __name__ == "__main__":
    main()
