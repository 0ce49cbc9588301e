"""The number of balls in each of a scene's cells, written over the cell."""

import numpy as np

from spheresim.numerics.arrays import Floats
from spheresim.scene.view import Counts
from spheresim_viewer.cell_counts import cell_counts, cell_tops
from spheresim_viewer.hud.overlay import INK, Color, Overlay
from spheresim_viewer.scene_view import SceneView

_PLATE: Color = (1.0, 1.0, 1.0, 0.8)
_LARGEST, _SMALLEST = 20.0, 12.0
"""Sizes of a number: what fits its cell, between these."""


def draw_counts(overlay: Overlay, scene_view: SceneView) -> None:
    """Write the present numbers, if the scene asks for them."""
    counts = scene_view.scene.view.counts
    if counts is None:
        return
    stage = scene_view.stage
    found = cell_counts(counts, scene_view.position).ravel()
    view, projection = scene_view.camera.matrices()
    tops = stage.to_units(cell_tops(counts, np.array(stage.up)))
    clip = np.c_[tops, np.ones(len(tops))] @ (projection @ view).T
    size = _size(overlay, counts, projection[1, 1] / (stage.size * clip[:, 3]))
    for number, (x, y, _, w), letters in zip(found, clip, size, strict=True):
        if w <= 0.0:
            continue  # behind the eye
        words = str(number)
        wide, tall = overlay.width_of(words, letters) + 0.6 * letters, 1.3 * letters
        left = 0.5 * (1.0 + x / w) * overlay.width - 0.5 * wide
        low = 0.5 * (1.0 + y / w) * overlay.height
        overlay.panel(left, low, wide, tall, _PLATE, 4.0)
        overlay.text(left + 0.5 * wide, low + 0.3 * letters, words, letters, INK, "center")


def _size(overlay: Overlay, counts: Counts, scale: Floats) -> Floats:
    """The size of each number, for `scale` (m,): half heights of the picture for a length of 1."""
    size = (np.array(counts.high) - counts.low) / counts.cells
    return np.clip(0.25 * float(size.min()) * scale * overlay.height, _SMALLEST, _LARGEST)
