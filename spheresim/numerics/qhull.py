"""The convex hull of points in space, in triangles, by Qhull (C. B. Barber, D. P. Dobkin,
H. Huhdanpaa, The quickhull algorithm for convex hulls, ACM TOMS 22, 1996)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats, Integers


class Triangles(NamedTuple):
    """The triangles of a closed surface.

    corners: (m, 3), numbers of points; across: (m, 3), the triangle opposite each corner; planes:
    (m, 4), unit normal outwards, and minus the plane's height over the origin.
    """

    corners: npt.NDArray[np.int32]
    across: npt.NDArray[np.int32]
    planes: Floats

    def outward(self, points: Floats, which: slice | Integers = slice(None)) -> Integers:
        """The corners of some triangles, (k, 3), anticlockwise seen from outside."""
        corners = self.corners[which].astype(np.int64)
        a, b, c = (points[corners[:, i]] for i in range(3))
        turned = np.sum(np.cross(b - a, c - a) * self.planes[which, :3], axis=1) < 0.0
        return np.where(turned[:, np.newaxis], corners[:, ::-1], corners)


def triangulated(points: Floats) -> Triangles:
    """The hull of points (n, 3) in triangles; ValueError with Qhull's words if it finds none."""
    # Imported here: scipy.spatial takes long to import, and most programs need no hull.
    from scipy.spatial import ConvexHull, QhullError

    try:
        found: Any = ConvexHull(points)
    except QhullError as fault:
        said = str(fault).strip().partition("\n")[0]
        raise ValueError(f"Qhull finds no hull of these {len(points)} points: {said}") from None
    return Triangles(found.simplices, found.neighbors, found.equations)
