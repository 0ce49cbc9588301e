"""The corners and faces of a box.

Corner k is on the side of larger x, y and z by its bits 1, 2 and 4.
"""

import numpy as np

SIGNS = 2.0 * (np.arange(8)[:, np.newaxis] >> np.arange(3) & 1) - 1.0
"""The corners of a box of half extents 1 about the origin, (8, 3)."""

FACES = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
"""The corners of each face, anticlockwise seen from outside."""
