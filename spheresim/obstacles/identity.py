"""A key by identity, for what has no hash, such as a mesh's arrays."""

from typing import Any


class Itself:
    """A shape, or its features, that is equal to itself alone."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape

    def __hash__(self) -> int:
        return id(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.shape is other.shape
