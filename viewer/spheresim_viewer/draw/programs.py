"""Shader programs, each from two files."""

from pyglet.graphics.shader import Shader, ShaderProgram

from spheresim_viewer.draw.shader_includes import shader_text

FRAME_BINDING = 1
"""The binding of the uniform block `Frame` in all programs (pyglet itself uses 0)."""


def load_program(vertex: str, fragment: str | None = None, *, define: str = "") -> ShaderProgram:
    """The program of VERTEX.vert and FRAGMENT.frag; one name is enough if both have the same.

    define: a word that both are compiled with. A processor that draws runs both sides of every
    `if`, so what is switched off must not even be in the program.
    """
    program: ShaderProgram = ShaderProgram(
        Shader(shader_text(f"{vertex}.vert", define), "vertex"),
        Shader(shader_text(f"{fragment or vertex}.frag", define), "fragment"),
    )
    if "Frame" in program.uniform_blocks:
        program.uniform_blocks["Frame"].set_binding(FRAME_BINDING)
    return program
