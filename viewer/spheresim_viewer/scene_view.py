"""The view of a scene: a player, a camera and display options, which make one picture."""

from typing import Any

import numpy as np

from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.numerics.arrays import Floats
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.scene.scene import Scene
from spheresim_viewer import coloring, glyphs
from spheresim_viewer.ball_colors import BallColors, speeds
from spheresim_viewer.camera.aim import any_in_sight, look_at_all, look_at_balls
from spheresim_viewer.camera.camera import Camera
from spheresim_viewer.camera.opening_view import opening_angles
from spheresim_viewer.camera.visibility import Scenery
from spheresim_viewer.color_scales import robust_largest
from spheresim_viewer.draw.lamp import lamp_direction
from spheresim_viewer.draw.renderer import Picture
from spheresim_viewer.impact_view import Balls, add_ghosts, add_impact, add_marks, felt
from spheresim_viewer.nearness import nearness
from spheresim_viewer.options import Options
from spheresim_viewer.picking import pick, pick_obstacle
from spheresim_viewer.stage import Stage
from spheresim_viewer.stage.images import wrapped
from spheresim_viewer.stage.moving_surfaces import moved
from spheresim_viewer.stage.surface import Surface
from spheresim_viewer.throw_view import add_throw
from spheresim_viewer.timeline.player import Player
from spheresim_viewer.timeline.sliced_answer import SlicedAnswer, sliced_answer
from spheresim_viewer.timeline.snapshot import Snapshot
from spheresim_viewer.timeline.struck import struck
from spheresim_viewer.trails import Trails

_USUAL_ASPECT = 1.6
_FADE_SECONDS = 0.35
"""How long explosions and contacts stay visible, in seconds at the scene's natural speed."""
_TRAIL_SECONDS = 0.025
_FORECAST_SECONDS = 0.02
"""Seconds of computing that the way of a throw may take in one update."""
_MOST_MARKS = 100
_LEAST_CONTACT = 0.015
_SAMPLE = 500
_CAPTION_SECONDS = 20.0
"""How long a caption stays while time runs."""
_MOST_ARROWS = 500
"""More would hide each other: with more balls, only every second, third, … gets one."""


