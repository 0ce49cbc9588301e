"""The usual way to draw balls, to be measured against: one mesh, drawn once for each."""

from typing import Any

import numpy as np
from pyglet import gl
from pyglet.graphics.shader import Shader, ShaderProgram
from spheresim_viewer.draw.programs import FRAME_BINDING
from spheresim_viewer.draw.shader_includes import source

_VERTEX = """#version 330 core
#include "frame.glsl"
in vec3 corner;
in vec3 centre;
in float radius;
in vec4 color;
out vec3 at;
out vec3 outwards;
flat out vec3 tint;
void main() {
    at = (view * vec4(centre + corner * radius, 1.0)).xyz;
    outwards = mat3(view) * corner;
    tint = color.rgb * color.rgb;
    gl_Position = projection * vec4(at, 1.0);
}
"""
_FRAGMENT = """#version 330 core
#include "frame.glsl"
#include "light.glsl"
in vec3 at;
in vec3 outwards;
flat in vec3 tint;
out vec4 color;
void main() {
    color = vec4(shade(tint, at, normalize(outwards), normalize(at), 0.35, 1.0), 1.0);
}
"""


class MeshBalls:
    """Icospheres of 80 triangles, with the interface of `viewer.draw.spheres.Spheres`."""

    def __init__(self) -> None:
        self._program: Any = ShaderProgram(
            Shader(source(_VERTEX), "vertex"), Shader(source(_FRAGMENT), "fragment")
        )
        self._program.uniform_blocks["Frame"].set_binding(FRAME_BINDING)
        self._vertex_array = gl.GLuint()
        gl.glGenVertexArrays(1, self._vertex_array)
        self._buffers = (gl.GLuint * 4)()
        gl.glGenBuffers(4, self._buffers)
        self._corners = icosphere()
        self._fill(0, "corner", self._corners, 0)
        self._count = 0

    def upload(self, centre: Any, radius: Any, color: Any) -> None:
        """Replace centres (n, 3), radii (n, 1) and colors (n, 4)."""
        arrays = {"centre": centre, "radius": radius, "color": color}
        for k, (name, array) in enumerate(arrays.items(), start=1):
            self._fill(k, name, array, 1)
        self._count = len(centre)

    def draw(self) -> None:
        """Draw all."""
        self._program.use()
        gl.glBindVertexArray(self._vertex_array)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glDrawArraysInstanced(gl.GL_TRIANGLES, 0, len(self._corners), self._count)
        gl.glDisable(gl.GL_CULL_FACE)

    def _fill(self, k: int, name: str, array: Any, divisor: int) -> None:
        gl.glBindVertexArray(self._vertex_array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffers[k])
        data, usage = array.ctypes.data, gl.GL_STREAM_DRAW
        gl.glBufferData(gl.GL_ARRAY_BUFFER, array.nbytes, data, usage)
        location = self._program.attributes[name]["location"]
        kind = gl.GL_FLOAT if array.dtype == np.float32 else gl.GL_UNSIGNED_BYTE
        gl.glEnableVertexAttribArray(location)
        gl.glVertexAttribPointer(location, array.shape[1], kind, kind != gl.GL_FLOAT, 0, 0)
        gl.glVertexAttribDivisor(location, divisor)


def icosphere() -> Any:
    """The corners (240, 3) of an icosahedron's triangles, each cut into four, on the sphere."""
    golden = 0.5 * (1.0 + 5.0**0.5)
    points = np.array(
        [
            np.roll((0.0, a, b * golden), shift)
            for shift in range(3)
            for a in (-1, 1)
            for b in (-1, 1)
        ]
    )
    near = np.linalg.norm(points[:, None] - points, axis=2) < 2.1
    triangles = []
    for i in range(12):
        for j in range(i + 1, 12):
            for k in range(j + 1, 12):
                if near[i, j] and near[j, k] and near[i, k]:
                    a, b, c = points[[i, j, k]]
                    if np.dot(np.cross(b - a, c - a), a) < 0.0:
                        b, c = c, b
                    ab, bc, ca = a + b, b + c, c + a
                    a, b, c, ab, bc, ca = (p / np.linalg.norm(p) for p in (a, b, c, ab, bc, ca))
                    triangles += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.array(triangles, dtype=np.float32).reshape(-1, 3)
