"""The renderer: draws a picture in the right order into a framebuffer of our own."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from pyglet import gl

from spheresim.numerics.arrays import Floats
from spheresim.obstacles.driven_walls.frame import Frame
from spheresim_viewer.draw.blobs import Blobs
from spheresim_viewer.draw.buffers import Attributes, UniformBlock
from spheresim_viewer.draw.lamp import lamp_view
from spheresim_viewer.draw.primitives import Discs, LineSegments, Primitives, merged
from spheresim_viewer.draw.programs import FRAME_BINDING, load_program
from spheresim_viewer.draw.room import Room
from spheresim_viewer.draw.spheres import DrawnBalls, Spheres, small_on_screen
from spheresim_viewer.draw.surfaces import ObstacleMeshes, Surfaces
from spheresim_viewer.draw.target import DepthMap, Framebuffer
from spheresim_viewer.stage.stage import Stage
from spheresim_viewer.stage.surface import Surface
from spheresim_viewer.stage.surface_attributes import GHOST

_SAMPLES = 4
_SHADOW_TEXELS = 2048
_STRAIGHT_DOWN = 0.42
"""How dark the soft shadow below a ball is at most."""

_FRAME = np.dtype(
    [
        ("view", "4f4", 4),
        ("projection", "4f4", 4),
        ("light_view", "4f4", 4),
        ("eye", "4f4"),
        ("light", "4f4"),
        ("up", "4f4"),
        ("screen", "4f4"),
    ]
)

_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "swiftshader", "software")


@dataclass
class Picture:
    """What a picture shows, in stage units (see `Stage.to_units`).

    view, projection: shape (4, 4), for column vectors; eye, up, and the direction to the lamp:
    shape (3,); centre (n, 3) and
    radius (n, 1), float32, and color (n, 4), uint8: of the balls; ghosts: whether offset
    primitives are shown; pixel_ratio: pixels per point of text and lines.
    """

    view: Floats
    projection: Floats
    eye: Floats
    up: Floats
    lamp: Floats
    centre: npt.NDArray[np.float32]
    radius: npt.NDArray[np.float32]
    color: npt.NDArray[np.uint8]
    segments: list[LineSegments] = field(default_factory=list)
    discs: list[Discs] = field(default_factory=list)
    over: list[LineSegments | Discs] = field(default_factory=list)
    """Glyphs that nothing hides."""
    moved: list[Surface] = field(default_factory=list)
    """The surfaces of the obstacles that move, where they are."""
    placed: tuple[Frame, ...] = ()
    """Where these are, to compare with where they were."""
    near: Any = None
    """What balls darken, a `Nearness`; None leaves that out."""
    ghosts: bool = False
    ghost_balls: Any = None
    """Centres (m, 3), radii (m, 1) and colors (m, 4), uint8, of translucent balls; or None."""
    shadows: bool = True
    pixel_ratio: float = 1.0


class Renderer:
    """Draws pictures into `frame`, of a size in pixels, with the current OpenGL context."""

    def __init__(self, width: int, height: int) -> None:
        self._frame_block = UniformBlock(_FRAME, FRAME_BINDING)
        self._background = load_program("background")
        self._nothing = Attributes(self._background)
        self._nothing.count = 3
        self._spheres = Spheres()
        self._ghost_spheres = Spheres()
        self._still, self._moving = ObstacleMeshes(), ObstacleMeshes()
        self._stage: Any = None
        self._placed: tuple[Frame, ...] = ()
        self._blobs = Blobs()
        self._room = Room()
        self._ghosts = Surfaces(GHOST)
        self._segments = Primitives("segment")
        self._discs = Primitives("disc")
        self._shadow_map: DepthMap | None = None
        self._share = 1.0
        self._many = Framebuffer(width, height, _SAMPLES)
        self._coarse: Framebuffer | None = None
        self.frame = Framebuffer(width, height, 0)

    def resize(self, width: int, height: int) -> None:
        """Change the size of pictures, in pixels."""
        self.frame.delete()
        self.frame = Framebuffer(width, height, 0)
        self._draw_at(1.0)

    def _draw_at(self, share: float) -> None:
        """Draw scenes with that share of all pixels from now on."""
        self._share = share
        self._many.delete()
        if self._coarse is not None:
            self._coarse.delete()
        self._room.forget()
        width, height = (max(1, round(side * math.sqrt(share))) for side in self.frame.size)
        self._many = Framebuffer(width, height, _SAMPLES)
        self._coarse = Framebuffer(width, height, 0) if share < 1.0 else None

    def set_stage(self, stage: Stage, ghost_radius: float) -> None:
        """Upload the obstacles of a stage, and their offset primitives for balls of a radius.

        Those that move come with each picture, and have no offset primitives.
        """
        self._stage, self._placed = stage, ()
        surfaces = [s for s in stage.surfaces() + stage.cuts() if s.index not in stage.moving]
        self._still.upload(stage, surfaces)
        self._moving.upload(stage, [])
        self._room.forget()
        ghosts = [s for s in stage.surfaces(ghost_radius) if s.index not in stage.moving]
        self._ghosts.upload(stage, ghosts)

    def draw(self, picture: Picture, balls: Any = None, share: float = 1.0) -> Framebuffer:
        """Draw a picture. Returns its framebuffer, still bound, so that more can be drawn on it.

        balls: draws the balls in place of the impostors; for benchmarks. share: of all pixels;
        with fewer than all it is drawn smaller and enlarged.
        """
        # Set up, and the shadow map
        if share != self._share:
            self._draw_at(share)
        self._set_frame(picture)
        if picture.placed != self._placed:
            self._placed = picture.placed
            self._moving.upload(self._stage, picture.moved)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glDisable(gl.GL_BLEND)
        self._upload_spheres(picture)
        if picture.shadows:
            self._draw_shadows()
        # Opaque: the room, what balls darken of it, and the balls
        self._draw_room(picture)
        if picture.near is not None and len(picture.near.shadowing) and not picture.ghosts:
            self._draw_blobs(picture, picture.near)
        self._draw_spheres(picture) if balls is None else balls.draw()
        if picture.ghost_balls is not None:
            self._draw_ghost_spheres(*picture.ghost_balls)
        # Translucent: offset primitives and glyphs
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._draw_translucent(picture)
        # Average the samples
        if self._coarse is None:
            self._many.copy_to(self.frame)
        else:
            self._many.copy_to(self._coarse)
            self._coarse.copy_to(self.frame)
            self._frame_block.values["screen"][:2] = self.frame.size  # for what is drawn over it
            self._frame_block.upload()
        gl.glViewport(0, 0, *self.frame.size)
        gl.glDisable(gl.GL_DEPTH_TEST)
        return self.frame

    def draw_background(self, target: Framebuffer | None = None) -> Framebuffer:
        """Draw a picture with nothing but the background."""
        target = target or self.frame
        values = self._frame_block.values
        values["screen"] = (*target.size, 1.0, 1.0)
        self._frame_block.upload()
        target.bind()
        gl.glDisable(gl.GL_DEPTH_TEST)
        self._background.use()
        self._nothing.draw()
        return target

    def _set_frame(self, picture: Picture) -> None:
        values = self._frame_block.values
        light, light_view = picture.lamp, lamp_view(picture.up, picture.lamp)
        values["view"] = picture.view.T
        values["projection"] = picture.projection.T
        values["light_view"] = light_view.T
        values["eye"][:3] = picture.eye
        turn = picture.view[:3, :3]
        values["light"] = (*(turn @ light), float(picture.shadows))
        width, height = self._many.size
        pixel = 2.0 / (picture.projection[1, 1] * height)
        values["up"] = (*(turn @ picture.up), pixel)
        ratio = picture.pixel_ratio * math.sqrt(self._share)
        values["screen"] = (width, height, ratio, 2.0 / _SHADOW_TEXELS)
        self._frame_block.upload()

    def draw_flat(self, draw_over: Callable[[], object]) -> Framebuffer:
        """Draw the background, then call `draw_over`, with antialiased edges and all pixels."""
        self.draw_background(self._many)
        draw_over()
        self._many.copy_to(self.frame)
        return self.frame

    def _upload_spheres(self, picture: Picture) -> None:
        is_small = small_on_screen(picture, self._many.size)
        hidden = np.tile(np.array((0, 0, 0, 1), np.float32), (len(picture.centre), 1))
        if picture.near is not None:
            hidden = picture.near.neighbours
        balls = DrawnBalls(picture.centre, picture.radius, picture.color, hidden)
        self._spheres.upload(balls, is_small, picture.shadows)

    def _draw_room(self, picture: Picture) -> None:
        """Draw all that stands still, or copy it if it was the same in the last picture."""
        if picture.shadows:  # which move
            self._many.bind()
            self._draw_surfaces(True)
        elif not self._room.copy_to(self._many, _view(picture), _SAMPLES, self._draw_surfaces):
            self._draw_surfaces()

    def _draw_blobs(self, picture: Picture, near: Any) -> None:
        """Darken the room where balls are near it."""
        opaque = self._still.opaque, self._moving.opaque
        self._room.draw_relief(self._many.size, _view(picture), opaque)
        self._many.bind()
        self._room.relief.bind_texture()
        self._blobs.draw(near, 0.0 if picture.shadows else _STRAIGHT_DOWN)
        if picture.shadows and self._shadow_map is not None:
            self._shadow_map.bind_texture(0)

    def _draw_surfaces(self, shadows: bool = False) -> None:
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        self._still.opaque.draw(shadows)
        self._moving.opaque.draw(shadows)
        self._draw_background()

    def _draw_shadows(self) -> None:
        if self._shadow_map is None:
            self._shadow_map = DepthMap(_SHADOW_TEXELS)
        self._shadow_map.bind()
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        self._spheres.draw_shadows()
        self._still.opaque.draw_shadows()
        self._moving.opaque.draw_shadows()
        self._shadow_map.bind_texture(0)

    def _draw_background(self) -> None:
        gl.glDepthMask(False)
        self._background.use()
        self._nothing.draw()  # at the far plane, so it fills only empty pixels
        gl.glDepthMask(True)

    def _draw_spheres(self, picture: Picture) -> None:
        if not picture.ghosts:
            self._spheres.draw(shadows=picture.shadows)
            return
        self._spheres.draw(scale=0.16)  # a point, compared with the offset primitive
        self._spheres.draw(opacity=0.4)

    def _draw_ghost_spheres(
        self, centre: Floats, radius: Floats, color: npt.NDArray[np.uint8]
    ) -> None:
        open_sky = np.tile(np.array((0, 0, 0, 1), np.float32), (len(centre), 1))
        shape = np.ascontiguousarray(centre, np.float32), np.ascontiguousarray(radius, np.float32)
        balls = DrawnBalls(*shape, color, open_sky)
        self._ghost_spheres.upload(balls, np.zeros(len(centre), np.bool_), False)
        self._ghost_spheres.draw(opacity=0.4)

    def _draw_translucent(self, picture: Picture) -> None:
        gl.glDepthMask(False)
        for meshes in (self._still, self._moving):
            meshes.panes.draw()
            meshes.shells.draw()
        if picture.ghosts:
            self._ghosts.draw()
        self._segments.draw(merged(LineSegments, picture.segments))
        self._discs.draw(merged(Discs, picture.discs))
        gl.glDisable(gl.GL_DEPTH_TEST)
        for group in picture.over:
            (self._discs if isinstance(group, Discs) else self._segments).draw(group)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthMask(True)


def _view(picture: Picture) -> tuple[object, ...]:
    """What tells one view of the room from another."""
    return (
        *(picture.view.tobytes(), picture.projection.tobytes(), picture.pixel_ratio),
        *picture.placed,
    )


def has_gpu() -> bool:
    """Whether the current OpenGL context uses a graphics card, not only the processor."""
    name = gl.gl_info.get_renderer().lower()
    return not any(word in name for word in _SOFTWARE)
