"""What a physicist measures of a state, and where it went."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spheresim.model.state import State, World
from spheresim.numerics.vector import TVector


def kinetic_energy(world: World, state: State) -> float:
    """½ Σ m v²."""
    return 0.5 * float(np.dot(world.mass, np.einsum("ij,ij->i", state.velocity, state.velocity)))


def energy(world: World, state: State) -> float:
    """Kinetic energy plus −Σ m g·x, which is 0 at the origin."""
    heights = state.position @ np.array(world.gravity)
    return kinetic_energy(world, state) - float(np.dot(world.mass, heights))


def momentum(world: World, state: State) -> TVector:
    """Σ m v."""
    return TVector(world.mass @ state.velocity)


def total_speed(world: World, state: State) -> float:
    """Σ m |v|: what a change of momentum is to be held against."""
    return float(np.dot(world.mass, np.linalg.norm(state.velocity, axis=1)))


class EnergyAccount(NamedTuple):
    """Where energy went: at the start and now; what impacts took of it, None where nothing is
    inelastic; the remainder, now − start + taken, which only rounding or an integrator
    makes, None where it is not known what they took; and the largest of the energies, which
    it is to be held against."""

    start: float
    now: float
    taken: float | None
    remainder: float | None
    scale: float

    def rows(self, now: str, is_stepped: bool) -> list[tuple[str, str]]:
        """The account in words and numbers; `now` names the second row.

        `is_stepped`: whether gravity acts by fixed steps, whose integrator (semi-implicit
        Euler) lets energy wander; else what restitution leaves should be conserved.
        """
        rows = [("energy at start", f"{self.start:.6g}"), (now, f"{self.now:.6g}")]
        if self.taken is not None:
            rows.append(("restitution took", f"{self.taken:.6g}"))
        if self.remainder is None:
            return rows
        if is_stepped:
            word = "took" if self.remainder < 0.0 else "added"
            rows.append((f"fixed step {word}", f"{abs(self.remainder):.3g}"))
        else:
            drift = self.remainder / self.scale if self.scale else 0.0
            rows.append(("energy drift", f"{drift:.1e} of it" if drift else "none"))
        return rows


class Drift:
    """How far energy and momentum have moved since this was made."""

    def __init__(self, world: World, state: State) -> None:
        self._world = world
        self.energy_start = energy(world, state)
        self._kinetic_start = kinetic_energy(world, state)
        self._momentum_start = momentum(world, state)
        self._total_speed_start = total_speed(world, state)

    def save(self) -> list[float]:
        """What it began with, as numbers."""
        start = [self.energy_start, self._kinetic_start, self._total_speed_start]
        return [*start, *self._momentum_start]

    def restore(self, saved: Sequence[float]) -> None:
        """Begin with what `save` gave."""
        self.energy_start, self._kinetic_start, self._total_speed_start = map(float, saved[:3])
        self._momentum_start = TVector(saved[3:6])

    def account(self, state: State, dissipated: float | None) -> EnergyAccount:
        """Where energy went, given what impacts took of it by their own count, if there is one."""
        now = energy(self._world, state)
        elastic = (self._world.restitution == 1.0).all() and (
            self._world.obstacles.restitution == 1.0
        ).all()
        taken = None if elastic else dissipated
        is_known = elastic or taken is not None
        remainder = now - self.energy_start + (taken or 0.0) if is_known else None
        kinetic = max(self._kinetic_start, kinetic_energy(self._world, state))
        scale = max(abs(self.energy_start), abs(now), kinetic)
        return EnergyAccount(self.energy_start, now, taken, remainder, scale)

    def figures(self, state: State, dissipated: float) -> dict[str, Any]:
        """energy_start, energy_end; energy_drift, their difference, of the larger kinetic energy
        of the two; energy_dissipated, what impacts took; energy_remainder, what neither
        explains; momentum_drift, of the larger Σ m|v| of the two."""
        account = self.account(state, dissipated)
        kinetic = max(self._kinetic_start, kinetic_energy(self._world, state))
        speed = max(self._total_speed_start, total_speed(self._world, state))
        change = momentum(self._world, state).dist(self._momentum_start)
        return {
            "energy_start": account.start,
            "energy_end": account.now,
            "energy_drift": (account.now - account.start) / kinetic if kinetic else 0.0,
            "energy_dissipated": account.taken or 0.0,
            "energy_remainder": account.remainder,
            "momentum_drift": change / speed if speed else 0.0,
        }


# --- A gas ------------------------------------------------------------------------------

SETTLING = 10.0
"""Impacts per ball that a gas needs to forget how it began."""

_GROUPS = 32
"""At most so many groups of blocks, whose averages give the error of the whole."""

_KLM = {1: 4.0, 2: 6.0, 3: 2.3647684, 4: -0.8698551, 5: 1.1062803, 6: -1.1014221}
_KLM |= {7: 0.66605866, 8: -0.03633431, 10: -0.20965164, 14: 0.10555569, 22: -0.0087238}


def compressibility_factor(packing_fraction: float) -> float:
    """Z = PV / NkT of the hard-sphere fluid.

    J. Kolafa, S. Labík and A. Malijevský, Physical Chemistry Chemical Physics 6, 2004, in
    the modified form; good to the fifth digit up to freezing at .494.

    >>> round(compressibility_factor(0.3), 5)
    3.98398
    """
    x = packing_fraction / (1.0 - packing_fraction)
    return 1.0 + sum(c * x**power for power, c in _KLM.items())


def collision_rate(packing_fraction: float, diameter: float, speed: float) -> float:
    """Impacts per ball and time of the hard-sphere fluid, for a thermal speed √(kT/m).

    4 n σ² g √(π kT/m), with the number density n and g(σ⁺) = (Z − 1) / 4φ.

    >>> round(collision_rate(0.3, 1.0, 1.0), 5)
    10.10119
    """
    density = 6.0 * packing_fraction / np.pi / diameter**3
    contact = (compressibility_factor(packing_fraction) - 1.0) / (4.0 * packing_fraction)
    return float(4.0 * density * diameter**2 * contact * np.sqrt(np.pi) * speed)


def gas_figures(world: World, snapshots: Any, dimensions: int = 3) -> dict[str, Any]:
    """Averages over a run with their errors, from snapshots of its running sums.

    snapshots: (m, 6), time, impacts of balls, impacts on obstacles, Σ r·Δp, kinetic energy,
    Σ |v|. The first `SETTLING` impacts per ball are left out, or the first quarter if there
    are fewer than four times as many. What cannot be told is None: all of it without an
    impact, errors with too few blocks, pressure and Z but for a box periodic all round with
    nothing in it but balls. `dimensions`: along how many axes balls move; in a plane there is
    no pressure on a volume.
    """
    n = len(world.radius)
    per_ball = 2.0 * (snapshots[:, 1] - snapshots[0, 1]) / n
    settled = min(SETTLING, 0.25 * float(per_ball[-1]))
    first = int(np.searchsorted(per_ball, settled))
    rows = snapshots[first:]
    figures: dict[str, Any] = {
        "measured_from": float(rows[0, 0]),
        "measured_impacts": int(rows[-1, 1] - rows[0, 1]),
    }
    packing_fraction, volume = _packing(world)
    averages: dict[str, tuple[float | None, float | None]] = {
        name: _average(rows, n, dimensions, of) for name, of in _AVERAGES.items()
    }
    solid = volume if dimensions == 3 else None
    for name, unit in (("pressure", solid), ("compressibility_factor", volume and 1.0)):
        value, error = averages[name]
        averages[name] = (
            None if value is None or unit is None else value / unit,
            None if error is None or unit is None else error / unit,
        )
    for name, (value, error) in averages.items():
        figures[name] = value
        figures[f"{name}_error"] = error
    figures["packing_fraction"] = packing_fraction
    if dimensions < 3:
        return figures
    return figures | _published(world, packing_fraction, averages["temperature"][0])


def _packing(world: World) -> tuple[float | None, float | None]:
    """Packing fraction and volume of a box that is periodic all round.

    With pillars in it neither is that of the box, and what hits them bears pressure too.
    """
    if world.box is None or not all(world.box.periodic) or len(world.obstacles.kind) > 0:
        return None, None
    volume = float(np.prod(world.box.size))
    return float((world.radius**3).sum()) * 4.0 / 3.0 * np.pi / volume, volume


def _published(
    world: World, packing_fraction: float | None, temperature: float | None
) -> dict[str, Any]:
    """What is known of a gas of equal elastic balls in a periodic box up to freezing."""
    equal = np.ptp(world.radius) == 0.0 and np.ptp(world.mass) == 0.0
    elastic = (world.restitution == 1.0).all()
    alone = world.gravity.mag_sqr() == 0.0
    if packing_fraction is None or not temperature:
        return {}
    if not (equal and elastic and alone and packing_fraction <= 0.494):
        return {}
    speed = float(np.sqrt(temperature / world.mass[0]))
    return {
        "compressibility_factor_published": compressibility_factor(packing_fraction),
        "collision_rate_published": collision_rate(
            packing_fraction, 2.0 * float(world.radius[0]), speed
        ),
    }


def _temperature(rows: Any, n: int, d: int) -> float:
    return float(rows[:, 4].mean()) * 2.0 / (float(d) * n)


def _collision_rate(rows: Any, n: int, _d: int) -> float:
    return float(2.0 * (rows[-1, 1] - rows[0, 1]) / (n * (rows[-1, 0] - rows[0, 0])))


def _virial_rate(rows: Any) -> float:
    return float((rows[-1, 3] - rows[0, 3]) / (rows[-1, 0] - rows[0, 0]))


def _mean_free_time(rows: Any, n: int, d: int) -> float:
    return 1.0 / _collision_rate(rows, n, d)


def _mean_free_path(rows: Any, n: int, d: int) -> float:
    return float(rows[:, 5].mean()) / n * _mean_free_time(rows, n, d)


def _pressure_times_volume(rows: Any, n: int, d: int) -> float:
    return n * _temperature(rows, n, d) + _virial_rate(rows) / float(d)


def _z(rows: Any, n: int, d: int) -> float:
    return _pressure_times_volume(rows, n, d) / (n * _temperature(rows, n, d))


_AVERAGES: dict[str, Callable[[Any, int, int], float]] = {
    "collision_rate": _collision_rate,
    "mean_free_time": _mean_free_time,
    "mean_free_path": _mean_free_path,
    "temperature": _temperature,
    "pressure": _pressure_times_volume,
    "compressibility_factor": _z,
}


def _average(
    rows: Any, n: int, d: int, of: Callable[[Any, int, int], float]
) -> tuple[float | None, float | None]:
    """A figure of all rows, and the error that its scatter among groups of them tells."""
    if len(rows) < 2 or rows[-1, 1] == rows[0, 1] or rows[-1, 0] == rows[0, 0]:
        return None, None
    whole = rows[:-1] if len(rows) > 2 else rows  # the last is of an unfinished block
    groups = min(_GROUPS, len(whole) - 1)
    if groups < 4:
        return of(rows, n, d), None
    edges = np.linspace(0, len(whole) - 1, groups + 1).astype(int)
    values = [of(whole[a : b + 1], n, d) for a, b in pairwise(edges)]
    return of(rows, n, d), float(np.std(values, ddof=1) / np.sqrt(groups))
