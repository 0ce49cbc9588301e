"""The view of a scene: a player, a camera and display options, which make one picture."""

from typing import Any

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim_viewer import coloring, glyphs
from spheresim_viewer.camera import Camera
from spheresim_viewer.draw.renderer import Picture
from spheresim_viewer.draw.spheres import sphere_colors
from spheresim_viewer.options import Options
from spheresim_viewer.stage import Stage
from spheresim_viewer.stage.images import wrapped
from spheresim_viewer.timeline.impact_rows import selected_rows
from spheresim_viewer.timeline.player import Player
from spheresim_viewer.trails import Trails

_FADE_SECONDS = 0.35
"""How long explosions and contacts stay visible, in seconds at the scene's natural speed."""
_GLOW_SECONDS = 0.6
_TRAIL_SECONDS = 0.025
_MOST_MARKS = 100
_LEAST_CONTACT = 0.015
_MOST_ARROWS = 500
"""More would hide each other: with more balls, only every second, third, … gets one."""


class SceneView:
    """A scene or run that is being watched."""

    def __init__(self, player: Player, options: Options, camera: Camera | None = None) -> None:
        snapshot = player.snapshot
        scene = snapshot.scene
        assert scene is not None
        self.player = player
        self.options = options
        self.title = scene.title
        self.name = scene.name
        self._box = scene.box if scene.box is not None and scene.box.is_periodic else None
        self.stage = self._stage(scene, snapshot)
        self.camera = Camera(self.stage) if camera is None else camera
        self.trails = Trails(_TRAIL_SECONDS * player.natural_speed)
        self.picked: int | None = None
        self.dragged: Any = None
        self._outlines = glyphs.outlines(self.stage, self.stage.surfaces(), self._box)
        self._own_colors: tuple[Any, Any] = (None, None)

    def _stage(self, scene: Any, snapshot: Any) -> Stage:
        """The part of the world that is shown; all of a periodic box."""
        radius = snapshot.world.radius
        return Stage.of(scene.obstacles, self.position, radius, scene.gravity, self._box)

    @property
    def caption(self) -> str:
        """The words in the window's title bar."""
        player, state = self.player, "running" if self.player.running else "paused"
        picked = "" if self.picked is None else f" - {player.snapshot.names[self.picked]}"
        return f"{self.title} - t = {player.time:.10g} - {state}{picked}"

    @property
    def position(self) -> Any:
        """Where balls are shown, shape (n, 3): in a periodic box all inside it."""
        return self._wrapped(self.player.snapshot.position)

    def _wrapped(self, places: Any) -> Any:
        return wrapped(places, self._box)

    @property
    def ghost_radius(self) -> float:
        """The radius of the offset primitives: the picked ball's, or the median."""
        radius = self.player.snapshot.world.radius
        return float(radius[self.picked] if self.picked is not None else np.median(radius))

    def update(self, seconds: float) -> None:
        """Let wall-clock time pass for the player and the camera."""
        self.player.update(seconds)
        snapshot = self.player.snapshot
        if self.picked is not None and self.picked >= len(snapshot.position):
            self.picked = None
        position = self.position
        self.trails.remember(snapshot.time, position)
        self.camera.update(seconds, position, snapshot.velocity, snapshot.world.radius)

    def pick(self, index: int | None) -> None:
        """Pick a ball, or none."""
        self.picked = index

    def picture(self, width: int, height: int, pixel_ratio: float) -> Picture:
        """What is to be drawn at the present time."""
        # Positions, with a dragged ball at the mouse
        snapshot = self.player.snapshot
        position = self.position
        if self.dragged is not None and self.picked is not None:
            position = position.copy()
            position[self.picked] = self.dragged
        # In stage units, as the renderer takes them
        view, projection = self.camera.matrices(width / height)
        centre = self.stage.to_units(position)
        radius = snapshot.world.radius[:, None] / self.stage.size
        picture = Picture(
            view=view,
            projection=projection,
            eye=self.camera.eye,
            up=np.asarray(self.stage.up),
            centre=np.ascontiguousarray(centre, np.float32),
            radius=np.ascontiguousarray(radius, np.float32),
            color=self._colors(snapshot),
            segments=[self._outlines],
            ghosts=self.options.ghosts,
            shadows=self.options.shadows,
            pixel_ratio=pixel_ratio,
        )
        self._add_glyphs(picture, snapshot, centre, radius)
        return picture

    def scale_end(self, snapshot: Any) -> tuple[float, str]:
        """The end of the color scale, and what it shows; 0 if colors are no scale."""
        mode = coloring.MODES[self.options.color]
        if mode == "speed":
            return coloring.rounded_up(_robust_largest(_speed(snapshot))), "speed"
        if mode == "energy":
            return coloring.rounded_up(_robust_largest(_energy(snapshot))), "kinetic energy"
        return 0.0, ""

    def _colors(self, snapshot: Any) -> Any:
        """The colors of the balls, shape (n, 4), uint8."""
        mode = coloring.MODES[self.options.color]
        if mode == "identity":
            if self._own_colors[0] is not snapshot.colors:
                own = sphere_colors(coloring.identity_colors(snapshot.colors))
                self._own_colors = snapshot.colors, own
            return self._own_colors[1]
        if mode == "last impact":
            fade = _GLOW_SECONDS * self.player.natural_speed
            return sphere_colors(coloring.impact_colors(self._since_impact(snapshot, fade), fade))
        if mode == "state":
            return sphere_colors(coloring.STATE_COLORS[snapshot.states])
        values = _speed(snapshot) if mode == "speed" else _energy(snapshot)
        return sphere_colors(coloring.scale_colors(values, self.scale_end(snapshot)[0]))

    def _since_impact(self, snapshot: Any, fade: float) -> Any:
        """Time since each ball's last impact; inf if longer than `fade`."""
        impacts = self.player.impacts_at(snapshot.time, fade)
        impacts = selected_rows(impacts, impacts.kind <= OBSTACLE)
        last = np.full(len(snapshot.position), -np.inf)
        np.maximum.at(last, impacts.i, impacts.t)
        between = impacts.kind == BALL
        np.maximum.at(last, impacts.other[between], impacts.t[between])
        return snapshot.time - last

    def _add_glyphs(self, picture: Picture, snapshot: Any, centre: Any, radius: Any) -> None:
        options, stage = self.options, self.stage
        if options.arrows:
            largest = coloring.rounded_up(_robust_largest(_speed(snapshot)))
            some = slice(None, None, 1 + len(centre) // _MOST_ARROWS)
            picture.segments.append(
                glyphs.arrows(centre[some], snapshot.velocity[some], radius[some], largest)
            )
        if options.trails:
            paths, whose = self.trails.paths(self.position, self.picked)
            colors = picture.color[whose, :3] / 255.0
            units = stage.to_units(paths.reshape(-1, 3)).reshape(paths.shape)
            picture.segments.append(glyphs.trails(units, colors))
        if self.picked is not None and self.camera.riding != self.picked:
            picture.discs.append(glyphs.halo(centre[self.picked], float(radius[self.picked, 0])))
        self._show_impacts(picture, snapshot)

    def _shown(self, impacts: Any) -> Any:
        """The newest impacts, moved to where balls are shown in a periodic box."""
        chosen = selected_rows(impacts, np.flatnonzero(impacts.kind <= OBSTACLE)[-_MOST_MARKS:])
        chosen.point[:] = self._wrapped(chosen.point)
        return chosen

    def _show_impacts(self, picture: Picture, snapshot: Any) -> None:
        fade = _FADE_SECONDS * self.player.natural_speed
        radius = snapshot.world.radius
        if self.options.explosions or self.options.contacts:
            impacts = self._shown(self.player.impacts_at(snapshot.time, fade))
            # If there are more, the oldest that are shown are invisible.
            if len(impacts.t) == _MOST_MARKS:
                fade = max(snapshot.time - impacts.t[0], 1e-300)
            age = np.clip((snapshot.time - impacts.t) / fade, 0.0, 1.0)
            if self.options.explosions:
                picture.discs.append(glyphs.explosions(self.stage, impacts, radius, age))
            if self.options.contacts:
                segments, discs = glyphs.contacts(self.stage, impacts, radius, age)
                picture.segments.append(segments)
                picture.discs.append(discs)
        here = self._shown(self.player.impacts_now())
        if len(here.t):
            now = np.zeros(len(here.t))
            picture.over += glyphs.contacts(self.stage, here, radius, now, _LEAST_CONTACT)


def _speed(snapshot: Any) -> Any:
    return np.sqrt(np.einsum("ij,ij->i", snapshot.velocity, snapshot.velocity))


def _energy(snapshot: Any) -> Any:
    return 0.5 * snapshot.world.mass * _speed(snapshot) ** 2


def _robust_largest(values: Any) -> float:
    """The largest value, or the 99th percentile: one fast ball shall not turn all others dark."""
    return float(np.percentile(values, 99.0)) if len(values) > 100 else float(values.max())
