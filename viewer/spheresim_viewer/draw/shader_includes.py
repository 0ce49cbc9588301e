"""The text of shaders; `#include "NAME"` is replaced by that file. It needs no OpenGL."""

import re
from functools import cache
from pathlib import Path

_SHADERS = Path(__file__).parent / "shaders"
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def source(text: str) -> str:
    """A shader's text with its includes replaced."""
    return _INCLUDE.sub(lambda match: shader_text(match[1]), text)


@cache
def shader_text(name: str, define: str = "") -> str:
    """The whole text of a file of shaders; define: a word that it is compiled with."""
    text = source((_SHADERS / name).read_text(encoding="utf-8"))
    if not define:
        return text
    version, rest = text.split("\n", 1)
    return f"{version}\n#define {define}\n{rest}"
