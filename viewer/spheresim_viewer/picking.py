"""Picking with the mouse: which ball or obstacle is under a pixel; where a dragged ball goes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spheresim.numerics.arrays import Floats
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.plane import Plane
from spheresim_viewer.camera.camera import Camera
from spheresim_viewer.camera.pose import HALF
from spheresim_viewer.camera.projection import ndc_of
from spheresim_viewer.stage.surface import Surface

Array = NDArray[np.float64]

_INVISIBLE = 0.9
"""A surface that has faded by more is not picked."""


def ray_through(camera: Camera, x: float, y: float, width: float, height: float) -> TRay:
    """The ray from the eye through a pixel (from the lower left corner), in the world."""
    across, upwards = np.array(ndc_of(x, y, width, height)) - camera.shift
    direction = camera.forward + HALF * (
        across * (width / height) * camera.right + upwards * camera.upward
    )
    return TRay(camera.stage.to_world(camera.eye), direction / np.linalg.norm(direction))


def pixel_slope(height: float, pixels: float = 4.0) -> float:
    """The half-width per distance of a beam that reaches some pixels to either side."""
    return 2.0 * HALF * pixels / height


def pick(ray: TRay, position: Floats, radius: Floats, slope: float = 0.0) -> int | None:
    """The index of the nearest ball that a ray hits, or None.

    position: shape (n, 3); radius: shape (n,). If the ray hits no ball, the one that it misses
    by the smallest angle is taken, if by no more than `slope` times the distance, so that a
    ball of a few pixels can be picked. Balls that contain the start of the ray are ignored.
    """
    # A ball that is hit
    position = np.asarray(position, dtype=np.float64).reshape(-1, 3)
    hit_at = hit_parameters(ray, position, radius)
    if np.any(np.isfinite(hit_at)):
        return int(np.argmin(hit_at))
    # Else one that is nearly hit
    d = position - np.array(ray.origin)
    along = d @ np.array(ray.direction.unit())
    apart = np.linalg.norm(np.cross(d, np.array(ray.direction.unit())), axis=1) - radius
    ahead = (along > 0.0) & (apart >= 0.0) & (apart <= slope * along)
    if not np.any(ahead):
        return None
    miss = np.where(ahead, apart, np.inf) / np.where(ahead, along, 1.0)
    return int(np.argmin(miss))


def hit_parameters(ray: TRay, position: Array, radius: Floats) -> Array:
    """The t ≥ 0 at which a ray comes to each ball, shape (n,); inf if never.

    It is `contact_quadratic(d, v, s).first_root()` of spheresim.numerics.roots for an array of
    balls, since a click must search 100,000 of them within a frame. The one difference: a ball
    around the start of the ray is never hit, where first_root() answers 0.
    """
    # In the same order, so that rounding decides alike where a ray grazes a ball
    (x, y, z), (u, v, w) = (np.array(ray.origin) - position).T, ray.direction
    s_sqr = np.square(np.asarray(radius, dtype=np.float64))
    a = ray.direction.mag_sqr()
    b = x * u + y * v + z * w
    c = x * x + y * y + z * z - s_sqr
    across = np.square(y * w - z * v) + np.square(z * u - x * w) + np.square(x * v - y * u)
    discriminant = a * s_sqr - across
    meets = (b < 0.0) & (c > 0.0) & (discriminant >= 0.0)
    root = np.sqrt(np.where(meets, discriminant, 0.0))
    return np.where(meets, c, np.inf) / np.where(meets, root - b, 1.0)


def pick_obstacle(ray: TRay, surfaces: Sequence[Surface]) -> int | None:
    """The index of the obstacle whose drawn surface a ray meets first, or None.

    As it is drawn: from its front, and not where it fades at an open side.
    """
    best, nearest = None, np.inf
    for surface in surfaces:
        t = float(np.min(_front_parameters(ray, surface), initial=np.inf))
        if t < nearest:
            best, nearest = surface.index, t
    return best


def _front_parameters(ray: TRay, surface: Surface) -> Array:
    """The t ≥ 0 at which a ray meets each triangle of a surface from its front, (k,); else inf.

    After T. Möller and B. Trumbore, Fast, minimum storage ray/triangle intersection, 1997.
    """
    a, b, c = (surface.vertices[surface.triangles[:, corner]] for corner in range(3))
    d, ab, ac = np.array(ray.direction), b - a, c - a
    across = np.cross(d, ac)
    facing = np.einsum("ij,ij->i", ab, across)
    shift = np.array(ray.origin) - a
    turned = np.cross(shift, ab)
    # Over the triangle's sides, all times `facing`, which is positive from its front.
    u, v = np.einsum("ij,ij->i", shift, across), turned @ d
    t = np.einsum("ij,ij->i", ac, turned)
    meets = (facing > 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= facing) & (t >= 0.0)
    scale = np.where(meets, facing, 1.0)
    fade = surface.fade[surface.triangles]
    faded = ((facing - u - v) * fade[:, 0] + u * fade[:, 1] + v * fade[:, 2]) / scale
    return np.where(meets & (faded < _INVISIBLE), t / scale, np.inf)


def drag_plane(camera: Camera, point: VectorLike) -> Plane:
    """The plane through a point, in the world, that faces the camera: point and normal."""
    return Plane(point, -camera.forward)


def dragged(ray: TRay, plane_point: VectorLike, plane_normal: VectorLike) -> TVector:
    """Where a ray meets the plane in which a ball is dragged; the plane's point if nowhere."""
    hit = Plane(plane_point, plane_normal).hit(ray)
    return hit.point if hit else TVector(plane_point)
