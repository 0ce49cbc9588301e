"""Random pairs of moving spheres with the truth about them, in exact integer arithmetic.

A float is an integer times a power of two, so a pair's relative motion, its quadratic
a·t² + 2b·t + c and the discriminant b² − a·c are integers once lengths are counted in one
small enough power of two and velocities in another. Nothing here rounds, and nothing here
is shared with the package.
"""

from collections.abc import Callable, Iterator
from math import inf, isqrt
from typing import Any, NamedTuple

import numpy as np

from spheresim.numerics.vector import TVector

_DIGITS = 200  # bits after the point in the square root: more than any double can ask for


Drawn = Callable[[np.random.Generator, int], Any]  # so many random numbers of some kind


class Sphere(NamedTuple):
    position: TVector
    velocity: TVector
    radius: float


class Truth(NamedTuple):
    """hit; grazing: the discriminant over a·s²; the time is numerator / denominator."""

    hit: bool
    grazing: float
    numerator: int
    denominator: int

    def error(self, t: float) -> float:
        """How far a time is from the true one."""
        top, bottom = t.as_integer_ratio()
        return abs(top * self.denominator - self.numerator * bottom) / (self.denominator * bottom)


def truth_of(a: Sphere, b: Sphere) -> Truth:
    """First contact from now on: only if approaching, and then if within reach on the way."""
    lengths, length_unit = _integers([*a.position, *b.position, a.radius, b.radius])
    speeds, speed_unit = _integers([*a.velocity, *b.velocity])
    d = [lengths[k] - lengths[3 + k] for k in range(3)]
    v = [speeds[k] - speeds[3 + k] for k in range(3)]
    s = lengths[6] + lengths[7]
    quadratic = sum(x * x for x in v)
    half_linear = sum(x * y for x, y in zip(d, v, strict=True))
    constant = sum(x * x for x in d) - s * s
    discriminant = half_linear * half_linear - quadratic * constant
    grazing = discriminant / (quadratic * s * s) if quadratic else inf
    if half_linear >= 0 or (constant > 0 and discriminant < 0):
        return Truth(False, grazing, 0, 1)
    if constant <= 0:
        return Truth(True, grazing, 0, 1)
    root = isqrt(discriminant << (2 * _DIGITS))
    numerator, denominator = constant << _DIGITS, (-half_linear << _DIGITS) + root
    exponent = length_unit - speed_unit
    if exponent >= 0:
        return Truth(True, grazing, numerator << exponent, denominator)
    return Truth(True, grazing, numerator, denominator << -exponent)


def _integers(floats: list[float]) -> tuple[list[int], int]:
    """The floats in units of 2**unit, without any rounding."""
    ratios = [number.as_integer_ratio() for number in floats]
    bits = max(bottom.bit_length() for _, bottom in ratios)
    return [top << (bits - bottom.bit_length()) for top, bottom in ratios], 1 - bits


class Family(NamedTuple):
    """Distance and impact parameter, both over r1 + r2; how far the radii may differ."""

    distance: Drawn
    passing: Drawn
    decades_of_radius: float = 1.0
    receding: bool = False


def _uniform(low: float, high: float) -> Drawn:
    return lambda random, count: random.uniform(low, high, count)


def _decades(low: float, high: float) -> Drawn:
    return lambda random, count: 10.0 ** random.uniform(low, high, count)


def _gaps(random: np.random.Generator, count: int) -> Any:
    return 1.0 + 10.0 ** random.uniform(-16.0, -3.0, count)


def _grazes(random: np.random.Generator, count: int) -> Any:
    return 1.0 + random.choice([-1.0, 1.0], count) * 10.0 ** -random.integers(1, 17, count)


FAMILIES = {
    "ordinary": Family(_uniform(1.0, 10.0), _uniform(0.0, 1.5)),
    "far apart": Family(_decades(1.0, 8.0), _uniform(0.0, 1.5)),
    "radii up to 1e6 to 1": Family(_uniform(1.0, 10.0), _uniform(0.0, 1.5), decades_of_radius=6.0),
    "grazing": Family(_uniform(1.1, 10.0), _grazes),
    "far apart and grazing": Family(_decades(1.0, 8.0), _grazes),
    "nearly touching": Family(_gaps, _uniform(0.0, 1.0), decades_of_radius=3.0),
    "touching": Family(_uniform(1.0, 1.0), _uniform(0.0, 1.0)),
    "overlapping": Family(_uniform(0.01, 1.0), _uniform(0.0, 1.0)),
    "receding": Family(_uniform(1.0, 10.0), _uniform(0.0, 1.5), receding=True),
}


def labelled_pairs(count: int, seed: int) -> Iterator[tuple[str, Sphere, Sphere, Truth]]:
    """`count` pairs of each family, half of them far from the origin and in a common wind."""
    random = np.random.default_rng(seed)
    for name, family in FAMILIES.items():
        for a, b in _pairs(random, count, family):
            yield name, a, b, truth_of(a, b)


def _pairs(
    random: np.random.Generator, count: int, family: Family
) -> Iterator[tuple[Sphere, Sphere]]:
    radius_a = _decades(-2.0, 2.0)(random, count)
    radius_b = radius_a * _decades(0.0, family.decades_of_radius)(random, count)
    s = radius_a + radius_b
    distance = s * family.distance(random, count)
    passing = np.minimum(s * family.passing(random, count), distance)

    # b is at rest at the origin; a flies along one direction, aside of b along another.
    along, across = _directions(random, count), _directions(random, count)
    across -= (across * along).sum(axis=1, keepdims=True) * along
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    ahead = np.sqrt((distance - passing) * (distance + passing))
    position = _rows(passing) * across - _rows(ahead) * along
    speed = _decades(-3.0, 3.0)(random, count)
    velocity = _rows(speed) * along * (-1.0 if family.receding else 1.0)

    # Half of them are somewhere else, in a common wind.
    elsewhere = _rows(random.random(count) < 0.5) * _directions(random, count)
    offset = elsewhere * _rows(distance * _decades(0.0, 5.0)(random, count))
    wind = elsewhere[:, ::-1] * _rows(speed * _decades(0.0, 5.0)(random, count))
    for k in range(count):
        a = Sphere(
            TVector(offset[k] + position[k]), TVector(wind[k] + velocity[k]), float(radius_a[k])
        )
        b = Sphere(TVector(offset[k]), TVector(wind[k]), float(radius_b[k]))
        yield (a, b) if k % 2 else (b, a)


def _directions(random: np.random.Generator, count: int) -> Any:
    vectors = random.normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _rows(numbers: Any) -> Any:
    """A column, which scales the rows of an array."""
    return numbers[:, None]
