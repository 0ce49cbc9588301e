"""The icons of buttons, as triangles around a place: corners (3k, 2) in points."""

import numpy as np

Corners = list[tuple[float, float]]


def play(x: float, y: float) -> Corners:
    """Run: a triangle."""
    return _triangle(x, y, 8.0, 1.0)


def pause(x: float, y: float) -> Corners:
    """Pause: two bars."""
    return _box(x - 4, y, 4, 16) + _box(x + 4, y, 4, 16)


def to_start(x: float, y: float) -> Corners:
    """Back to the start: two triangles against a bar."""
    triangles = _triangle(x - 2, y, 6.5, -1.0) + _triangle(x + 6, y, 6.5, -1.0)
    return _box(x - 8, y, 2.5, 14) + triangles


def step_back(x: float, y: float) -> Corners:
    """One step back: a triangle and a bar."""
    return _triangle(x - 2, y, 6.5, -1.0) + _box(x + 6, y, 2.5, 13)


def step_on(x: float, y: float) -> Corners:
    """One step on: a bar and a triangle."""
    return _box(x - 6, y, 2.5, 13) + _triangle(x + 2, y, 6.5, 1.0)


def to_impact(x: float, y: float) -> Corners:
    """To the next impact: a triangle that runs into a star."""
    star = []
    for k in range(4):
        turn = np.pi * k / 4
        along = np.array((np.cos(turn), np.sin(turn)))
        aside = np.array((-along[1], along[0])) * 1.0
        middle = np.array((x + 7.0, y))
        a, b = middle - 6.5 * along, middle + 6.5 * along
        star += [a - aside, b - aside, b + aside, a - aside, b + aside, a + aside]
    return _triangle(x - 6, y, 6.5, 1.0) + [(float(p[0]), float(p[1])) for p in star]


def _triangle(x: float, y: float, size: float, direction: float) -> Corners:
    tip = 0.9 * size * direction
    return [(x - tip, y - size), (x + tip, y), (x - tip, y + size)]


def _box(x: float, y: float, width: float, height: float) -> Corners:
    a, b = 0.5 * width, 0.5 * height
    left, right, low, high = x - a, x + a, y - b, y + b
    return [(left, low), (right, low), (right, high), (left, low), (right, high), (left, high)]
