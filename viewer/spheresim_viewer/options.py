"""Display options: what the viewer shows besides the balls."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass
class Options:
    """Switches; `color` is the index of a mode in `coloring.MODES`, `slices` into how many slices
    the answer is cut that is shown beside an impact, 0 for none."""

    color: int = 0
    numbers: bool = True
    plots: bool = False
    trails: bool = False
    arrows: bool = False
    contacts: bool = False
    explosions: bool = True
    ghosts: bool = False
    slices: int = 0
    shadows: bool = True
    drops: bool = False
    panel: bool = True
    sound: bool = False
    help: bool = False
    help_page: int = 0

    def toggle(self, name: str) -> bool:
        """Turn a switch on or off; returns its new value."""
        setattr(self, name, not getattr(self, name))
        return bool(getattr(self, name))


_WORDS = ("plots", "trails", "arrows", "contacts", "ghosts", "drops")
_COLORS = {"speed": 1, "energy": 2, "impacts": 3, "state": 4}


def options_of(words: str | Iterable[str]) -> Options:
    """The options named by words, several or separated by commas.

    ValueError for unknown words, TypeError for what is none.
    """
    options = Options()
    is_one = isinstance(words, str) or not isinstance(words, Iterable)
    several: list[Any] = [words] if is_one else list(words)
    if not all(isinstance(part, str) for part in several):
        raise TypeError(f"must be words such as 'trails,speed', not {words!r}")
    for word in filter(None, (part.strip() for part in ",".join(several).split(","))):
        if word in _WORDS:
            options.toggle(word)
        elif word in _COLORS:
            options.color = _COLORS[word]
        elif word == "bare":
            options.numbers = False
        else:
            known = ", ".join((*_WORDS, *_COLORS, "bare"))
            raise ValueError(f"must be one of {known}, not {word!r}")
    return options
