"""Shader programs, each from two files; `#include "NAME"` is replaced by that file."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from pyglet.graphics.shader import Shader, ShaderProgram

_SHADERS = Path(__file__).parent / "shaders"
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)

FRAME_BINDING = 1
"""The binding of the uniform block `Frame` in all programs (pyglet itself uses 0)."""


def load_program(vertex: str, fragment: str | None = None, *, define: str = "") -> Any:
    """The program of VERTEX.vert and FRAGMENT.frag; one name is enough if both have the same.

    define: a word that both are compiled with. A processor that draws runs both sides of every
    `if`, so what is switched off must not even be in the program.
    """
    program: Any = ShaderProgram(
        Shader(_with(define, _read(f"{vertex}.vert")), "vertex"),
        Shader(_with(define, _read(f"{fragment or vertex}.frag")), "fragment"),
    )
    if "Frame" in program.uniform_blocks:
        program.uniform_blocks["Frame"].set_binding(FRAME_BINDING)
    return program


def _with(define: str, text: str) -> str:
    version, rest = text.split("\n", 1)
    return f"{version}\n#define {define}\n{rest}" if define else text


def source(text: str) -> str:
    """A shader's text with its includes replaced."""
    return _INCLUDE.sub(lambda match: _read(match[1]), text)


@cache
def _read(name: str) -> str:
    return source((_SHADERS / name).read_text(encoding="utf-8"))
