"""What the tutorial's slices answer at an impact of two balls, beside the exact answer.

The slices begin where the tutorial's program would cut: at the start of the step, or at the last
impact in it. Two balls that fall together approach each other in a straight line, so all that is
needed is where they are and how they came.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL
from spheresim.collision.sliced_toi import sliced_toi
from spheresim.collision.toi import analytic_toi
from spheresim.model.balls import Ball
from spheresim.model.state import Box, World
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.whole_steps import begun_steps
from spheresim_viewer.stage.images import nearest_images
from spheresim_viewer.timeline.player import Player
from spheresim_viewer.timeline.snapshot import Snapshot
from spheresim_viewer.timeline.struck import struck

COARSE = (10, 1)
"""Numbers of slices that are offered besides the scene's own."""


class SlicedAnswer(NamedTuple):
    """How slices answer for the balls `pair` (2,) that meet now.

    early: how much sooner they say so than the two touch, −infinite if they never do; gap: what is
    between the balls then, or at the nearer of the looks that miss them; moved: from where the
    balls are now to their ghosts, (k, 2, 3): at that moment, or at the looks before and after;
    is_own: whether the run itself slices so, and the ghosts show the exact answer; magnified: how
    many times as far they are drawn, since most differences are smaller than a pixel.
    """

    pair: Integers
    slices: int
    early: float
    gap: float
    moved: Floats
    is_own: bool
    magnified: int

    @property
    def is_missed(self) -> bool:
        """Whether no look finds the two within reach."""
        return math.isinf(self.early)

    def rows(self) -> list[tuple[str, str]]:
        """Names and values for the card of the impact."""
        answer = "missed" if self.is_missed else f"{self.early:.3g} early"
        if self.early == 0.0:
            answer = "the same"
        rows = [(sliced_in(self.slices), answer), ("gap there", f"{self.gap:.3g}")]
        if self.magnified > 1:
            rows.append(("ghosts drawn", f"{self.magnified:,} times as far".replace(",", " ")))
        return rows

    def words(self) -> str:
        """What it means, in a sentence."""
        looks = sliced_in(self.slices)
        if self.is_missed:
            return f"{looks} this impact is missed: ghosts show the slices before and after it"
        if self.is_own:
            return f"this run is {looks}: {self.early:.3g} early; ghosts show the exact impact"
        if self.early == 0.0:
            return f"{looks} the answer is the same: the impact is at the start of a slice"
        return f"{looks} the answer is {self.early:.3g} early: a gap of {self.gap:.3g} is left"


def sliced_in(slices: int) -> str:
    """How it was looked, in words."""
    return f"sliced in {slices}" if slices > 1 else "with one look a step"


def sliced_answer(player: Player, slices: int) -> SlicedAnswer | None:
    """The answer of so many slices at the present time; None if no two balls meet now."""
    now = player.impacts_now()
    rows = np.flatnonzero(now.kind == BALL)
    if len(rows) == 0:
        return None
    # The two now, and how they came
    snapshot = player.snapshot
    world = snapshot.world
    pair = np.array([now.i[rows[0]], now.other[rows[0]]])
    met = struck(now.taken(rows), snapshot)
    came = np.stack([met.before[met.ball.tolist().index(ball)] for ball in pair.tolist()])
    between = snapshot.position[pair[0]] - snapshot.position[pair[1]]
    apart, closing = nearest_images(between[None], _box(world))[0], came[0] - came[1]
    # Back to where the slices begin
    begin, end = _cut(player, snapshot)
    passed, length = player.time - begin, max(end, player.time) - begin
    balls = (
        Ball(apart - passed * closing, closing, float(world.radius[pair[0]])),
        Ball((0, 0, 0), (0, 0, 0), float(world.radius[pair[1]])),
    )
    is_own = player.settings.toi == "sliced" and player.settings.slices == slices
    exact = analytic_toi(*balls) if player.settings.toi == "sliced" else passed
    found = passed if is_own else sliced_toi(*balls, time_step=length, slices=slices)
    # What is seen then: the balls at that moment, or at the looks between which they met
    looks = np.array([found])
    if not math.isfinite(found):
        k = math.floor(exact * slices / length)
        looks = np.array([k, k + 1]) * (length / slices)
    gaps = np.linalg.norm(apart + (looks - passed)[:, None] * closing, axis=1)
    ahead = (np.array([exact]) if is_own else looks) - passed
    moved = came * ahead[:, None, None]
    if snapshot.playback.falling:
        moved = moved + 0.5 * np.array(world.gravity) * ahead[:, None, None] ** 2
    gap = float(gaps.min() - world.radius[pair].sum())
    early = max(exact - found, 0.0) if math.isfinite(found) else -math.inf
    factor = _magnification(moved, float(world.radius[pair].min()))
    return SlicedAnswer(pair, slices, early, max(gap, 0.0), moved, is_own, factor)


def _magnification(moved: Floats, radius: float) -> int:
    """1, 2 or 5 times the power of ten that makes the way of ghosts 1.5 radii long at most."""
    furthest = float(np.linalg.norm(moved, axis=-1).max())
    if furthest <= 1e-9 * radius:
        return 1
    most = max(1.0, 1.5 * radius / furthest)
    power = int(10 ** math.floor(math.log10(most)))
    fitting: list[int] = [factor * power for factor in (1, 2, 5) if factor * power <= most]
    return fitting[-1]


def _box(world: World) -> Box | None:
    return world.box if world.box is not None and world.box.is_periodic else None


def _cut(player: Player, snapshot: Snapshot) -> tuple[float, float]:
    """The times from which to which the tutorial would slice."""
    playback = snapshot.playback
    origin, step = playback.time_of(0), playback.engine_step
    k = max(0, begun_steps((player.time - origin) / step) - 1)
    begin, end = origin + k * step, origin + (k + 1) * step
    just_before = math.nextafter(player.time, -math.inf)
    earlier = player.segments.impacts(begin, just_before, 1, player.budget / 2)
    return max([begin, *earlier.t.tolist()]), end
