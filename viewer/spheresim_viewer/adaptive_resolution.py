"""Fewer pixels while frames take too long; all of them again as soon as the picture stands still.

Only the window uses it. Saved pictures and films always have all pixels, so they stay the same.
"""

import math
from collections import deque

SLOW = 0.040
"""Seconds a frame above which the picture gets coarser: 25 frames a second."""
_LEAST_PIXELS = 256_000
"""640 by 400: coarser than that, balls can no longer be told from each other."""
_FRAMES = 4
"""So many frames must agree: one may be slow for a reason of its own."""
_FRAMES_BACK = 8
_LEAST_GAIN = 0.9
"""If the coarsest picture takes more than this part of the time, all pixels are drawn."""
_STILL = 0.2
"""Seconds without a move, after which the scene stands still."""


class AdaptiveResolution:
    """Which share of its pixels a frame is drawn with, by how long the frames before it took.

    Each level has half the pixels of the one before. Drawing takes at most in proportion to them,
    so a frame that takes less than half of `SLOW` is not slow at the next finer level either, and
    the picture does not swing between two levels.
    """

    def __init__(self) -> None:
        self.forget(0)

    def forget(self, pixels: int) -> None:
        """Begin anew with all pixels: it is another picture, or of another size, in pixels."""
        self._level, self._coarsest = 0, 0
        if pixels > _LEAST_PIXELS:
            self._coarsest = int(math.log2(pixels / _LEAST_PIXELS))
        self._seconds: deque[float] = deque(maxlen=_FRAMES_BACK)
        self._with_all = 0.0
        self._at_rest = 0.0
        self._stands_still = False

    @property
    def share(self) -> float:
        """The part of all pixels that the next frame has, a power of ½."""
        return 1.0 if self._stands_still else 0.5**self._level

    def rows(self) -> dict[str, str]:
        """What is told of it beside the other figures of the wall clock."""
        return {} if self.share == 1.0 else {"pixels drawn": f"1 in {1.0 / self.share:.0f}"}

    def is_due(self, changed: bool, moved: bool, seconds: float) -> bool:
        """Whether a frame is to be drawn: if anything in the window has changed, and once when the
        scene no longer moves, if it was coarse. seconds: since the last call.
        """
        self._at_rest = 0.0 if moved else self._at_rest + seconds
        settles = self._level > 0 and self._at_rest >= _STILL and not self._stands_still
        self._stands_still = not moved and (self._stands_still or settles)
        return changed or settles

    def drawn(self, seconds: float) -> None:
        """Note how long the frame took, of which `share` was asked."""
        if self._stands_still:
            return
        self._seconds.append(seconds)
        last = list(self._seconds)[-_FRAMES:]
        if len(last) < _FRAMES:
            return
        is_new = len(self._seconds) == _FRAMES
        if min(last) > SLOW and self._level < self._coarsest:
            # With all pixels it takes at least as long as now.
            self._with_all = max(self._with_all if self._level else 0.0, min(last))
            self._change_level(self._level + 1)
        elif is_new and self._level > 0 and min(last) > max(SLOW, _LEAST_GAIN * self._with_all):
            self._change_level(0)
            self._coarsest = 0  # it is not the pixels that take the time
        elif len(self._seconds) == _FRAMES_BACK and max(self._seconds) < 0.5 * SLOW:
            self._change_level(max(self._level - 1, 0))

    def _change_level(self, level: int) -> None:
        self._level = level
        self._seconds.clear()
