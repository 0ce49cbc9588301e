"""Rotations as 3 × 3 matrices whose columns are the body's own axes, seen from the world.

Wherever a rotation is taken it may be given as

- in the plane: an angle [rad], or any of the following that leaves the plane where it is;
- a 3 × 3 matrix of any float type. Its rows may be out of orthonormal by 1e-5, or by 16
  roundings of its own type if that is more; what is out by more than 1e-12 is replaced by the
  nearest rotation (P. H. Schönemann, The orthogonal Procrustes problem, 1966);
- a quaternion (x, y, z, w), the scalar last as in scipy, of any length but 0;
- an object with the method `as_matrix`, as scipy's `Rotation`.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arguments import direction_of, number, shown
from spheresim.numerics.vector import TVector, VectorLike


@inlined
def rotated(vector: TVector, axis: TVector, angle: float) -> TVector:
    """A vector turned right-handedly by `angle` [rad] about a unit axis (Rodrigues' formula)."""
    # 1 − cos loses its digits at small angles; 2 sin² of the half does not.
    versine = 2.0 * math.sin(0.5 * angle) ** 2
    across = axis.cross(vector)
    return vector + across * math.sin(angle) + axis.cross(across) * versine


_UNIT_VECTORS = TVector(1.0, 0.0, 0.0), TVector(0.0, 1.0, 0.0), TVector(0.0, 0.0, 1.0)


def rotation_about(axis: VectorLike, angle: float) -> np.ndarray:
    """The right-handed turn by `angle` [rad] about an axis of any length but 0.

    >>> rotation_about((0, 0, 1), math.pi / 2).round(15) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    unit = direction_of(axis, "a rotation's axis")
    angle = number(angle, "a rotation's angle")
    return np.column_stack([rotated(vector, unit, angle) for vector in _UNIT_VECTORS])


_EXACT = 1e-12
"""A matrix whose rows are orthonormal to this is taken as it is."""

_NEAR = 1e-5
_ROUNDINGS = 16.0
"""What is accepted at all: see the module."""

_IN_SPACE = "a 3 × 3 matrix, a quaternion (x, y, z, w) or a scipy Rotation"
_ACCEPTED = f"an angle in the plane, {_IN_SPACE}"


_IDENTITY = np.eye(3)
_NO_ROTATION = _IDENTITY.ravel().tolist()


def no_rotation() -> np.ndarray:
    """A new identity matrix; numpy takes ten times as long to make one."""
    return _IDENTITY.copy()


def rotation_matrix(rotation: npt.ArrayLike | None, dimension: int) -> np.ndarray:
    """What a user gives as a rotation, checked, see the module; None is no rotation."""
    if rotation is None:
        return no_rotation()
    if dimension == 2:
        return _in_the_plane(rotation)
    if type(rotation) is np.ndarray and rotation.shape == (3, 3) and rotation.dtype == np.float64:
        # The usual case, checked in a tenth of the time that numpy takes for so few numbers.
        rows = rotation.ravel().tolist()
        if rows == _NO_ROTATION:
            return rotation
        error, turn = _error(rows)
        if error <= _EXACT and turn > 0.0:
            return rotation
    return _in_space(rotation)


def rotation_matrices(rotations: npt.ArrayLike, count: int) -> np.ndarray:
    """Rotations in space, (count, 3, 3), from as many of what may be one, or from one for all."""
    rows = rotation_rows(rotations)
    if len(rows) not in {1, count}:
        needed = "one rotation is" if count == 1 else f"{count} rotations are"
        for_all = "" if count == 1 else ", or one for all"
        raise ValueError(f"{needed} needed{for_all}, not {len(rows)}: a rotation is {_IN_SPACE}")
    array = rows if isinstance(rows, np.ndarray) else np.empty(0)
    if array.dtype != np.float64 or not _are_exact(array):
        array = np.array([rotation_matrix(row, 3) for row in rows]).reshape(-1, 3, 3)
    return array if len(array) == count else np.repeat(array, count, axis=0)


def rotation_rows(rotations: Any) -> Any:
    """Rotations in space as something that holds each of them: one alone becomes a row."""
    _refuse_axis_and_angle(rotations)
    if hasattr(rotations, "as_matrix"):
        return rotations.as_matrix().reshape(-1, 3, 3)
    is_listed = isinstance(rotations, list | tuple)
    if is_listed and any(hasattr(each, "as_matrix") for each in rotations):
        return rotations
    try:
        array = np.asarray(rotations)
    except ValueError:  # lists in a list that are not equally long
        return rotations
    if array.ndim == 0:
        return [rotations]
    if array.ndim == 1 and array.shape != (4,):
        return rotations
    return array[None] if array.shape in {(4,), (3, 3)} else array


def _refuse_axis_and_angle(rotation: Any) -> None:
    """ValueError for an axis and degrees, as obstacles take them: angles are radians here."""
    if not isinstance(rotation, list | tuple) or len(rotation) != 2 or not _is_one(rotation[1]):
        return
    if isinstance(rotation[0], list | tuple | np.ndarray) and len(rotation[0]) == 3:
        raise ValueError(
            f"a rotation is {_IN_SPACE}, not {shown(rotation)}: the form (axis, degrees) is that "
            "of obstacles; of an axis and radians rotation_about makes a matrix"
        )


def _are_exact(matrices: np.ndarray) -> bool:
    """Whether all are rotations as they stand, (n, 3, 3)."""
    if matrices.shape[1:] != (3, 3):
        return False
    with np.errstate(all="ignore"):
        error = np.abs(np.einsum("kij,klj->kil", matrices, matrices) - np.eye(3))
        turn = np.linalg.det(matrices)
    return bool((error <= _EXACT).all() and (turn > 0.0).all())


def _error(numbers: list[float]) -> tuple[float, float]:
    """How far the rows of a matrix, row by row, are from orthonormal, and its determinant."""
    a, b, c, d, e, f, g, h, i = numbers
    lengths = abs(a * a + b * b + c * c - 1.0), abs(d * d + e * e + f * f - 1.0)
    angles = abs(a * d + b * e + c * f), abs(a * g + b * h + c * i), abs(d * g + e * h + f * i)
    error = max(*lengths, abs(g * g + h * h + i * i - 1.0), *angles)
    turn = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    return error if math.isfinite(sum(lengths) + sum(angles) + turn) else math.inf, turn


def _in_the_plane(rotation: Any) -> np.ndarray:
    if isinstance(rotation, str) or (not hasattr(rotation, "as_matrix") and _is_one(rotation)):
        return _about_z(number(rotation, "a rotation in the plane"))
    matrix = _in_space(rotation)
    if not max(abs(matrix[2, 2] - 1.0), abs(matrix[0, 2]), abs(matrix[1, 2])) <= _NEAR:
        raise ValueError("a rotation in the plane is one about z")
    return _about_z(math.atan2(matrix[1, 0], matrix[0, 0]))


def _about_z(angle: float) -> np.ndarray:
    """`rotation_about` z, to the same bits, without the cost of small numpy matrices."""
    sine, cosine = math.sin(angle), 1.0 - 2.0 * math.sin(0.5 * angle) ** 2
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def _is_one(value: object) -> bool:
    """Whether something is a single number and no array of them."""
    return not hasattr(value, "__len__") or (isinstance(value, np.ndarray) and value.ndim == 0)


def _in_space(rotation: Any) -> np.ndarray:
    """A rotation given as a matrix, a quaternion or an object that makes one."""
    _refuse_axis_and_angle(rotation)
    given = rotation.as_matrix() if hasattr(rotation, "as_matrix") else rotation
    try:
        array = np.asarray(given)
        matrix = array.astype(np.float64) if array.dtype.kind in "iufO" else np.empty(0)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape == (4,):
        return _of_quaternion(*matrix.tolist())
    if matrix.shape != (3, 3):
        raise ValueError(f"a rotation is {_ACCEPTED}, not {shown(rotation)}")
    rounding = float(np.finfo(array.dtype).eps) if array.dtype.kind == "f" else 0.0
    error, turn = _error(matrix.ravel().tolist())
    if not error <= max(_NEAR, _ROUNDINGS * rounding) or turn < 0.0:
        raise ValueError("a rotation's rows must be orthonormal and right-handed")
    if error > _EXACT:
        left, _, right = np.linalg.svd(matrix)
        matrix = left @ right
    return matrix


def _of_quaternion(x: float, y: float, z: float, w: float) -> np.ndarray:
    size = max(abs(x), abs(y), abs(z), abs(w))
    if not 0.0 < size < math.inf or math.isnan(x + y + z + w):
        raise ValueError(
            f"a quaternion (x, y, z, w) must be finite and not zero, not {(x, y, z, w)}"
        )
    x, y, z, w = x / size, y / size, z / size, w / size
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
        ]
    )