class SceneView:
    """A scene or run that is being watched."""

    def __init__(
        self,
        player: Player,
        options: Options,
        camera: Camera | None = None,
        aspect: float = _USUAL_ASPECT,
    ) -> None:
        """Look with a camera that is there already, or as the scene says.

        aspect: the picture's width over its height.
        """
        snapshot = player.snapshot
        scene = snapshot.scene
        assert scene is not None
        self.player = player
        self.options = options
        self.title = scene.title
        self.name = scene.name
        self.scene = scene
        self._box = scene.box if scene.box is not None and scene.box.is_periodic else None
        self.stage = self._stage(scene, snapshot)
        self.camera = Camera(self.stage, aspect) if camera is None else camera
        self.trails = Trails(_TRAIL_SECONDS * player.natural_speed)
        self.picked: int | None = None
        self.picked_obstacle: int | None = None
        self.dragged: TVector | None = None
        self.throw: Any = None
        self.was_running = False
        self.has_ended = False
        self._watched = 0.0
        self._surfaces = self.stage.surfaces() + self.stage.cuts()  # as of t = 0
        opening = opening_angles(self.stage, self._surfaces, scene)
        self._lamp = lamp_direction(self.stage.up, opening[0])
        self._sliced: tuple[object, SlicedAnswer | None] | None = None
        still = [s for s in self._surfaces if s.index not in self.stage.moving]
        self._outlines = glyphs.outlines(self.stage, still, self._box)
        self._colors = BallColors(player, self.stage)
        if camera is None:
            self.camera.corner = opening
            options.trails |= scene.view.trails
            options.ghosts |= scene.view.ghosts
            self.look_as_said()
            self.camera.settle()

    def look_as_said(self) -> None:
        """Look at the scene as its file says, or at the whole of it.

        In narrow pictures the eye is further away.
        """
        view, units = self.scene.view, self.stage.to_units
        self.camera.reset()
        if view.camera is not None or view.target is not None:
            if view.camera is None:
                self.camera.settle()  # from where the whole of it would be seen
            eye = self.camera.eye if view.camera is None else units(np.array(view.camera))
            target = np.zeros(3) if view.target is None else units(np.array(view.target))
            further = max(1.0, _USUAL_ASPECT / self.camera.aspect)
            self.camera.place(target + further * (eye - target), target)
        if view.follow is not None:
            self.camera.follow(list(self.player.snapshot.names).index(view.follow))

    def look_at_all(self) -> None:
        """Show the whole stage, and all balls that have left it."""
        look_at_all(self.camera, self.position, self.player.snapshot.world.radius)

    def look_at_impact(self) -> bool:
        """Look at the balls of the present impact, from where they can be seen; False if none."""
        pair = struck(self._shown(self._felt_now()), self.player.snapshot).ball
        if len(pair) == 0:
            return False
        radius = self.player.snapshot.world.radius
        scenery = Scenery(self.stage, self._surfaces)
        look_at_balls(self.camera, scenery, self.position, radius, pair)
        return True

    @property
    def is_at_impact(self) -> bool:
        """Whether time stands still at an impact."""
        return not self.player.running and len(self._felt_now().t) > 0

    @property
    def is_impact_in_sight(self) -> bool:
        """Whether a ball of the present impact is where no panel covers the picture."""
        snapshot = self.player.snapshot
        pair = struck(self._felt_now(), snapshot).ball
        there = self.position[pair], snapshot.world.radius[pair]
        return any_in_sight(self.camera, *there, self.camera.area)

    @property
    def is_caption_read(self) -> bool:
        """Whether the caption was there for long enough; back at the start it comes again."""
        return self._watched > _CAPTION_SECONDS

    @property
    def sliced_answer(self) -> SlicedAnswer | None:
        """The answer of slices beside the present impact, if it is asked for and there is one."""
        slices = self.options.slices
        if slices == 0 or self.player.running:
            return None
        asked = (self.player.time, self.player.settings, slices)
        if self._sliced is None or self._sliced[0] != asked:
            self._sliced = asked, sliced_answer(self.player, slices)
        return self._sliced[1]

    @property
    def is_empty(self) -> bool:
        """Whether no ball is in the picture."""
        position, radius = self.position, self.player.snapshot.world.radius
        some = slice(None, None, 1 + len(position) // _SAMPLE)  # of a crowd some are, or none
        return not (
            any_in_sight(self.camera, position[some], radius[some])
            or any_in_sight(self.camera, position, radius)
        )

    def _stage(self, scene: Scene, snapshot: Snapshot) -> Stage:
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
    def position(self) -> Floats:
        """Where balls are shown, shape (n, 3): in a periodic box all inside it."""
        snapshot = self.player.snapshot
        return wrapped(snapshot.position, self._box, snapshot.time)

    @property
    def ghost_radius(self) -> float:
        """The radius of the offset primitives: the picked ball's, or the median."""
        radius = self.player.snapshot.world.radius
        return float(radius[self.picked] if self.picked is not None else np.median(radius))

    def update(self, seconds: float) -> None:
        """Let wall-clock time pass for the player and the camera."""
        before, was_running = self.player.time, self.player.running
        self.player.update(seconds)
        if self.player.time != before:
            self.throw = None  # it was aimed at another time
        if self.throw is not None:
            self.throw.forecast.go_on(_FORECAST_SECONDS)
        self._watched += seconds if was_running else 0.0
        if self.player.time <= self.player.segments.start:
            self._watched = 0.0
        if was_running and before < self.player.end <= self.player.time:
            self._end()
        snapshot = self.player.snapshot
        if self.picked is not None and self.picked >= len(snapshot.position):
            self.picked = None
        position = self.position
        self.trails.remember(snapshot.time, position)
        self.camera.update(seconds, position, snapshot.velocity, snapshot.world.radius)

    def _end(self) -> None:
        """Stop where the scene ends, or begin again; who starts it again from there may go on."""
        player, end = self.player, self.scene.view.end
        if end == "loop":
            player.seek(player.segments.start)
            player.running = True
            self.trails.forget()
        elif end == "stop" and player.segments.last > player.end:
            player.pause()
            player.seek(player.end)
            self.has_ended = True

    def pick(self, index: int | None) -> None:
        """Pick a ball, or none."""
        self.picked, self.picked_obstacle = index, None

    def pick_along(self, ray: TRay, slope: float) -> None:
        """Pick the ball on a ray, or nearly on it (see `pick`); if none, the obstacle behind."""
        self.pick(pick(ray, self.position, self.player.snapshot.world.radius, slope))
        if self.picked is None:
            surfaces = [s for s in self._surfaces if s.index not in self.stage.moving]
            self.picked_obstacle = pick_obstacle(ray, surfaces + self._moved())

    def _moved(self) -> list[Surface]:
        """The surfaces of the obstacles that move, where they are now."""
        frames = self.player.snapshot.frames
        return [moved(s, frames[s.index]) for s in self._surfaces if s.index in frames]

    def picture(self, width: int, height: int, pixel_ratio: float) -> Picture:
        """What is to be drawn at the present time."""
        # Positions, with a dragged ball at the mouse
        snapshot = self.player.snapshot
        position = self.position
        if self.dragged is not None and self.picked is not None:
            position = position.copy()
            position[self.picked] = self.dragged
        # The balls that are in an impact now
        here = self._shown(self._felt_now())
        pair = struck(here, snapshot)
        lit = pair.ball if len(pair.ball) and not self.player.running else None
        # In stage units, as the renderer takes them
        view, projection = self.camera.matrices(width / height)
        centre = self.stage.to_units(position)
        radius = snapshot.world.radius[:, None] / self.stage.size
        picture = Picture(
            view=view,
            projection=projection,
            eye=self.camera.eye,
            up=np.asarray(self.stage.up),
            lamp=self._lamp,
            centre=np.ascontiguousarray(centre, np.float32),
            radius=np.ascontiguousarray(radius, np.float32),
            color=self._colors.of(snapshot, coloring.MODES[self.options.color], lit),
            segments=[self._outlines],
            moved=self._moved(),
            placed=tuple(snapshot.frames.values()),
            near=nearness(self.stage, position, snapshot.world.radius),
            ghosts=self.options.ghosts,
            shadows=self.options.shadows,
            pixel_ratio=pixel_ratio,
        )
        if picture.moved:
            picture.segments.append(glyphs.outlines(self.stage, picture.moved))
        picture.discs.append(glyphs.rims(self.stage, self.camera.eye))
        self._add_glyphs(picture, snapshot, centre, radius, lit is not None)
        if self.options.drops or self.dragged is not None:
            some = slice(None, _MOST_ARROWS)
            if not self.options.drops:
                some = slice(self.picked, self.picked + 1) if self.picked is not None else some
            drawn, dots = glyphs.drop_lines(self.stage, position[some], snapshot.world.radius[some])
            picture.segments.append(drawn)
            picture.discs.append(dots)
        if self.throw is not None:
            add_throw(picture, self.stage, self.throw)
        if lit is not None:
            balls = Balls(centre, radius)
            add_impact(picture, self.stage, here, pair, balls, self.speed_end)
            if (sliced := self.sliced_answer) is not None:
                add_ghosts(picture, self.stage, sliced, balls)
        return picture

    def scale_end(self) -> tuple[float, str]:
        """The end of the color scale, and what it shows; 0 if colors are no scale."""
        mode = coloring.MODES[self.options.color]
        words = {"speed": "speed", "energy": "kinetic energy"}
        return self._colors.scale_end(mode), words.get(mode, "")

    @property
    def speed_end(self) -> float:
        """The end of the scale of speeds."""
        return self._colors.scale_end("speed")

    def _add_glyphs(
        self,
        picture: Picture,
        snapshot: Snapshot,
        centre: Floats,
        radius: Floats,
        is_at_impact: bool,
    ) -> None:
        options, stage = self.options, self.stage
        if snapshot.orientation is not None:
            some = slice(None, None, 1 + len(centre) // _MOST_ARROWS)
            way = snapshot.orientation[some]
            picture.discs.append(glyphs.spin_marks(centre[some], radius[some], way))
        if options.arrows:
            largest = self.speed_end or coloring.rounded_up(robust_largest(speeds(snapshot)))
            some = slice(None, None, 1 + len(centre) // _MOST_ARROWS)
            picture.segments.append(
                glyphs.arrows(centre[some], snapshot.peculiar_velocity[some], radius[some], largest)
            )
        if options.trails:
            paths, whose = self.trails.paths(self.position, self.picked)
            colors = picture.color[whose, :3] / 255.0
            units = stage.to_units(paths.reshape(-1, 3)).reshape(paths.shape)
            picture.segments.append(glyphs.trails(units, colors))
        if self.picked is not None and self.camera.riding != self.picked:
            picture.discs.append(glyphs.halo(centre[self.picked], float(radius[self.picked, 0])))
        self._show_impacts(picture, snapshot, is_at_impact)

    def _felt_now(self) -> Impacts:
        """The impacts of this instant that can be seen."""
        now = self.player.impacts_now()
        return now.taken(felt(now, self.speed_end))

    def _shown(self, impacts: Impacts) -> Impacts:
        """The newest impacts, moved to where balls are shown in a periodic box."""
        chosen = impacts.taken(np.flatnonzero(impacts.kind <= OBSTACLE)[-_MOST_MARKS:])
        chosen.point[:] = wrapped(chosen.point, self._box, chosen.t)
        return chosen

    def _show_impacts(self, picture: Picture, snapshot: Snapshot, is_at_impact: bool) -> None:
        fade = _FADE_SECONDS * self.player.natural_speed
        radius = snapshot.world.radius
        if (self.options.explosions or self.options.contacts) and not is_at_impact:
            recent = self.player.impacts_at(snapshot.time, fade)
            impacts = self._shown(recent.taken(felt(recent, self.speed_end)))
            # If there are more, the oldest that are shown are invisible.
            if len(impacts.t) == _MOST_MARKS:
                fade = max(snapshot.time - impacts.t[0], 1e-300)
            age = np.clip((snapshot.time - impacts.t) / fade, 0.0, 1.0)
            add_marks(picture, self.stage, impacts, radius, age, self.options)
        here = self._shown(self.player.impacts_now())
        if len(here.t):
            now = np.zeros(len(here.t))
            picture.over += glyphs.contacts(self.stage, here, radius, now, _LEAST_CONTACT)
