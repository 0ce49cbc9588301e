"""The catalogue of broad phases: a new one is a line here."""

from inspect import signature
from typing import Any, NamedTuple

import numpy.typing as npt

from spheresim.broadphase.all_pairs import AllPairs
from spheresim.broadphase.automatic import Automatic
from spheresim.broadphase.broad_phase import BroadPhase, Counts
from spheresim.broadphase.bvh import BoundingVolumeHierarchy
from spheresim.broadphase.space_tree import Octree, Quadtree
from spheresim.broadphase.sweep_and_prune import SweepAndPrune
from spheresim.broadphase.uniform_grid import UniformGrid
from spheresim.numerics.arrays import Integers

BROAD_PHASES: dict[str, type[BroadPhase]] = {
    kind.name: kind
    for kind in (
        AllPairs,
        SweepAndPrune,
        UniformGrid,
        Quadtree,
        Octree,
        BoundingVolumeHierarchy,
        Automatic,
    )
}
"""All broad phases by their names."""


class Pairs(NamedTuple):
    """The overlapping pairs of boxes, (m, 2), lower index first, in order, and their counts."""

    pairs: Integers
    counts: Counts


def broad_phase(method: str = "auto", **options: Any) -> BroadPhase:
    """Make a broad phase for objects that move: call `update(low, high)`, then `pairs()`.

    method: a name such as "uniform_grid" or "bvh"; "auto" chooses one; the message of the error for
    an unknown name lists all. options: `cell_size` of a grid, `capacity` and `depth` of a tree,
    `rebuild_at` of a BVH. Before the first update there are no boxes and no pairs. ValueError for
    an unknown name, TypeError for an option that the broad phase does not have.

    >>> phase = broad_phase("uniform_grid", cell_size=2.0)
    >>> phase.update([(0, 0), (0.5, 0), (5, 5)], [(1, 1), (1.5, 1), (6, 6)])
    >>> phase.pairs().tolist(), phase.counts.proposed
    ([[0, 1]], 1)
    """
    if method not in BROAD_PHASES:
        raise ValueError(f"a broad phase is one of {', '.join(BROAD_PHASES)}, not {method!r}")
    kind = BROAD_PHASES[method]
    known = list(signature(kind).parameters)
    for option in options:
        if option not in known:
            expected = f"the options {', '.join(known)}" if known else "no options"
            raise TypeError(f"the broad phase {method!r} has {expected}, not {option!r}")
    return kind(**options)


def find_pairs(
    low: npt.ArrayLike, high: npt.ArrayLike, method: str = "auto", **options: Any
) -> Pairs:
    """Find the pairs of boxes that overlap or touch; returns `Pairs`.

    low, high: the corners of the boxes, (n, 3) or (n, 2); method: the name of a broad phase;
    options: those of `broad_phase`. ValueError for corners that are not those of boxes, or an
    unknown name.

    >>> find_pairs([(0, 0, 0), (1, 0, 0), (3, 0, 0)], [(1, 1, 1), (2, 1, 1), (4, 1, 1)])
    Pairs(pairs=array([[0, 1]]), counts=Counts(objects=3, possible=3, proposed=3, overlapping=1))
    """
    phase = broad_phase(method, **options)
    phase.update(low, high)
    return Pairs(phase.pairs(), phase.counts)
