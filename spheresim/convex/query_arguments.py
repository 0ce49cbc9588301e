"""What is asked about: one body on each side, or many, made of whatever a user has them in."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from spheresim.convex.body import Bodies, Body, Placing, coordinates
from spheresim.numerics.arguments import number, shown

Many: TypeAlias = Placing | Iterable[Body]
"""Many bodies; one alone stands for as many as there are on the other side."""


def pair(a: Any, b: Any) -> tuple[Placing, Placing]:
    """Two single bodies. Raises TypeError for anything else, ValueError for several."""
    if type(a) is Body and type(b) is Body:
        return a, b
    return single(a), single(b)


def single(body: Any) -> Placing:
    """One body; `Bodies` that hold just one will do."""
    if not isinstance(body, Placing):
        raise TypeError(f"expected a body, not {shown(body)}")
    if len(body.places) != 1:
        raise ValueError(
            f"expected one body, not {len(body.places)}: ask the `_batch` form about many"
        )
    return _finite(body)


def several(bodies: Any) -> Placing:
    """Many bodies, from `Bodies`, one body, or anything that holds bodies."""
    if not isinstance(bodies, Placing):
        if not isinstance(bodies, Iterable):
            raise TypeError(f"expected bodies, not {shown(bodies)}")
        bodies = Bodies.of(bodies)
    return _finite(bodies)


def pairs(a: Any, b: Any) -> tuple[Placing, Placing]:
    """Many pairs of bodies, see `Many`. Raises TypeError for anything else."""
    a, b = several(a), several(b)
    if isinstance(a, Body) and not isinstance(b, Body):
        return _repeated(a, len(b.places)), b
    if isinstance(b, Body) and not isinstance(a, Body):
        return a, _repeated(b, len(a.places))
    return a, b


def each_of(vectors: Any, count: int, dimension: int, what: str) -> np.ndarray:
    """A vector for each of `count` bodies, shape (count, 3); one alone is for all of them."""
    if not isinstance(vectors, np.ndarray):
        vectors = list(vectors) if isinstance(vectors, Iterable) else vectors
    rows = coordinates([vectors] if _is_flat(vectors) else vectors, dimension, what)
    return _for_all(rows, count, what)


def each_spin(spins: Any, count: int, dimension: int) -> np.ndarray:
    """`each_of` spins [rad per time]; in the plane each is a number."""
    if dimension == 3:
        return each_of(spins, count, 3, "spins")
    listed = list(np.atleast_1d(spins)) if np.ndim(spins) == 0 else list(spins)
    rows = np.zeros((len(listed), 3))
    rows[:, 2] = [number(spin, "a spin in the plane") for spin in listed]
    return _for_all(rows, count, "spins")


def _is_flat(vectors: Any) -> bool:
    if isinstance(vectors, np.ndarray):
        return vectors.ndim == 1
    return isinstance(vectors, list) and len(vectors) > 0 and np.ndim(vectors[0]) == 0


def _for_all(rows: np.ndarray, count: int, what: str) -> np.ndarray:
    if len(rows) == 1:
        return np.repeat(rows, count, axis=0)
    if len(rows) != count:
        raise ValueError(
            f"{count} pairs or bodies need as many {what}, or one for all, not {len(rows)}"
        )
    return rows


def _repeated(body: Body, count: int) -> Bodies:
    return Bodies(body.forms, np.repeat(body.places, count, axis=0))


def _finite(bodies: Placing) -> Placing:
    """Places can be written to, so what they hold is looked at before each question."""
    # The sum first, in one go: it is finite unless something is not, or is beyond 1e300.
    with np.errstate(all="ignore"):
        total = bodies.places.sum()
    if not np.isfinite(total) and not np.isfinite(bodies.places).all():
        k = int(np.flatnonzero(~np.isfinite(bodies.places).all(axis=1))[0])
        position, rotation = bodies.positions[k].tolist(), bodies.rotations[k].tolist()
        raise ValueError(f"body {k}: its place must be finite, not {position}, {rotation}")
    return bodies
