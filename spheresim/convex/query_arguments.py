"""The arguments of questions, checked: one body or many on each side, and their motions."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from spheresim.convex.body import Bodies, Body, BodyArrays, finite
from spheresim.convex.coordinates import LARGEST, checked_vector, coordinates, vector_row
from spheresim.numerics.arguments import number, shown
from spheresim.numerics.arrays import RowsLike

ManyBodies: TypeAlias = BodyArrays | Iterable[Body]
"""Many bodies; a single one is repeated for each body on the other side."""


def pair(a: object, b: object) -> tuple[BodyArrays, BodyArrays]:
    """Two single bodies. Raises TypeError for anything else, ValueError for several."""
    if type(a) is Body and type(b) is Body:
        return a, b
    return single(a), single(b)


def single(body: object) -> BodyArrays:
    """One body; `Bodies` that hold just one will do."""
    if not isinstance(body, BodyArrays):
        raise TypeError(f"expected a body, not {shown(body)}")
    if len(body.poses) != 1:
        raise ValueError(
            f"expected one body, not {len(body.poses)}: use the `_batch` function for many"
        )
    return finite(body)


def several(bodies: object) -> BodyArrays:
    """Many bodies, from `Bodies`, one body, or anything that holds bodies."""
    if not isinstance(bodies, BodyArrays):
        if not isinstance(bodies, Iterable):
            raise TypeError(f"expected bodies, not {shown(bodies)}")
        bodies = Bodies.of(bodies)
    return finite(bodies)


def pairs(a: object, b: object) -> tuple[BodyArrays, BodyArrays]:
    """Many pairs of bodies, see `ManyBodies`. Raises TypeError for anything else."""
    a, b = several(a), several(b)
    if isinstance(a, Body) and not isinstance(b, Body):
        return _repeated(a, len(b.poses)), b
    if isinstance(b, Body) and not isinstance(a, Body):
        return a, _repeated(b, len(a.poses))
    return a, b


def pair_count(a: BodyArrays, b: BodyArrays) -> int:
    """The number of pairs; ValueError for sides of unlike numbers of bodies, or dimensions."""
    count = len(a.poses)
    if count != len(b.poses):
        raise ValueError(f"pairs need equally many bodies, not {count} and {len(b.poses)}")
    if count and a.dimension != b.dimension:
        raise ValueError("both bodies must be in the plane, or both in space")
    return count


def each_of(
    vectors: Any,
    count: int,
    dimension: int,
    what: str,
    largest: float = LARGEST,
    one: str = "",
) -> np.ndarray:
    """A vector for each of `count` bodies, shape (count, 3); a single one counts for all.

    `one`: what a single one is called where it is no vector. ValueError for components that are not
    finite, or larger than `largest`.
    """
    if count == 1 and dimension == 3 and _is_one_vector(vectors):
        return np.array([vectors], dtype=np.float64)
    name, given = one or _ONE.get(what, what), vectors
    if holds_nothing(vectors):
        vectors = np.zeros((0, dimension))
    elif isinstance(vectors, str) or (not isinstance(vectors, Iterable) and np.ndim(vectors) == 0):
        return vector_row(vectors, dimension, what, largest, name)
    elif not isinstance(vectors, np.ndarray):
        vectors = list(vectors)
    if _is_flat(vectors):
        shown_as = given if isinstance(given, tuple) else vectors
        rows = vector_row(shown_as, dimension, what, largest, name)
    else:
        rows = coordinates(vectors, dimension, what, largest)
    return _for_all(rows, count, what)


_ONE = {
    "positions": "a position",
    "velocities": "a velocity",
    "spins": "a spin",
    "starts of rays": "a ray's start",
    "directions of rays": "a ray's direction",
}
"""What one of several is called."""


def _is_one_vector(vectors: Any) -> bool:
    """Whether something is three plain numbers, which takes a tenth of the time of a full check."""
    if type(vectors) is np.ndarray:
        if vectors.shape != (3,) or vectors.dtype != np.float64:
            return False
        vectors = vectors.tolist()
    if type(vectors) not in {tuple, list} or len(vectors) != 3:
        return False
    x, y, z = vectors
    if not {type(x), type(y), type(z)} <= _NUMBERS:
        return False
    return bool(-LARGEST <= x <= LARGEST and -LARGEST <= y <= LARGEST and -LARGEST <= z <= LARGEST)


_NUMBERS = {float, int}


def holds_nothing(vectors: Any) -> bool:
    """Whether something is an empty list, which does not say how long its vectors are."""
    is_list = isinstance(vectors, list | tuple)
    return (is_list and len(vectors) == 0) or getattr(vectors, "shape", None) == (0,)


def each_spin(spins: Any, count: int, dimension: int) -> np.ndarray:
    """`each_of` spins [rad per time]; in the plane each is a number."""
    if dimension == 3:
        return each_of(spins, count, 3, "spins")
    listed = list(np.atleast_1d(spins)) if np.ndim(spins) == 0 else list(spins)
    rows = np.zeros((len(listed), 3))
    rows[:, 2] = [number(spin, "a spin in the plane") for spin in listed]
    return _for_all(rows, count, "spins")


def _is_flat(vectors: RowsLike) -> bool:
    if isinstance(vectors, np.ndarray):
        return vectors.ndim == 1
    return isinstance(vectors, list) and len(vectors) > 0 and np.ndim(vectors[0]) == 0


def _for_all(rows: np.ndarray, count: int, what: str) -> np.ndarray:
    if len(rows) == 1:
        return np.repeat(rows, count, axis=0)
    if len(rows) != count:
        raise ValueError(f"{count} {what} are needed, or one for all, not {len(rows)}")
    return rows


def _repeated(body: Body, count: int) -> Bodies:
    return Bodies(body.geometry, np.repeat(body.poses, count, axis=0))


def headers_of(bodies: BodyArrays) -> np.ndarray:
    """Rows 0 and 1 of every body's geometry, see `geometry.layout`, shape (n, 2, 3)."""
    starts = bodies.poses[:, 0].astype(np.int64)
    return np.asarray(bodies.geometry[starts[:, np.newaxis] + (0, 1)])


