"""Who could touch whom: pairs of boxes for users, cells and neighbour lists for the engines.

Import what you need from here: `from spheresim.broadphase import find_pairs, broad_phase`.
"""

from spheresim.broadphase.broad_phase import BroadPhase, Counts
from spheresim.broadphase.catalogue import BROAD_PHASES, Pairs, broad_phase, find_pairs
from spheresim.broadphase.mid_phase import overlapping_boxes, overlapping_spheres

__all__ = [
    "BROAD_PHASES",
    "BroadPhase",
    "Counts",
    "Pairs",
    "broad_phase",
    "find_pairs",
    "overlapping_boxes",
    "overlapping_spheres",
]
