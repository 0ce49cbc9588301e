"""Pictures held against golden ones that somebody has looked at.

SPHERESIM_NEW_GOLDEN=1 writes them anew.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from viewer_window import read_png, write_small_png

GOLDEN = Path(__file__).parents[1] / "golden"


def hold_against_golden(name: str, pixels, folder: Path) -> None:
    """Fail if pixels are not those of a golden picture; then they are kept in a folder."""
    path = GOLDEN / f"{name}.png"
    if os.environ.get("SPHERESIM_NEW_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        write_small_png(path, pixels)
        return
    why = difference(pixels, read_png(path))
    if why:
        actual = folder / f"{name}.png"
        write_small_png(actual, pixels)
        pytest.fail(f"{actual} is not {path}: {why}")


def difference(pixels, expected) -> str:
    """How two pictures differ, by more than versions of Mesa do, which round otherwise.

    Both are blurred a little, so that the steps of an edge do not count, but what is missing does.
    """
    if pixels.shape != expected.shape:
        return f"shape {pixels.shape}, not {expected.shape}"
    apart = np.abs(blurred(pixels) - blurred(expected)).max(axis=2)
    off = int(np.count_nonzero(apart > 24))
    if apart.mean() < 2.0 and off < 5e-4 * apart.size:
        return ""
    return f"{apart.mean():.2f} of 255 off on average, {off} pixels of {apart.size} by more than 24"


def blurred(pixels):
    """The means of 3 by 3 pixels."""
    sides = range(3)
    height, width = (side - 2 for side in pixels.shape[:2])
    parts = (pixels[i : i + height, j : j + width].astype(float) for i in sides for j in sides)
    return sum(parts) / 9.0
