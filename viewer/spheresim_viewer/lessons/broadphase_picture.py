"""How broad phases are drawn: areas, cells, sorted intervals, boxes around boxes."""

from typing import Any

import numpy as np

from spheresim.broadphase import BroadPhase
from spheresim.broadphase.boxes import finite_hull
from spheresim.broadphase.bvh import BoundingVolumeHierarchy
from spheresim.broadphase.space_tree import SpaceTree
from spheresim.broadphase.sweep_and_prune import SweepAndPrune
from spheresim.broadphase.uniform_grid import UniformGrid
from spheresim_viewer.hud.overlay import Color
from spheresim_viewer.lessons.colors import BLUE, GREEN, INK, LINE, faded
from spheresim_viewer.lessons.diagram import Diagram
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


def _corners(box: Any) -> Any:
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
    diagram.label(ends[1], "xy"[axis], "The axis onto which the boxes are projected.", INK)
    for k, i in enumerate(sweep.order):
        low, high = sweep.boxes[i, axis], sweep.boxes[i, 3 + axis]
        beside = (room.low if axis == 0 else room.left) - 0.4 - _PITCH * k
        ends = np.array([(low, beside), (high, beside)])
        diagram.line(ends if axis == 0 else ends[:, ::-1], faded(BLUE, 0.9), 4.0)
        foot = np.array([(low, beside), (low, sweep.boxes[i, 1 - axis])])
        diagram.line(foot if axis == 0 else foot[:, ::-1], faded(LINE, 0.25), 1.0)


def draw_pair(diagram: Diagram, a: Any, b: Any, color: Color, is_pointed: bool) -> None:
    """Draw a proposed pair."""
    diagram.line([a, b], color if is_pointed else faded(color, 0.55), 4.0 if is_pointed else 1.5)


def draw_object(diagram: Diagram, place: Any, half: Any, color: Color, is_pointed: bool) -> None:
    """Draw an object in its color."""
    corners = place + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    diagram.polygon(corners, faded(color, 0.75 if is_pointed else 0.45))
    diagram.outline(corners, INK if is_pointed else color, 2.0)
