"""Times of impact by brute force: the distance from a surface along a path, and bisection.

The distances are written from the definitions of the bodies, not from their features. No distance
changes faster than the point moves from which it is taken. So a stretch of a path with a distance
at its middle that is larger than half the stretch is long cannot touch; all others are halved, to
stretches a twelve thousandth of the path, in which the distance is taken to have one minimum.
"""

import numpy as np

FIRST, HALVINGS = 48, 8
"""Stretches to begin with, and how often they are halved."""


def sphere(x, shape):
    return np.abs(np.linalg.norm(x - shape.center, axis=-1) - shape.radius)


def segment(x, a, b):
    a, b = np.array(a), np.array(b)
    t = np.clip(((x - a) @ (b - a)) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(x - a - t[..., None] * (b - a), axis=-1)


def capsule(x, shape):
    return np.abs(segment(x, shape.a, shape.b) - shape.radius)


def cuboid(x, shape):
    from spheresim.obstacles.rotation import matrix_of

    local = np.abs((x - shape.center) @ matrix_of(shape.rotation)) - 0.5 * np.array(shape.size)
    outside = np.linalg.norm(np.maximum(local, 0.0), axis=-1)
    inside = np.minimum(local.max(axis=-1), 0.0)
    return np.abs(outside + inside - shape.rounding)


def convex_plate(x, shape):
    """A polygon: over it the height, else the nearest of its sides."""
    points = np.array(shape.points)
    n = np.cross(points[1] - points[0], points[2] - points[1])
    n /= np.linalg.norm(n)
    over = np.ones(x.shape[:-1], dtype=bool)
    nearest = np.full(x.shape[:-1], np.inf)
    for a, b in zip(points, np.roll(points, -1, axis=0), strict=True):
        over &= np.cross(b - a, x - a) @ n >= 0.0
        nearest = np.minimum(nearest, segment(x, a, b))
    return np.abs(np.where(over, np.abs((x - points[0]) @ n), nearest) - shape.rounding)


def triangles(x, vertices, faces):
    from types import SimpleNamespace

    plates = [SimpleNamespace(points=vertices[list(face)], rounding=0.0) for face in faces]
    return np.min([convex_plate(x, plate) for plate in plates], axis=0)


def hull(x, shape):
    vertices, faces = shape.body()
    return triangles(x, vertices, faces)


def mesh(x, shape):
    return triangles(x, shape.vertices, shape.triangles)


def _round(x, origin, axis):
    d = x - origin
    along = d @ np.array(axis)
    return np.linalg.norm(d - along[..., None] * np.array(axis), axis=-1), along


def disc(x, shape):
    wide, high = _round(x, shape.center, shape.normal)
    return np.hypot(np.maximum(wide - shape.radius, 0.0), high)


def capped_cylinder(x, shape):
    length = (shape.b - shape.a).mag()
    wide, along = _round(x, shape.a, (shape.b - shape.a).unit())
    out = np.stack([wide - shape.radius, np.abs(along - 0.5 * length) - 0.5 * length], axis=-1)
    outside = np.linalg.norm(np.maximum(out, 0.0), axis=-1)
    return np.abs(outside + np.minimum(out.max(axis=-1), 0.0))


def ring(x, shape):
    wide, high = _round(x, shape.center, shape.axis)
    return np.abs(np.hypot(wide - shape.radius, high) - shape.thickness)


DISTANCES = {
    "sphere": sphere,
    "capsule": capsule,
    "cuboid": cuboid,
    "hull": hull,
    "polygon": convex_plate,
    "disc": disc,
    "capped_cylinder": capped_cylinder,
    "ring": ring,
    "mesh": mesh,
}


def first_touch(shape, x, v, g, radius, until):
    """The first times (n,) from 0 to `until` at which balls touch a shape; inf if they do not.

    The second array is how near each comes before that, (n,), where that matters: its sign says
    how sure a hit or a miss is.
    """
    balls = _Balls(x, v, radius, g, DISTANCES[shape.kind], shape)
    first, least = np.full(len(x), np.inf), np.full(len(x), np.inf)
    ball, low, width = _stretches_in_reach(balls, first, least, until)
    # What touches at the end of a stretch, or in its midst, where the distance is least.
    high, touch = low + width, np.full(len(ball), np.inf)
    for ends in (low, high):
        off = balls.gap(ball, ends)
        np.minimum.at(least, ball, off)
        touch = np.where((off <= 0.0) & np.isinf(touch), ends, touch)
    grazes = np.flatnonzero(np.isinf(touch))
    touch[grazes] = _bottoms(balls, least, ball[grazes], low[grazes], high[grazes])
    np.minimum.at(first, ball, touch)
    # Back to where a ball first touches: from the start of the first stretch in which it does.
    begin = np.full(len(x), np.inf)
    starts = touch == first[ball]
    np.minimum.at(begin, ball[starts], low[starts])
    hit = np.flatnonzero(first < np.inf)
    begin, end = np.minimum(begin, first)[hit], first[hit]
    for _ in range(64):
        half = 0.5 * (begin + end)
        inside = balls.gap(hit, half) <= 0.0
        end, begin = np.where(inside, half, end), np.where(inside, begin, half)
    first[hit] = np.where(balls.gap(hit, np.zeros(len(hit))) <= 0.0, 0.0, end)
    return first, least


def _stretches_in_reach(balls, first, least, until):
    """Of all paths what may touch, and is not after a time at which it does, which `first` holds
    then: whose, from when on, and how long each is.
    """
    many, width = len(balls.radius), until / FIRST
    ball = np.repeat(np.arange(many), FIRST)
    low = np.tile(np.arange(FIRST) * width, many)
    for halving in range(HALVINGS + 1):
        middle = low + 0.5 * width
        off = balls.gap(ball, middle)
        np.minimum.at(least, ball, off)
        if halving < HALVINGS:  # in the end all touch at an end, or graze
            np.minimum.at(first, ball[off <= 0.0], middle[off <= 0.0])
        near = off <= 0.5 * width * balls.fastest(ball, low + width) * (1.0 + 1e-9)
        near &= low <= first[ball]
        ball, low = ball[near], low[near]
        if halving < HALVINGS:
            width *= 0.5
            ball, low = np.repeat(ball, 2), np.column_stack([low, low + width]).ravel()
    return ball, low, width


def _bottoms(balls, least, ball, low, high):
    """When the distance is least in each stretch, if it is 0 or less then; else inf."""
    touch, rows = np.full(len(ball), np.inf), np.arange(len(ball))
    for _ in range(90):
        third = (high - low) / 3.0
        left, right = balls.gap(ball, low + third), balls.gap(ball, high - third)
        smaller = np.minimum(left, right)
        np.minimum.at(least, ball, smaller)
        touches = smaller <= 0.0
        touch[rows[touches]] = np.where(left <= 0.0, low + third, high - third)[touches]
        goes_left = left < right
        high, low = np.where(goes_left, high - third, high), np.where(goes_left, low, low + third)
        # Those that touch are known now, and those are left out that cannot any more.
        on = ~touches & (smaller <= (high - low) * balls.fastest(ball, high))
        ball, low, high, rows = ball[on], low[on], high[on], rows[on]
    return touch


class _Balls:
    """Balls on their paths."""

    def __init__(self, x, v, radius, g, distance, shape):
        self.x, self.v, self.radius, self.g = x, v, radius, g
        self.distance, self.shape = distance, shape

    def gap(self, ball, t):
        """How far the surface of each of some balls is from the shape's, at a time of its own."""
        at = t[:, None]
        place = self.x[ball] + (self.v[ball] + 0.5 * self.g * at) * at
        return self.distance(place, self.shape) - self.radius[ball]

    def fastest(self, ball, t):
        """A bound of each ball's speed until a time."""
        return np.linalg.norm(self.v[ball], axis=1) + np.linalg.norm(self.g) * t
