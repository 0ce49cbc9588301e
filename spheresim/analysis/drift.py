"""Energy and momentum of a state, and how far they have drifted since the start of a run."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.model.force_field import ConstantAccelerations, Field, HarmonicTrap
from spheresim.model.shear_flow import is_sheared, peculiar_velocity
from spheresim.model.state import State, World
from spheresim.numerics.vector import TVector

_MUCH, _LITTLE = 0.1, 0.01
"""Parts of the energy of motion: more than the first is worth a word, the second is near enough."""


# Sums by `einsum`: BLAS shares them out among threads, which wait for each other where others have
# the processors, for longer than a step of 20,000 balls takes.


def kinetic_energy(world: World, state: State) -> float:
    """½ Σ m v² of all balls, and ½ Σ I ω² where spins are followed.

    In a sheared box v is the velocity beside that of the flow.
    """
    v = peculiar_velocity(world.box, state.position, state.velocity)
    squares = np.einsum("ij,ij->i", v, v)
    moving = 0.5 * float(np.einsum("i,i->", world.mass, squares))
    return moving if state.angular_velocity is None else moving + rotational_energy(world, state)


def rotational_energy(world: World, state: State) -> float:
    """½ Σ I ω² of all balls; 0 where spins are not followed."""
    if state.angular_velocity is None:
        return 0.0
    squares = np.einsum("ij,ij->i", state.angular_velocity, state.angular_velocity)
    return 0.5 * float(np.einsum("i,i->", world.inertia, squares))


def potential_energy(world: World, state: State, field: Field | None = None) -> float:
    """−Σ m g·x of all balls, which is 0 at the origin; and that in a field which has a potential,
    as no function of Python has."""
    descent = np.einsum("ij,j->i", state.position, np.array(world.gravity))
    potential = 0.0 - float(np.einsum("i,i->", world.mass, descent))  # never −0
    if isinstance(field, HarmonicTrap | ConstantAccelerations):
        potential += field.energy(world.mass, state.position)
    return potential


def energy(world: World, state: State, field: Field | None = None) -> float:
    """Kinetic plus potential energy."""
    return kinetic_energy(world, state) + potential_energy(world, state, field)


def fall_by_radii(world: World) -> float:
    """Σ m |g| r: what all balls gain that fall by their radii."""
    return float(np.einsum("i,i->", world.mass, world.radius)) * TVector(world.gravity).mag()


def momentum(world: World, state: State) -> TVector:
    """Σ m v of all balls."""
    return TVector(world.mass @ state.velocity)


def total_speed(world: World, state: State) -> float:
    """Σ m |v|: the scale against which a change of the total momentum is judged."""
    return float(np.dot(world.mass, np.linalg.norm(state.velocity, axis=1)))


class EnergyAccount(NamedTuple):
    """A balance of the energy of a run.

    start, now: total energy then and now; taken: what inelastic impacts dissipated, None if no
    impact takes any, or if no engine counted it; given: what obstacles that move or are warm, and a
    heat bath, gave to balls, None if it was not counted; work_of_shear: what the flow of a sheared
    box gave; remainder: now − start + taken − given − work_of_shear, which only rounding or an
    integrator can cause, None if one of these was not counted; scale: the largest energy involved,
    against which the remainder is judged; moving: the same without what depends on where the origin
    is, the larger kinetic energy or the change of the potential one, and at least what the balls
    gain as they fall by their radii, for those that lie have none.
    """

    start: float
    now: float
    taken: float | None
    given: float | None
    remainder: float | None
    scale: float
    moving: float
    work_of_shear: float | None = None

    def step_advice(self, step: float) -> str | None:
        """A sentence where fixed steps under gravity have added much; None where they have not.

        What a step adds at a bounce is m·g·h·v at most, so that it goes with the step h.
        """
        return None if self.remainder is None else step_advice(self.remainder, self.moving, step)

    def rows(self, now: str) -> list[tuple[str, str]]:
        """The account as pairs of label and value; `now` is the label of the second row."""
        rows = [("energy at start", f"{self.start:.6g}"), (now, f"{self.now:.6g}")]
        if self.work_of_shear:
            rows.append(("work of shear", f"{self.work_of_shear:.6g}"))
        if self.taken is not None:
            rows.append(("lost in impacts", f"{self.taken:.6g}"))
        if self.given:
            rows.append(("from outside", f"{self.given:.6g}"))
        if self.remainder is not None:
            rows.append(("energy remainder", f"{self.remainder + 0.0:.3g}"))
        return rows


def step_advice(gained: float, moving: float, step: float) -> str | None:
    """The sentence of `EnergyAccount.step_advice`."""
    if gained <= _MUCH * moving:
        return None
    gain = gained / moving if moving else math.inf
    size = step * _LITTLE / gain if gain < math.inf else 0.1 * step
    return (
        f"fixed steps of {step:g} are too large for these falls: they have added "
        f"{100.0 * gain:.3g} % to the energy; steps of {size:.1g} would add about "
        f"{100.0 * _LITTLE:g} %, and the engine 'events' adds nothing"
    )


class Drift:
    """How far energy and momentum have drifted since this object was made."""

    def __init__(self, world: World, state: State, field: Field | None = None) -> None:
        self._world, self._field = world, field
        self.energy_start = energy(world, state, field)
        self._kinetic_start = kinetic_energy(world, state)
        self._momentum_start = momentum(world, state)
        self._total_speed_start = total_speed(world, state)

    def save(self) -> list[float]:
        """The values at the start, as numbers for a checkpoint."""
        start = [self.energy_start, self._kinetic_start, self._total_speed_start]
        return [*start, *self._momentum_start]

    def restore(self, saved: Sequence[float]) -> None:
        """Replace the values at the start by those that `save` returned."""
        self.energy_start, self._kinetic_start, self._total_speed_start = map(float, saved[:3])
        self._momentum_start = TVector(saved[3:6])

    def account(
        self,
        state: State,
        dissipated: float | None,
        given: float | None = 0.0,
        work_of_shear: float | None = None,
    ) -> EnergyAccount:
        """The balance of energy up to a state.

        dissipated: the energy that impacts took, as the engine counted it; None if it did not;
        given: what obstacles that move or are warm, and a heat bath, gave, None if it was not
        counted; work_of_shear: what the flow of a sheared box gave, likewise.
        """
        now = energy(self._world, state, self._field)
        elastic = self._world.is_lossless
        taken = None if elastic else dissipated
        is_known = (dissipated is not None or elastic) and given is not None
        if is_sheared(self._world.box):
            is_known = is_known and work_of_shear is not None
        gained = now - self.energy_start - (given or 0.0) - (work_of_shear or 0.0)
        remainder = gained + (taken or 0.0) if is_known else None
        kinetic_now = kinetic_energy(self._world, state)
        kinetic = max(self._kinetic_start, kinetic_now)
        scale = max(abs(self.energy_start), abs(now), kinetic, abs(given or 0.0))
        fallen = abs(now - kinetic_now - self.energy_start + self._kinetic_start)
        moving = max(kinetic, fallen, fall_by_radii(self._world))
        return EnergyAccount(
            *(self.energy_start, now, taken, given, remainder, scale, moving), work_of_shear
        )

    def figures(
        self, state: State, dissipated: float, given: float = 0.0, work_of_shear: float = 0.0
    ) -> dict[str, Any]:
        """The figures of `run.json`.

        energy_start, energy_end; energy_drift, (end − start) / the larger of the two kinetic
        energies, 0 if both are 0; energy_dissipated, what impacts took; work_of_shear, in a sheared
        box what the flow gave; energy_remainder, end − start + dissipated − what obstacles that
        move or are warm, a heat bath and the flow gave; momentum_drift, |change of momentum| / the
        larger of the two Σ m|v|, 0 if both are 0.
        """
        account = self.account(state, dissipated, given, work_of_shear)
        kinetic = max(self._kinetic_start, kinetic_energy(self._world, state))
        speed = max(self._total_speed_start, total_speed(self._world, state))
        change = momentum(self._world, state).dist(self._momentum_start)
        return {
            "energy_start": account.start,
            "energy_end": account.now,
            "energy_drift": (account.now - account.start) / kinetic if kinetic else 0.0,
            "energy_dissipated": account.taken or 0.0,
            **({"work_of_shear": work_of_shear} if is_sheared(self._world.box) else {}),
            "energy_remainder": account.remainder,
            "momentum_drift": change / speed if speed else 0.0,
        }
