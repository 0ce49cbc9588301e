"""Contact that lasts in fixed steps: balls slide, lie, pile up and sleep, and nothing overlaps."""

import numpy as np
import pytest
from surfaces import pair_gaps

from spheresim import Ball, Obstacle, Plane, Simulation

G = 9.81


def poured(seed=3, count=20, restitution=0.6):
    """Balls above a box of four walls."""
    random = np.random.default_rng(seed)
    walls = [
        Obstacle(Plane(point, normal), restitution)
        for point, normal in [
            ((0, 0, 0), (0, 1, 0)),
            ((-1.2, 0, 0), (1, 0, 0)),
            ((1.2, 0, 0), (-1, 0, 0)),
            ((0, 0, -1.2), (0, 0, 1)),
            ((0, 0, 1.2), (0, 0, -1)),
        ]
    ]
    balls = []
    for k in range(count):
        place = np.array((k % 2 - 0.5, 0.6 + k // 4, k // 2 % 2 - 0.5)) * 1.05
        radius = random.uniform(0.4, 0.5)
        balls.append(Ball(place, random.normal(size=3), radius, restitution=restitution))
    return Simulation(balls, walls, (0, -G, 0), 0.005, "steps")


@pytest.mark.parametrize("degrees", [1e-6, 0.1, 3, 7, 10, 60, 89])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_after_its_bounces_a_ball_slides_as_its_integrator_says(degrees, restitution):
    angle, step = np.radians(degrees), 0.01
    normal = np.array((np.sin(angle), np.cos(angle), 0.0))
    downhill = np.array((np.cos(angle), -np.sin(angle), 0.0))
    ball = Ball(normal * 1.0, radius=1.0, restitution=restitution)
    simulation = Simulation([ball], [Plane((0, 0, 0), normal)], (0, -G, 0), step, "steps")
    simulation.run(until=500 * step)
    # Kicks of g·sin(angle) along the slope, each followed by a straight flight.
    expected = G * np.sin(angle) * step**2 * 500 * 501 / 2
    assert simulation.position[0] @ downhill == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert simulation.position[0] @ normal == pytest.approx(1.0, abs=1e-9)
    assert simulation.sliding.tolist() == [True]
    (contact,) = simulation.contacts
    assert contact.force == pytest.approx(G * np.cos(angle), rel=1e-9)


@pytest.mark.compiled_only
def test_a_pile_comes_to_rest_without_overlap_and_carries_its_weight():
    pile = poured()
    for k in range(1, 81):
        pile.run(until=0.25 * k)
        assert pair_gaps(pile.position, pile.world.radius).min() >= -1e-9 * 0.4
        if pile.asleep.all():
            break
    assert pile.asleep.all()
    contacts, rows = pile.contacts, len(pile.impacts)
    upwards = contacts.force * contacts.ny
    assert upwards[contacts.j < 0].sum() == pytest.approx(20 * G, rel=1e-9)
    place = pile.position.copy()
    pile.run(until=3600.0)
    assert (pile.position == place).all()
    assert len(pile.impacts) == rows


@pytest.mark.compiled_only
def test_what_is_saved_while_it_settles_goes_on_to_the_same_bits():
    whole, other = poured(), poured()
    whole.run(until=1.0)
    saved = whole.checkpoint()
    whole.run(until=4.0)
    other.resume(saved)
    other.run(until=4.0)
    assert (whole.position == other.position).all()
    assert (whole.velocity == other.velocity).all()
    assert (whole.asleep == other.asleep).all()


@pytest.mark.compiled_only
def test_what_is_told_does_not_depend_on_when_the_journal_is_handed_over():
    # All land in one step and begin to slide in the next: more rows than the journal has room for.
    def landing():
        balls = [
            Ball((k % 50, 0.6, k // 50), (0.3, 0, 0), 0.2, restitution=0.0) for k in range(2500)
        ]
        return Simulation(balls, [Plane((0, 0, 0), (0, 1, 0))], (0, -10, 0), 0.01, "steps")

    at_once, by_steps, silent = landing(), landing(), landing()
    silent.log_impacts(False)
    for simulation in (at_once, silent):
        simulation.run(until=0.5)
    for k in range(1, 51):
        by_steps.run(until=k * 0.01)
    assert (at_once.impacts == by_steps.impacts).all()
    kinds, counts = np.unique(at_once.impacts.kind, return_counts=True)
    assert dict(zip(kinds.tolist(), counts.tolist(), strict=True)) == {
        "obstacle": 2500,
        "slide": 2500,
    }
    assert (at_once.position == by_steps.position).all()
    assert (at_once.position == silent.position).all()
