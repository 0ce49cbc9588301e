"""What the rows of the window mean, said beside the pointer."""

from spheresim_viewer.hud.boxes import Box
from spheresim_viewer.hud.colors import INK
from spheresim_viewer.hud.overlay import SMALLEST_TEXT, Overlay

MEANINGS = {
    "balls": "How many balls there are.",
    "impacts": "How many impacts there were until this time.",
    "resting": "Balls that lie still on obstacles or on each other.",
    "sliding": "Balls that stay in contact with an obstacle and move along it.",
    "energy at start": "Kinetic and potential energy at the start. Potential energy, −m g·x, is 0 "
    "at the origin, so the sum may be negative.",
    "energy at last change": "Kinetic and potential energy when something was last changed here: "
    "a ball, gravity, restitution or the engine.",
    "energy now": "Kinetic and potential energy at this time.",
    "energy above rest": "What is left of the energy at the start, or at the last change, if that "
    "of all balls at rest on the floor is subtracted from both.",
    "lost in impacts": "The energy lost in impacts with a restitution below 1, or along rough "
    "surfaces.",
    "energy remainder": "Change of the energy that nothing above explains. In the exact engine (M) "
    "it comes from rounding alone. A fixed time step adds energy (negative: removes), because it "
    "applies gravity once per step.",
    "gravity": "The acceleration of all balls.",
    "restitution": "The share of the normal velocity that is left after an impact. 1 keeps all "
    "energy.",
    "engine": "steps: a fixed time step, as in the tutorial; events: exact, from impact to impact. "
    "Then how the time of an impact of two balls is found.",
    "impacts per second": "In real time, while the simulation runs.",
    "frames per second": "Pictures drawn per second of real time.",
    "pixels drawn": "The scene is drawn with fewer pixels while it moves, to keep up.",
    "state": "flying, sliding on an obstacle, or resting.",
    "position": "Of the ball's centre.",
    "velocity": "Of the ball's centre.",
    "angular velocity": "How fast the ball turns, in radians, and about which axis.",
    "speed": "The size of the velocity.",
    "kinetic energy": "½ m v², without that of its rotation.",
    "radius, mass": "Of the ball.",
    "normal": "The unit vector at the point of contact, towards the first of the two.",
    "normal velocity before": "How fast the two approach along the normal: negative.",
    "normal velocity after": "How fast they part along the normal.",
    "impulse": "The change of momentum of each of the two, along the normal.",
    "tangential impulse": "The change of momentum of the first of the two, along the surfaces.",
    "at this instant": "Several impacts or contacts at exactly this time; the first is shown.",
}
"""What each row says, by its name."""

_WIDTH = 300.0


def draw_meaning(overlay: Overlay, notice: Box | None) -> None:
    """Write what the row under the pointer means, beside it, unless that would be over a notice."""
    pointer = overlay.pointer
    said = None if pointer is None else overlay.explained_at(*pointer)
    if said is None:
        return
    size = SMALLEST_TEXT + 1.0
    lines = overlay.lines(said.words, size, _WIDTH, 6)
    wide = max(overlay.width_of(line, size) for line in lines) + 24.0
    tall = 18.0 * len(lines) + 14.0
    left, low, width, height = said.box
    x = left + width + 14.0
    if x + wide > overlay.width - 8.0:  # no room at its right
        x = max(8.0, left - wide - 14.0)
    y = min(max(8.0, low + height - tall), overlay.height - tall - 8.0)
    if notice is not None:
        left, low, width, height = notice
        if x < left + width and left < x + wide and y < low + height and low < y + tall:
            return
    overlay.plate((x, y, wide, tall))
    for k, line in enumerate(lines):
        overlay.text(x + 12.0, y + tall - 21.0 - 18.0 * k, line, size, INK)
