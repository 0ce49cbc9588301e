"""The parts of a world as kernels read them."""

from typing import Any, NamedTuple


class PartArrays(NamedTuple):
    """kind, owner, poses, own: of parts, see `Shapes`; group: of slots; geometry: of all bodies."""

    kind: Any
    owner: Any
    group: Any
    geometry: Any
    poses: Any
    own: Any
