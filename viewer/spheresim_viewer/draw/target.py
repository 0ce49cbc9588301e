"""Render targets: framebuffers of our own.

The multisampling of a window differs between drivers. Ours gives the same picture on a
screen, on a virtual screen and without a screen.
"""

import ctypes

import numpy as np
import numpy.typing as npt
from pyglet import gl


class Framebuffer:
    """Color and depth of a size in pixels; with `samples` > 1 it is multisampled."""

    def __init__(self, width: int, height: int, samples: int) -> None:
        self.size = (width, height)
        self._id = gl.GLuint()
        self._attachments = (gl.GLuint * 2)()
        gl.glGenFramebuffers(1, self._id)
        gl.glGenRenderbuffers(2, self._attachments)
        self.bind()
        for buffer, kind, point in zip(
            self._attachments,
            (gl.GL_RGBA8, gl.GL_DEPTH_COMPONENT32F),
            (gl.GL_COLOR_ATTACHMENT0, gl.GL_DEPTH_ATTACHMENT),
            strict=True,
        ):
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
            gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples, kind, width, height)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, point, gl.GL_RENDERBUFFER, buffer)

    def bind(self) -> None:
        """Draw into this from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._id)
        gl.glViewport(0, 0, *self.size)

    def copy_to(self, other: "Framebuffer | None", with_depth: bool = False) -> None:
        """Copy the colors, averaging samples, to another framebuffer, or to the window (None).

        One of another size gets them smoothly enlarged; no samples can be averaged then.
        with_depth: the depths too, to one that has as many samples.
        """
        destination = other._id if other else 0
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._id)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, destination)
        size = other.size if other else self.size
        parts = gl.GL_COLOR_BUFFER_BIT | (gl.GL_DEPTH_BUFFER_BIT if with_depth else 0)
        smooth = gl.GL_NEAREST if size == self.size else gl.GL_LINEAR
        gl.glBlitFramebuffer(0, 0, *self.size, 0, 0, *size, parts, smooth)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, destination)

    def read(self) -> npt.NDArray[np.uint8]:
        """The colors, shape (height, width, 3), the top row first; not if multisampled."""
        width, height = self.size
        pixels = np.empty((height, width, 4), np.uint8)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._id)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        data = pixels.ctypes.data_as(ctypes.c_void_p)
        gl.glReadPixels(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, data)
        return np.ascontiguousarray(pixels[::-1, :, :3])

    def delete(self) -> None:
        """Free the memory."""
        gl.glDeleteFramebuffers(1, self._id)
        gl.glDeleteRenderbuffers(2, self._attachments)


class DepthMap:
    """A square depth texture, for a shadow map."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._id, self._texture = gl.GLuint(), gl.GLuint()
        gl.glGenFramebuffers(1, self._id)
        gl.glGenTextures(1, self._texture)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        kind = (gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, None)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_DEPTH_COMPONENT32F, size, size, 0, *kind)
        for parameter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, parameter, gl.GL_NEAREST)
        for parameter in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, parameter, gl.GL_CLAMP_TO_EDGE)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._id)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, self._texture, 0
        )
        gl.glDrawBuffer(gl.GL_NONE)

    def bind(self) -> None:
        """Draw into this from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._id)
        gl.glViewport(0, 0, self.size, self.size)

    def bind_texture(self, unit: int) -> None:
        """Make it the texture of a unit."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glActiveTexture(gl.GL_TEXTURE0)


class Relief:
    """What is in front at each place of the picture, as four floats, half as fine as its pixels."""

    def __init__(self, width: int, height: int) -> None:
        self.size = ((width + 1) // 2, (height + 1) // 2)
        self._id, self._texture, self._depth = gl.GLuint(), gl.GLuint(), gl.GLuint()
        gl.glGenFramebuffers(1, self._id)
        gl.glGenTextures(1, self._texture)
        gl.glGenRenderbuffers(1, self._depth)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        kind = (0, gl.GL_RGBA, gl.GL_FLOAT, None)
        wide, high = self.size
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA32F, wide, high, *kind)
        for parameter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, parameter, gl.GL_NEAREST)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._depth)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT32F, *self.size)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._id)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self._texture, 0
        )
        gl.glFramebufferRenderbuffer(
            gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, self._depth
        )

    def bind(self) -> None:
        """Clear it, and draw into it from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._id)
        gl.glViewport(0, 0, *self.size)
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)

    def bind_texture(self) -> None:
        """Make it the texture of unit 0."""
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)

    def delete(self) -> None:
        """Free the memory."""
        gl.glDeleteFramebuffers(1, self._id)
        gl.glDeleteTextures(1, self._texture)
        gl.glDeleteRenderbuffers(1, self._depth)
