"""The lock of a collision world: one query at a time."""

from _thread import RLock  # the class; `threading.RLock` is a function


class QueryLock(RLock):  # type: ignore[misc]  # only the type stubs say that it is final
    """A lock that is copied and pickled with its world: the copy has an open one of its own."""

    def __reduce__(self) -> tuple[object, ...]:
        return QueryLock, ()
