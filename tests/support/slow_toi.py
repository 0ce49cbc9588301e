"""Times of impact by brute force: the distance from a surface along a dense path, and bisection.

The distances are written from the definitions of the bodies, not from their features.
"""

import numpy as np

SAMPLES = 1500


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

    A graze between two samples is found at the minimum of the distance there. The second array
    is how near each comes, (n,): its sign says how sure a hit or a miss is.
    """
    distance = DISTANCES[shape.kind]
    t = np.linspace(0.0, until, SAMPLES)

    def gap(times):
        at = times[..., None]
        path = x[:, None] if times.ndim == 2 else x
        speed = v[:, None] if times.ndim == 2 else v
        size = radius[:, None] if times.ndim == 2 else radius
        return distance(path + (speed + 0.5 * g * at) * at, shape) - size

    f = gap(np.tile(t, (len(x), 1)))
    first, least = np.full(len(x), np.inf), f.min(axis=1)
    rows = np.arange(len(x))
    # The first sample that is within reach; dips between samples before it.
    within = np.where((f <= 0.0).any(axis=1), np.argmax(f <= 0.0, axis=1), SAMPLES)
    middle = f[:, 1:-1]
    dips = (middle <= f[:, :-2]) & (middle <= f[:, 2:])
    ball, place = np.nonzero(dips)
    early = place + 1 < within[ball]
    ball, place = ball[early], place[early] + 1
    low, high = t[place - 1], t[place + 1]
    one = _Balls(x[ball], v[ball], radius[ball], g, distance, shape)
    for _ in range(90):
        a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
        left = one.gap(a) < one.gap(b)
        high, low = np.where(left, b, high), np.where(left, low, a)
    bottom = one.gap(low)
    np.minimum.at(least, ball, bottom)
    touched = np.flatnonzero(bottom <= 0.0)[::-1]  # the first one last, so that it stays
    begin, end = t[np.maximum(within - 1, 0)], t[np.minimum(within, SAMPLES - 1)]
    begin[ball[touched]], end[ball[touched]] = t[place[touched] - 1], low[touched]
    hit = (within < SAMPLES) | np.isin(rows, ball[touched])
    all_of = _Balls(x, v, radius, g, distance, shape)
    for _ in range(80):
        half = 0.5 * (begin + end)
        inside = all_of.gap(half) <= 0.0
        end, begin = np.where(inside, half, end), np.where(inside, begin, half)
    first[hit] = end[hit]
    first[f[:, 0] <= 0.0] = 0.0
    return first, least


class _Balls:
    """Balls on their paths, each at a time of its own."""

    def __init__(self, x, v, radius, g, distance, shape):
        self.x, self.v, self.radius, self.g = x, v, radius, g
        self.distance, self.shape = distance, shape

    def gap(self, t):
        at = t[:, None]
        place = self.x + (self.v + 0.5 * self.g * at) * at
        return self.distance(place, self.shape) - self.radius
