"""Messages to the user: short ones that fade, and faults that stay until dismissed."""

import math
from collections.abc import Sequence
from textwrap import wrap

from spheresim_viewer.hud.boxes import Box, top_of
from spheresim_viewer.hud.colors import ALARM, INK
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.scene_view import SceneView

_SECONDS = 4.0
_MOST_LINES = 12
_NUMBERS = 280.0
"""Points at the left that are left to the numbers."""
_LEAST = 300.0
"""Points that a message needs between numbers and plots; with less it is over the plots."""
_LETTER = 6.6
"""Mean width of a letter, in points."""


class Notice:
    """The message at the top of the window, as `lines`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._left = 0.0
        self.is_fault = False

    def say(self, text: str) -> None:
        """Show a line for a few seconds."""
        self.lines, self._left, self.is_fault = [text], _SECONDS, False

    def tell_of_end(self, scene_view: SceneView) -> None:
        """Say that the scene has ended, or that no impact was found, and what can be done."""
        if scene_view.has_ended:
            scene_view.has_ended = False
            self.say("the scene ends here: space continues, backspace returns to the start")
        player = scene_view.player
        end, player.in_vain = player.in_vain, None
        if end is None:
            return
        if end <= player.segments.start:
            here = "this one" if scene_view.is_at_impact else f"t = {player.time:.6g}"
            self.say(f"no impact before {here}")
        elif end >= player.segments.last:
            self.say("no impact is left in this run")
        else:
            self.say(f"no impact up to t = {end:.6g}: N searches on, backspace goes to the start")

    def fault(self, text: str) -> None:
        """Show a fault until `clear`."""
        lines = text.splitlines()
        more = len(lines) - _MOST_LINES
        self.lines = lines[:_MOST_LINES] + ([f"… and {more} more"] if more > 0 else [])
        self.is_fault = True

    def clear(self) -> bool:
        """Remove the message; returns whether there was one."""
        was = bool(self.lines)
        self.lines, self.is_fault = [], False
        return was

    def update(self, seconds: float) -> None:
        """Let seconds pass, after which a message that is no fault disappears."""
        self._left -= seconds
        if not self.is_fault and self._left <= 0.0:
            self.lines = []

    def draw(
        self,
        overlay: Overlay,
        beside_numbers: bool = False,
        right: float = math.inf,
        below: Sequence[Box] = (),
    ) -> Box | None:
        """Draw the message, if there is one, and return its box.

        It is beside the numbers, or in small windows below. right: where the columns at the right
        begin, in points; where there is too little room before them, it is over them. below: what
        stands at the foot; a message there is above it.
        """
        if not self.lines:
            return None
        is_wide = overlay.width > 760.0
        left = _NUMBERS if beside_numbers and is_wide else 20.0
        end = min(right, overlay.width) if is_wide and right - left > _LEAST else overlay.width
        most = max(20, int((end - left - 60.0) / _LETTER))
        lines = [part for line in self.lines for part in wrap(line, most)]
        width = max(overlay.width_of(line, 13.0) for line in lines) + 32.0
        height = 18.0 * len(lines) + 16.0
        x = max(left, min(0.5 * (overlay.width - width), end - width - 8.0))
        y = overlay.height - 20.0 - height
        if beside_numbers and not is_wide:
            y = max(92.0, top_of(below, x, x + width) + 8.0)
        overlay.plate((x, y, width, height))
        color = ALARM if self.is_fault else INK
        for k, line in enumerate(lines):
            overlay.text(x + 16.0, y + height - 21.0 - 18.0 * k, line, 13.0, color)
        return x, y, width, height
