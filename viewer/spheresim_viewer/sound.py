"""The sound of impacts: a short soft knock, higher for smaller balls. Silent without a device."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.numerics.arrays import Floats

if TYPE_CHECKING:
    from pyglet.media import StaticSource

_RATE = 44_100
_SECONDS = 0.12
_MOST_AT_ONCE = 4
_PITCHES = 8


class Sound:
    """Plays a sound for each of the strongest impacts in a frame."""

    def __init__(self) -> None:
        self._knocks: list[StaticSource] = []
        self._heard = -math.inf

    def start(self) -> bool:
        """Create the sounds; returns whether there is a device to play them."""
        import pyglet

        if self._knocks:
            return True
        try:
            driver: Any = pyglet.media.get_audio_driver()  # type: ignore[no-untyped-call]
            if type(driver).__name__.startswith("Silent"):
                return False
            self._knocks = [_knock(330.0 * 2.0 ** (k / 4.0)) for k in range(_PITCHES)]
        except Exception:  # audio drivers raise anything; the viewer goes on without sound
            return False
        return True

    def play(self, impacts: Impacts, radius: Floats, time: float) -> None:
        """Play the impacts since the last call, up to the time given."""
        fresh = impacts.t > self._heard
        if time < self._heard:
            fresh[:] = False
        self._heard = time
        strength = np.abs(impacts.impulse) * fresh
        loudest = np.argsort(-strength, kind="stable")[:_MOST_AT_ONCE]
        for k in loudest[strength[loudest] > 0.0]:
            size = math.log2(float(np.max(radius) / radius[impacts.i[k]]))
            player = self._knocks[min(_PITCHES - 1, round(2.0 * size))].play()
            player.volume = 0.25 * float(strength[k] / strength[loudest[0]])


def _knock(pitch: float) -> "StaticSource":
    from pyglet.media import StaticSource
    from pyglet.media.synthesis import LinearDecayEnvelope, Sine

    envelope: Any = LinearDecayEnvelope(0.6)  # type: ignore[no-untyped-call]
    return StaticSource(Sine(_SECONDS, round(pitch), _RATE, envelope))
