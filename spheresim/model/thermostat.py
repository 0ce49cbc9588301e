"""Andersen's thermostat: balls meet a heat bath at random times.

H. C. Andersen, Molecular dynamics simulations at constant pressure and/or temperature, Journal of
Chemical Physics 72, 2384 (1980), section IV.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import routine
from spheresim.numerics.arguments import positive
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.philox import checked_seed, fraction, normal_pair, philox
from spheresim.numerics.vector import TVector


class _TemperatureRateSeed(NamedTuple):
    temperature: float
    rate: float
    seed: int


class Thermostat(_TemperatureRateSeed):
    """A heat bath, as `thermostat` of a `Simulation`: balls get new velocities at random times.

    A new velocity has components from normal distributions with the variance kT/m, where m is the
    mass of the ball (Andersen's thermostat). temperature: kT > 0 [mass·length²/time²]; rate > 0:
    how often each ball gets a new velocity [1/time]; the times between have an exponential
    distribution. seed: of the random numbers, from 0 to 2³² − 1.

    >>> Thermostat(2, rate=0.5)
    Thermostat(temperature=2.0, rate=0.5, seed=0)
    """

    __slots__ = ()

    def __new__(cls, temperature: float, rate: float, seed: int = 0) -> "Thermostat":
        return super().__new__(
            cls,
            positive(temperature, "a thermostat's temperature"),
            positive(rate, "a thermostat's rate"),
            checked_seed(seed, "a thermostat's seed"),
        )


BATH_FIELDS = [
    ("meetings", "i8"),  # so far
    ("next", "f8"),  # the time of the next
    ("heat", "f8"),  # given to balls
]
"""What a run adds up, and all that it takes to go on: the random numbers follow from the count."""

NEXT = 1
"""The place of the time of the next meeting."""

BATH = "heat_bath"
"""The name of the record in a checkpoint."""

NO_THERMOSTAT = (
    "a thermostat must be where balls can only bounce, not where restitution is below 1 and an "
    "obstacle is bent"
)

_MOST_MEETINGS = 1e11
"""Of balls with a heat bath: these take a week."""

_WAIT_AND_BALL, _VELOCITY = 2**32 - 1, 2**32 - 2
"""Second words of the key, which warm obstacles have for their numbers."""


class Meeting(NamedTuple):
    """Which ball meets the bath, and the velocity that it has then, relative to the bath."""

    ball: int
    velocity: TVector


def fault_of_rate(thermostat: Thermostat | None, balls: int, duration: float) -> str | None:
    """What is wrong with a thermostat's rate, if so many balls meet the heat bath too often to be
    simulated for a duration; None if nothing is."""
    time = duration * max(1, balls)
    if thermostat is None or time == 0.0 or thermostat.rate <= _MOST_MEETINGS / time:
        return None
    return (
        f"must be at most {_MOST_MEETINGS / time:g}, for {_MOST_MEETINGS:g} meetings of "
        f"{balls} balls in the duration, not {thermostat.rate!r}"
    )


@routine
def waiting_time(thermostat: Thermostat, meetings: int, balls: int) -> float:
    """The time from one meeting to the next, after so many meetings, of any of the balls."""
    words = philox(meetings, thermostat.seed, _WAIT_AND_BALL)
    return -math.log(fraction(words.a, words.b)) / (thermostat.rate * balls)


@routine
def meet(thermostat: Thermostat, bath: Records, mass: Floats) -> Meeting:
    """The meeting that is due; the time of the next is noted in the record. mass: (n,)."""
    record, n = bath[0], mass.size
    which = float(philox(record.meetings, thermostat.seed, _WAIT_AND_BALL).c)
    ball = int(which * n * 2.0**-32)
    words = philox(record.meetings, thermostat.seed, _VELOCITY)
    variance = thermostat.temperature / mass[ball]
    xy, z = normal_pair(words.a, words.b, variance), normal_pair(words.c, words.d, variance)
    record.meetings += 1
    record.next += waiting_time(thermostat, record.meetings, n)
    velocity = TVector(
        xy.radius * math.cos(xy.angle), xy.radius * math.sin(xy.angle), z.radius * math.cos(z.angle)
    )
    return Meeting(ball, velocity)


def bath_record(thermostat: Thermostat | None, balls: int, time: float) -> Records:
    """The record of a heat bath from a time on, shape (1,); (0,) without a thermostat."""
    record = np.zeros(int(thermostat is not None), dtype=BATH_FIELDS).view(np.recarray)
    if thermostat is not None:
        record.next = time + waiting_time(thermostat, 0, balls)
    return record
