"""How many frames and impacts a second, by the wall clock."""

from collections import deque
from time import perf_counter

from spheresim_viewer.hud.readouts import count

_FRAMES = 30


class Rates:
    """Averages over the last frames."""

    def __init__(self) -> None:
        self._running = False
        self._frames: deque[tuple[float, int]] = deque(maxlen=_FRAMES)

    def add_frame(self, impacts: int, running: bool) -> None:
        """Note a frame that is shown now, and how many impacts there were until then.

        running: whether time runs; where it stands still, there are no rates.
        """
        self._running = running
        self._frames.append((perf_counter(), impacts))

    def rows(self) -> dict[str, str]:
        """The figures by their names; none before the second frame."""
        if len(self._frames) < 2 or self._frames[-1][0] <= self._frames[0][0]:
            return {}
        (start, impacts_before), (end, impacts) = self._frames[0], self._frames[-1]
        if not self._running:
            return {"impacts per second": "", "frames per second": ""}
        rate = max(0.0, (impacts - impacts_before) / (end - start))
        return {
            "impacts per second": count(rate),
            "frames per second": f"{(len(self._frames) - 1) / (end - start):.0f}",
        }
