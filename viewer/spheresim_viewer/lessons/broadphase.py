"""The lesson on broad phases: which pairs of nine objects are worth a look."""

from functools import partial
from typing import Any

import numpy as np

from spheresim.broadphase import BroadPhase, broad_phase
from spheresim.broadphase.boxes import finite_hull
from spheresim.broadphase.bvh import BoundingVolumeHierarchy
from spheresim.broadphase.space_tree import SpaceTree
from spheresim.broadphase.sweep_and_prune import SweepAndPrune
from spheresim.broadphase.uniform_grid import UniformGrid
from spheresim.numerics.arrays import Floats, Integers
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.chart import Bar, Chart, Row
from spheresim_viewer.lessons.colors import (
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    RED,
    RED_INK,
    VIOLET,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import number
from spheresim_viewer.lessons.exercise import Click, Drag, Exercise, Slide
from spheresim_viewer.lessons.lesson import Figure, Handle, Lesson, Slider
from spheresim_viewer.lessons.rectangle import Rectangle

_PITCH = 0.15
"""The distance between intervals that are drawn one below the other."""

_MOST_LINES = 80
"""Lines of a grid that are drawn at the most: more would be a grey area."""


def draw_method(diagram: Diagram, phase: BroadPhase, room: Rectangle) -> None:
    """Draw what a broad phase, which has been updated, knows of its boxes."""
    if isinstance(phase, SpaceTree):
        low, high = finite_hull(phase.boxes)  # areas without objects are no leaves
        diagram.outline(_corners(np.concatenate([low, high])), faded(GREEN, 0.8), 1.5)
        for area in phase.leaves:
            diagram.outline(_corners(area), faded(GREEN, 0.8), 1.5)
    elif isinstance(phase, UniformGrid):
        _draw_grid(diagram, phase)
    elif isinstance(phase, SweepAndPrune):
        _draw_intervals(diagram, phase, room)
    elif isinstance(phase, BoundingVolumeHierarchy):
        for box in phase.nodes[1 : len(phase.nodes) // 2]:
            if np.all(box[:3] <= box[3:]):
                diagram.outline(_corners(box), faded(GREEN, 0.7), 1.5)


def _corners(box: Floats) -> Floats:
    """The corners of a box (6,), seen along z."""
    return np.stack([box[[0, 3, 3, 0]], box[[1, 1, 4, 4]]], axis=1)


def _draw_grid(diagram: Diagram, grid: UniformGrid) -> None:
    """Draw the lines between cells, as far as there are objects."""
    low = grid.origin[:2]
    top = grid.boxes[:, 3:5].max(axis=0)
    cells = np.floor((top - low) / grid.side).astype(int) + 1
    high = low + cells * grid.side
    if cells.max() > _MOST_LINES:
        return
    for axis in (0, 1):
        for k in range(int(cells[axis]) + 1):
            ends = np.array((low, high))
            ends[:, axis] = low[axis] + k * grid.side
            diagram.line(ends, faded(GREEN, 0.6), 1.0)


def _draw_intervals(diagram: Diagram, sweep: SweepAndPrune, room: Rectangle) -> None:
    """Draw the boxes' intervals along the axis, in their order, beside the room."""
    axis = sweep.axis
    low = (room.low if axis == 0 else room.left) - 0.25
    ends = (
        np.array([(room.left, low), (room.right, low)])
        if axis == 0
        else (np.array([(low, room.low), (low, room.high)]))
    )
    diagram.arrow(ends[0], ends[1], INK, 1.5)
    diagram.label(ends[1], "xy"[axis], INK, meaning="The axis onto which the boxes are projected.")
    for k, i in enumerate(sweep.order):
        low, high = sweep.boxes[i, axis], sweep.boxes[i, 3 + axis]
        beside = (room.low if axis == 0 else room.left) - 0.4 - _PITCH * k
        ends = np.array([(low, beside), (high, beside)])
        diagram.line(ends if axis == 0 else ends[:, ::-1], faded(BLUE, 0.9), 4.0)
        foot = np.array([(low, beside), (low, sweep.boxes[i, 1 - axis])])
        diagram.line(foot if axis == 0 else foot[:, ::-1], faded(LINE, 0.25), 1.0)


def draw_pair(diagram: Diagram, a: Floats, b: Floats, color: Color, is_pointed: bool) -> None:
    """Draw a proposed pair."""
    diagram.line([a, b], color if is_pointed else faded(color, 0.55), 4.0 if is_pointed else 1.5)


def draw_object(
    diagram: Diagram, place: Floats, half: Floats, color: Color, is_pointed: bool
) -> None:
    """Draw an object in its color."""
    corners = place + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    diagram.polygon(corners, faded(color, 0.75 if is_pointed else 0.45))
    diagram.outline(corners, INK if is_pointed else color, 2.0)


_REGION = Rectangle(-7.0, -4.6, 6.4, 3.8)
_ROOM = Rectangle(-5.6, -2.9, 5.8, 3.2)
"""Where the objects are; the sorted intervals are drawn beside it."""

_HALF = np.array((0.45, 0.3))
_PLACES = (
    *((3.0, -2.5),),
    *((-4.9, 0.9), (-3.2, 2.6), (-1.5, 1.2)),
    *((1.4, 0.9), (2.1, 1.3), (3.6, 2.4), (4.9, 2.7), (5.0, 1.0)),
)
"""The lecture's picture: of four areas, one is empty, and the others hold 1, 3 and 5 objects."""

_METHODS = {
    "all pairs": ("all_pairs", "Each object with every other: n · (n − 1) / 2 pairs."),
    "quadtree": ("quadtree", "Areas are quartered where they are crowded."),
    "grid": ("uniform_grid", "Equal cells; an object is in every cell that its box touches."),
    "sweep": ("sweep_and_prune", "Sorted along an axis: only what overlaps there is compared."),
    "tree": ("bvh", "Boxes around boxes: a branch that is missed is skipped as a whole."),
}


class BroadphaseLesson(Lesson, words="broadphase"):
    """Nine boxes, and five ways to find out which of them could touch."""

    region = _REGION

    def __init__(self) -> None:
        self.places = [np.array(place) for place in _PLACES]
        self.chosen, self.cell, self.depth = "all pairs", 2.0, 1

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """All pairs, areas, cells, sorted intervals, a tree."""
        return [
            Exercise(
                Click("quadtree"),
                lambda: self.chosen == "quadtree",
                partial(self._ready, "all pairs"),
            ),
            Exercise(
                Slide("depth", 3.0), lambda: self.depth >= 3, partial(self._ready, "quadtree")
            ),
            Exercise(
                Drag("object 1", (2.0, 0.15)),
                lambda: len(self._proposed("quadtree")) > 13,
                partial(self._ready, "quadtree"),
            ),
            Exercise(
                Slide("cell size", 12.0),
                lambda: len(self._proposed("grid")) == 36,
                partial(self._ready, "grid"),
            ),
            Exercise(
                Slide("cell size", 0.3), lambda: self.cell <= 0.32, partial(self._ready, "grid")
            ),
            Exercise(
                Drag("object 1", (-3.2, -2.4)),
                lambda: (1, 3) in self._named("sweep") and (1, 3) not in self._overlapping(),
                partial(self._ready, "sweep"),
            ),
            Exercise(Click("tree"), lambda: self.chosen == "tree", partial(self._ready, "sweep")),
        ]

    def handles(self) -> list[Handle]:
        """The objects."""
        return [
            Handle(
                f"object {k + 1}",
                place,
                partial(self._move, k),
                partial(self._holds, k),
                meaning="Drag it to another place. Violet lines lead to what it is compared with.",
            )
            for k, place in enumerate(self.places)
        ]

    def sliders(self) -> list[Slider]:
        """The size of the grid's cells, and the depth of the quadtree."""
        return [
            Slider("cell size", self.cell, (0.3, 12.0), self._set_cell, number(self.cell), True),
            Slider("depth", float(self.depth), (1.0, 4.0), self._set_depth, str(self.depth)),
        ]

    def chart(self) -> Chart:
        """How many pairs each way proposes."""
        rows = []
        for name, (_, meaning) in _METHODS.items():
            many = len(self._proposed(name))
            bar = Bar(0.0, float(many), faded(VIOLET, 0.7))
            rows.append(
                Row(name, [bar], str(many), meaning, partial(setattr, self, "chosen", name))
            )
        return Chart("proposed pairs", rows, (0.0, 36.0), list(_METHODS).index(self.chosen))

    def figures(self) -> list[Figure]:
        """How many pairs there are, are proposed, and overlap."""
        counts = self._phase(self.chosen).counts
        false = counts.proposed - counts.overlapping
        return [
            Figure("broad phase", self.chosen, meaning=_METHODS[self.chosen][1]),
            Figure("objects", str(counts.objects), swatch=BLUE),
            Figure("all pairs", str(counts.possible)),
            Figure("proposed", str(counts.proposed), swatch=VIOLET),
            Figure("boxes overlap", str(counts.overlapping), RED_INK, RED),
            Figure("false", str(false), GREEN_INK),
        ]

    def pose(self) -> None:
        """Four areas."""
        self._ready("quadtree")

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the areas, the proposed pairs and the objects."""
        draw_method(diagram, self._phase(self.chosen), _ROOM)
        overlapping = self._overlapping()
        for i, j in self._named(self.chosen):
            is_pointed = self.pointed in (f"object {i}", f"object {j}")
            color = RED if (i, j) in overlapping else VIOLET
            draw_pair(diagram, self.places[i - 1], self.places[j - 1], color, is_pointed)
        for k, place in enumerate(self.places):
            color = RED if any(k + 1 in pair for pair in overlapping) else BLUE
            draw_object(diagram, place, _HALF, color, self.pointed == f"object {k + 1}")
            diagram.label(place, str(k + 1), INK, meaning="An object, in its box.")

    # --- What is asked of spheresim ---

    def _phase(self, name: str) -> BroadPhase:
        """A broad phase, with the boxes where they are now."""
        options: dict[str, Any] = {}
        if name == "grid":
            options = {"cell_size": self.cell}
        elif name == "quadtree":
            options = {"capacity": 2, "depth": self.depth}
        phase = broad_phase(_METHODS[name][0], **options)
        middle = np.array(self.places)
        phase.update(middle - _HALF, middle + _HALF)
        return phase

    def _proposed(self, name: str) -> Integers:
        return self._phase(name).candidates()

    def _named(self, name: str) -> set[tuple[int, int]]:
        """The proposed pairs, by the objects' numbers from 1 on."""
        return {(int(i) + 1, int(j) + 1) for i, j in self._proposed(name)}

    def _overlapping(self) -> set[tuple[int, int]]:
        pairs = self._phase("all pairs").pairs()
        return {(int(i) + 1, int(j) + 1) for i, j in pairs}

    # --- What changes it ---

    def _ready(self, chosen: str) -> None:
        self.__init__()  # type: ignore[misc]  # as at the start
        self.chosen = chosen

    def _holds(self, k: int, place: Floats) -> bool:
        return bool(np.all(np.abs(place - self.places[k]) <= _HALF))

    def _move(self, k: int, place: Floats) -> None:
        self.places[k] = _ROOM.nearest(place)

    def _set_cell(self, value: float) -> None:
        self.cell, self.chosen = value, "grid"

    def _set_depth(self, value: float) -> None:
        self.depth, self.chosen = round(value), "quadtree"
