"""The search of GJK, moment by moment, for the lesson to show."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.convex import Body, gjk, gjk_steps
from spheresim_viewer.lessons.bodies import support_point

NEAREST, REDUCED, SUPPORT = range(3)
"""What is done with a simplex: its nearest point, what that needs of it, the support point."""


class Moment(NamedTuple):
    """A moment of the search: the number of the simplex, and what is done with it."""

    number: int
    stage: int


class GjkSearch:
    """All simplices and moments of the search for two bodies."""

    def __init__(self, a: Body, b: Body) -> None:
        self._a, self._b = a, b
        self.steps = gjk_steps(a, b)
        self.moments = self._all_moments()

    def at(self, number: int) -> Moment:
        """A moment by its number, or the last one."""
        return self.moments[min(number, len(self.moments) - 1)]

    def kept(self, moment: Moment) -> Any:
        """The pairs of the simplex; once it is reduced, those that the next simplex keeps."""
        if moment.stage == NEAREST or moment.number == len(self.steps) - 1:
            return self.steps[moment.number].pairs
        return self.steps[moment.number + 1].pairs[:-1]

    def support(self, moment: Moment) -> tuple[int, int]:
        """The points of A and B whose difference is the support point towards the origin."""
        nearest = np.array(self.steps[moment.number].nearest[:2])
        return support_point(self._a, -nearest), support_point(self._b, nearest)

    def _all_moments(self) -> list[Moment]:
        """Where nothing is dropped, nothing is reduced; from an overlap nothing follows."""
        found = []
        overlapping = bool(gjk(self._a, self._b).overlapping)
        for k, step in enumerate(self.steps):
            found.append(Moment(k, NEAREST))
            last = k == len(self.steps) - 1
            if not last and len(self.steps[k + 1].pairs) - 1 < len(step.pairs):
                found.append(Moment(k, REDUCED))
            if not last or not overlapping:
                found.append(Moment(k, SUPPORT))
        return found


def names_of(pairs: Any) -> list[str]:
    """The names of corners of the difference, by the corners of A and B that they come from."""
    return [f"A{i + 1}−B{j + 1}" for i, j in pairs]
