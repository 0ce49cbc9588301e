"""Pillars, tubes and walls in a periodic box: all their images, and nothing but them."""

from itertools import product

import numpy as np
import pytest
from image_tracer import depth, next_impact

from spheresim import Ball, Cylinder, Plane, Simulation, TVector
from spheresim.state import Box

ONLY_COMPILED = pytest.mark.compiled_only
SIDE = 20.0
CUBE = Box(TVector(0, 0, 0), TVector(SIDE, SIDE, SIDE))


def simulate(balls, obstacles, box=CUBE, **others):
    return Simulation(balls, obstacles, engine="events", box=box, **others)


def test_a_ball_that_goes_round_hits_the_pillar_from_the_other_side():
    pillar = Cylinder((10, 10, 10), (0, 0, 1), 1.5)
    simulation = simulate([Ball((5, 10, 5), (-1, 0, 0), 0.25)], [pillar])
    simulation.run(until=30)
    first, second = simulation.impacts
    assert (first.t, second.t) == pytest.approx((13.25, 29.75), rel=1e-15)
    # Unwrapped: the image one box to the left, then the pillar itself.
    assert (first.x, first.y, first.z, first.nx) == pytest.approx((-8.5, 10, 5, 1), rel=1e-15)
    assert (second.x, second.nx) == pytest.approx((8.5, -1), rel=1e-15)
    assert simulation.position[0] == pytest.approx((8, 10, 5), rel=1e-14)
    assert tuple(first)[5] == "cylinder 0"


def cylinders(random, box, most):
    """Endless along a periodic axis, or at right angles to all of them; where is anyone's."""
    shapes = []
    for _ in range(random.integers(1, most + 1)):
        axis = np.zeros(3)
        along = int(random.integers(3))
        if box.periodic[along]:
            axis[along] = random.choice([-1.0, 1.0])
        else:
            free = ~np.array(box.periodic)
            axis[free] = random.normal(size=free.sum())
        across = [
            side
            for side, wraps, a in zip(box.size, box.periodic, axis, strict=True)
            if wraps and abs(a) < 0.5
        ]
        widest = min([*across, max(box.size)])
        radius = widest * random.choice([random.uniform(0.01, 0.2), random.uniform(0.35, 0.49)])
        point = np.array(box.low) + np.array(box.size) * random.uniform(-2, 3, 3)
        shapes.append(Cylinder(point, axis, radius))
    return shapes


def walls(box):
    """Where the box is not periodic it has walls."""
    shapes = []
    for axis in np.flatnonzero(~np.array(box.periodic)):
        inwards = np.eye(3)[axis]
        shapes += [Plane(box.low, inwards), Plane(box.low + box.size, -inwards)]
    return shapes


def world(seed):
    """A box, some obstacles, and a ball that overlaps no pillar (or is well within a tube)."""
    random = np.random.default_rng(seed)
    patterns = [wraps for wraps in product((True, False), repeat=3) if any(wraps)]
    periodic = patterns[seed % len(patterns)]
    size = random.uniform(5, 20, 3)
    box = Box(TVector(random.uniform(-50, 50, 3)), TVector(size), periodic)
    shapes = [*walls(box), *cylinders(random, box, 1 if seed % 3 else 4)]
    radius = size.min() * random.choice([0.002, 0.01, 0.05])
    while True:
        x = np.array(box.low) + size * random.uniform(size=3)
        if depth(shapes, box, x, radius) < 0:
            break
        inside = [s for s in shapes if depth([s], box, x, radius) >= 0]
        if len(inside) == 1 and depth(inside, box, x, radius) > 2.5 * radius:
            break  # in the only cylinder that is there, as in a tube
    return box, shapes, Ball(x, random.normal(size=3), radius)


@pytest.mark.parametrize(
    "seeds",
    [range(2), *(pytest.param(range(k, k + 50), marks=ONLY_COMPILED) for k in (0, 50, 100, 150))],
)
def test_every_impact_is_the_first_that_any_image_allows(seeds):
    """Each is predicted anew from the one before, so that chaos cannot part the two."""
    checked = 0
    for seed in seeds:
        box, shapes, ball = world(seed)
        simulation = simulate([ball], shapes, box)
        simulation.run(impacts=60, until=200.0)
        x, v, t = np.array(ball.position), np.array(ball.velocity), 0.0
        impacts = simulation.impacts
        for row in impacts:
            wait, k, point = next_impact(shapes, box, x, v, ball.radius, row.t - t + 1e-6)
            assert row.t == pytest.approx(t + wait, abs=1e-9), (seed, row)
            assert row.obstacle == simulation.obstacle_names[k], (seed, row)
            normal = np.array([row.nx, row.ny, row.nz])
            contact = np.array([row.x, row.y, row.z])
            x, t = x + v * wait, t + wait
            assert contact + ball.radius * normal == pytest.approx(x, abs=1e-8), (seed, row)
            if isinstance(shapes[k], Cylinder):  # on the surface of that very image
                d = contact - point
                axis = np.array(shapes[k].axis)
                across = np.linalg.norm(d - axis * (d @ axis))
                assert across == pytest.approx(shapes[k].radius, abs=1e-8), (seed, row)
            x, t = contact + ball.radius * normal, row.t
            v = v - 2.0 * (v @ normal) * normal
        left = (simulation.time - t) * (1.0 - 1e-9)
        assert next_impact(shapes, box, x, v, ball.radius, left)[0] > left, seed
        checked += len(impacts)
    assert checked > 20 * len(seeds)
