"""The order in which many rays are worked on: neighbours read the same nodes after each other."""

from typing import Any

from spheresim.box_tree.ray_nodes import RayNodes
from spheresim.box_tree.ray_search import unit_ray
from spheresim.compiler.decorators import inlined, kernel
from spheresim.convex.geometry.posed_body import PosedBody, posed_body, to_body
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_KEY_BITS = 10
"""Of a key, along each axis."""


@inlined
def own_ray(body: PosedBody, origin: TVector, direction: TVector) -> tuple[TVector, TVector]:
    """A ray as it is seen from a part's frame."""
    return to_body(body, origin - body.position), to_body(body, direction)


@kernel
def entry_keys(
    nodes: RayNodes,
    geometry: Any,
    poses: Any,
    row: int,
    origins: Any,
    directions: Any,
    keys: Any,
) -> None:
    """Write the place of each ray's entry into the tree's box along Morton's curve; the tree is in
    the frame of a part, or, for row −1, in the world's."""
    body = posed_body(geometry, poses, max(row, 0))
    for k in range(len(keys)):
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        if row >= 0:
            origin, direction = own_ray(body, origin, direction)
        near = unit_ray(nodes, origin, direction).origin
        x, y, z = _cell(near.x), _cell(near.y), _cell(near.z)
        key = 0
        for bit in range(_KEY_BITS):
            key |= ((x >> bit) & 1) << (3 * bit)
            key |= ((y >> bit) & 1) << (3 * bit + 1)
            key |= ((z >> bit) & 1) << (3 * bit + 2)
        keys[k] = key


@inlined
def _cell(coordinate: float) -> int:
    """One of the cells into which the tree's box is cut along an axis."""
    most = (1 << _KEY_BITS) - 1
    return min(max(int((coordinate + 1.0) * (0.5 * most)), 0), most)