# --- Motions ----------------------------------------------------------------------------


def velocities_of(
    a: BodyArrays, b: BodyArrays, velocities_a: RowsLike | None, velocities_b: RowsLike | None
) -> tuple[np.ndarray, np.ndarray]:
    """The velocities of both sides of every pair, each of shape (n, 3); b's may be None, rest."""
    count = pair_count(a, b)
    first = each_of(
        needed(velocities_a, "velocity_a"), count, a.dimension, "velocities", one="velocity_a"
    )
    if velocities_b is None:
        return first, np.zeros((count, 3))
    return first, each_of(velocities_b, count, a.dimension, "velocities", one="velocity_b")


def needed(velocity: Any, what: str) -> Any:
    """A velocity that must be given; TypeError for None."""
    if velocity is None:
        raise TypeError(f"{what} must be given, zeros for what is at rest, not None")
    return velocity


def set_motions(
    motions: np.ndarray, side: BodyArrays, velocities: RowsLike | None, spins: npt.ArrayLike | None
) -> None:
    """Velocity and spin of every body into shape (n, 2, 3) of zeros; None is rest."""
    if velocities is not None:
        motions[:, 0] = each_of(velocities, len(motions), side.dimension, "velocities")
    if spins is not None:
        motions[:, 1] = each_spin(spins, len(motions), side.dimension)


def set_motion(
    motions: np.ndarray,
    which: int,
    side: BodyArrays,
    velocity: Any,
    spin: Any,
) -> None:
    """`set_motions` of one body of a pair, whose motions have the shape (1, 2, 2, 3)."""
    own, dimension, name = motions[0, which], side.dimension, "ab"[which]
    # Number by number: numpy takes twice as long to set three from a tuple.
    if velocity is not None:
        own[0, 0], own[0, 1], own[0, 2] = checked_vector(
            velocity, dimension, "velocities", f"velocity_{name}"
        )
    if spin is not None and dimension == 2:
        own[1, 2] = number(spin, "a spin in the plane")
    elif spin is not None:
        own[1, 0], own[1, 1], own[1, 2] = checked_vector(spin, 3, "spins", f"spin_{name}")
