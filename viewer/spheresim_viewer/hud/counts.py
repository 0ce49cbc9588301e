"""The number of balls in each of a scene's cells, written over the cell."""

import numpy as np

from spheresim.numerics.arrays import Floats, Integers
from spheresim.scene.view import Counts
from spheresim_viewer.cell_counts import cell_counts, cell_tops
from spheresim_viewer.hud.colors import INK, Color
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.scene_view import SceneView

_PLATE: Color = (1.0, 1.0, 1.0, 0.8)
_LARGEST, _SMALLEST = 20.0, 12.0
"""Sizes of a number: what fits its cell, between these."""
_GAP = 1.5
"""Points between two numbers, at least."""


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
    middle = 0.5 * (1.0 + clip[:, :2] / clip[:, 3:]) * (overlay.width, overlay.height)
    wide = np.array([overlay.width_of(str(n), s) for n, s in zip(found, size, strict=True)])
    in_front = np.flatnonzero(clip[:, 3] > 0.0)
    for k in in_front[apart(middle[in_front], wide[in_front], size[in_front], found[in_front])]:
        letters, (x, low), plate = float(size[k]), middle[k], float(wide[k] + 0.6 * size[k])
        overlay.panel((x - 0.5 * plate, low, plate, 1.3 * letters), _PLATE, 4.0)
        overlay.text(x, low + 0.3 * letters, str(found[k]), letters, INK, "center")


def apart(middle: Floats, wide: Floats, tall: Floats, found: Integers) -> Integers:
    """The indices of the numbers that are written, so that none lies over another.

    middle, wide, tall: of each number, (m, 2), (m,) and (m,), in points. Of numbers that overlap
    the largest is written.
    """
    written: list[int] = []
    for k in np.argsort(-found, kind="stable").tolist():
        away = np.abs(middle[written] - middle[k])
        across = away[:, 0] < 0.5 * (wide[written] + wide[k]) + _GAP
        if not (across & (away[:, 1] < 0.5 * (tall[written] + tall[k]))).any():
            written.append(k)
    return np.array(sorted(written), dtype=np.int64)


def _size(overlay: Overlay, counts: Counts, scale: Floats) -> Floats:
    """The size of each number, for `scale` (m,): half heights of the picture for a length of 1."""
    size = (np.array(counts.high) - counts.low) / counts.cells
    return np.clip(0.25 * float(size.min()) * scale * overlay.height, _SMALLEST, _LARGEST)
