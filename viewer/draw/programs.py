"""Shader programs, each from two files; `#include "NAME"` is replaced by that file."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from pyglet.graphics.shader import Shader, ShaderProgram

_SHADERS = Path(__file__).parent / "shaders"
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)

FRAME_BINDING = 1
"""Where all programs find the uniform block `Frame` (pyglet keeps 0 for its own)."""


def load_program(name: str) -> Any:
    """The program of NAME.vert and NAME.frag, for the current OpenGL context."""
    program: Any = ShaderProgram(
        Shader(_source(f"{name}.vert"), "vertex"), Shader(_source(f"{name}.frag"), "fragment")
    )
    if "Frame" in program.uniform_blocks:
        program.uniform_blocks["Frame"].set_binding(FRAME_BINDING)
    return program


@cache
def _source(name: str) -> str:
    text = (_SHADERS / name).read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda match: _source(match[1]), text)
