"""How far a point is from a body's core, with 60 digits, from its loops of corners alone."""

from decimal import Decimal, localcontext

import numpy as np

from spheresim.convex import Body

DIGITS = 60


def exactly(array):
    return [[Decimal(float(x)) for x in row] for row in np.atleast_2d(array)]


def add(a, b, scale=Decimal(1)):
    return [x + y * scale for x, y in zip(a, b, strict=True)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a, b):
    return [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]


class ExactCore:
    """A body's core where it is, its corners turned and moved without rounding."""

    def __init__(self, body: Body):
        with localcontext(prec=DIGITS):
            rotation, position = exactly(body.rotation), exactly(body.position)[0]
            self.corners = [
                add([dot(row, corner) for row in rotation], position)
                for corner in exactly(body.points)
            ]
        self.solid = body.geometry[1, 1] > 0.0
        self.flat = body.dimension == 2
        self.edges = body.edges
        self.faces = () if self.flat else body.faces
        self.outline = body.faces[0] if self.flat and body.faces else ()

    def distance(self, point) -> Decimal:
        """0 inside; `point`: three Decimals."""
        with localcontext(prec=DIGITS):
            corners = self.corners
            heights = [self._over(loop, point) for loop in self.faces]
            if self.solid and self.faces and all(height <= 0 for height, _ in heights):
                return Decimal(0)
            if self.outline and self._inside_outline(point):
                return Decimal(0)
            near = [abs(height) for height, over in heights if over]
            near += [self._to_segment(corners[i], corners[j], point) for i, j in self.edges]
            near += [dot(away, away).sqrt() for away in (add(c, point, -1) for c in corners)]
            return min(near)

    def _over(self, loop, point):
        """The height over a face's plane, and whether the foot is on the face."""
        corners = [self.corners[i] for i in loop]
        sides = [add(q, p, -1) for p, q in zip(corners, corners[1:] + corners[:1], strict=True)]
        normal = [Decimal(0)] * 3
        for corner, side in zip(corners, sides, strict=True):
            normal = add(normal, cross(add(corner, corners[0], -1), side))
        height = dot(normal, add(point, corners[0], -1)) / dot(normal, normal).sqrt()
        over = all(
            dot(cross(normal, side), add(point, corner, -1)) >= 0
            for corner, side in zip(corners, sides, strict=True)
        )
        return height, over

    def _inside_outline(self, point):
        loop = self.outline
        for i, j in zip(loop, loop[1:] + loop[:1], strict=True):
            side = add(self.corners[j], self.corners[i], -1)
            if cross(side, add(point, self.corners[i], -1))[2] < 0:
                return False
        return True

    @staticmethod
    def _to_segment(p, q, point):
        side, away = add(q, p, -1), add(point, p, -1)
        along = min(Decimal(1), max(Decimal(0), dot(away, side) / dot(side, side)))
        rest = add(away, side, -along)
        return dot(rest, rest).sqrt()

    def distance_at(self, origin, velocity, time) -> Decimal:
        """From origin + velocity · time, without rounding."""
        with localcontext(prec=DIGITS):
            return self.distance(add(exactly(origin)[0], exactly(velocity)[0], Decimal(time)))
