"""The compile-time twin of something that a world may lack: a type whose methods do nothing.

A kernel that is handed the twin is compiled without all that the methods do. What a method answers
where there is nothing stands at the method.

>>> from typing import NamedTuple
>>> class Wind(NamedTuple("Wind", [("speed", float)])):
...     @if_absent(0.0)
...     def drag(self, area):
...         return self.speed * area
...     @if_absent(argument="until")
...     def calm_time(self, until):
...         return 0.0
>>> NoWind = absence_of(Wind, "NoWind")
>>> NoWind().drag(2.0), NoWind().calm_time(9.0)
(0.0, 9.0)

A class may also do something of its own where there is nothing, and be the twin in all else.

>>> @value
... @stands_in_for(Wind)
... class Draught(NamedTuple("Draught", [("speed", float)])):
...     def calm_time(self, until):
...         return until - self.speed
>>> Draught(2.0).drag(2.0), Draught(2.0).calm_time(9.0)
(0.0, 7.0)
"""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from spheresim.compiler.decorators import value

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V", bound=type)


class _Placeholder(NamedTuple):
    """Kernels take no empty tuples."""

    nothing: float = 0.0


def if_absent(answer: Any = None, *, argument: str | None = None) -> Callable[[F], F]:
    """What the twin's method returns: a constant, or one of the arguments, by its name."""

    def mark(method: F) -> F:
        method.if_absent = answer if argument is None else _Argument(argument)  # type: ignore[attr-defined]
        return method

    return mark


class _Argument(NamedTuple):
    name: str


def absence_of(cls: type, name: str) -> Any:
    """The twin of a class: its methods take the same arguments, and return what `if_absent` says.

    Methods that are not marked by it are missing from the twin.
    """
    space = {
        "__slots__": (),
        "__module__": cls.__module__,
        "__doc__": f"In place of `{cls.__name__}` in worlds that have none.",
    }
    return value(stands_in_for(cls)(type(name, (_Placeholder,), space)))


def stands_in_for(cls: type) -> Callable[[V], V]:
    """Give a class the methods of `cls` that it has not itself, as they are in the twin."""

    def complete(other: V) -> V:
        for name, method in vars(cls).items():
            if hasattr(method, "if_absent") and name not in vars(other):
                setattr(other, name, _twin(method, other.__module__, f"{other.__name__}.{name}"))
        return other

    return complete


def _twin(method: Any, module: str, name: str) -> Any:
    """A function of the same parameters, as text, because the compiler wants each by its name."""
    answer = method.if_absent
    result = answer.name if isinstance(answer, _Argument) else "answer"
    parameters = ", ".join(inspect.signature(method).parameters)
    made = eval(f"lambda {parameters}: {result}", {"answer": answer, "__name__": module})
    made.__qualname__ = name
    return made
