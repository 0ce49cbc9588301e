"""The lock by which queries from several threads take turns."""

from _thread import RLock
from typing import Any


class Turn(RLock):  # type: ignore[misc]  # that it is final is said by the type stubs alone
    """A lock that may be copied and pickled with its owner: the copy has one of its own, open."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Turn, ()
