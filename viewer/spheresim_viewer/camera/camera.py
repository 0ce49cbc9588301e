"""The camera: a turntable around a target, with the horizon always level.

Everything here is in stage units (see `Stage.to_units`). The eye is at

    target + distance · d,   d = cos p (cos y · front + sin y · side) + sin p · up,

for a yaw y and a pitch p. The axes of the view follow from the two angles directly, so looking
straight down is no special case. While a ball is followed, the target is its position plus
an offset that decays. The target is seen in the middle of the area that panels leave free.

Commands set a goal. `update` lets the view approach it as exp(−t/τ), computed exactly, so
that the result does not depend on the number of frames.
"""

import math
from dataclasses import replace

import numpy as np

from spheresim_viewer.camera.framing import WHOLE, Area, Framed, framed
from spheresim_viewer.camera.pose import (
    AZIMUTH,
    ELEVATION,
    HALF,
    Array,
    Pose,
    Turntable,
    shorter,
    to_pitch,
)
from spheresim_viewer.camera.projection import perspective
from spheresim_viewer.camera.ride import RIDE_ABOVE, RIDE_BEHIND, RIDE_EASING, RideState
from spheresim_viewer.stage import Stage

EASING = 0.08  # s, time constant τ of a command
TURNING = math.radians(12.0)  # per second
NEAREST, FURTHEST = 1e-3, 1e3  # distances
FILLED = 0.94  # part of the free area that a framed stage fills
LEAST_RADIUS = 1e-6  # float32 positions of the picture do not resolve less

VIEWS = {  # yaw and pitch
    "front": (0.0, 0.0),
    "right": (math.pi / 2.0, 0.0),
    "top": (0.0, math.pi / 2.0),
}


class Camera:
    """A view of a stage. While `turning` is set it slowly orbits by itself."""

    def __init__(self, stage: Stage, aspect: float = 16.0 / 9.0) -> None:
        self.turning = False
        self.corner = math.radians(AZIMUTH), math.radians(ELEVATION)
        self._aspect = aspect
        self._areas: list[Area] = []
        self.frame(stage)

    def frame(self, stage: Stage) -> None:
        """Show the whole of another stage, without any transition."""
        self.stage = stage
        self._turntable = Turntable(stage.up)
        self._anchor = np.zeros(3)  # position of the ball that is followed or ridden
        self._following: int | None = None
        self._riding: int | None = None
        self._needs_start = False  # `update` has not had the ball's position yet
        self._ride_state = RideState()
        self._present = self._goal = Pose(0.0, 0.0, 1.0, np.zeros(3), np.zeros(2))
        self._subject: Array | None = None  # points (m, 3) that are kept framed
        self.view("corner")
        self.settle()

    # Where it is

    @property
    def direction(self) -> Array:
        """From the target to the eye, unit, shape (3,)."""
        return self._turntable.axes(self._present)[2]

    @property
    def forward(self) -> Array:
        """The direction of view, unit, shape (3,)."""
        return -self.direction

    @property
    def right(self) -> Array:
        """The picture's x-axis, unit, shape (3,)."""
        return self._turntable.axes(self._present)[0]

    @property
    def upward(self) -> Array:
        """The picture's y-axis, unit, shape (3,)."""
        return self._turntable.axes(self._present)[1]

    @property
    def target(self) -> Array:
        """The point that it orbits, stage units, shape (3,)."""
        return self._anchor + self._present.offset

    @property
    def distance(self) -> float:
        """From the eye to the target, stage units."""
        return self._present.distance

    @property
    def eye(self) -> Array:
        """The eye's position, stage units, shape (3,)."""
        return self.target + self.distance * self.direction

    @property
    def following(self) -> int | None:
        """The index of the ball that it follows, or None."""
        return self._following

    @property
    def riding(self) -> int | None:
        """The index of the ball that it rides on, or None."""
        return self._riding

    @property
    def angles(self) -> tuple[float, float]:
        """Yaw and pitch of the view that it goes to."""
        return self._goal.yaw, self._goal.pitch

    @property
    def near(self) -> float:
        """Distance of the near plane."""
        return 0.05 * self.distance

    @property
    def far(self) -> float:
        """Distance of the far plane. It costs little: depth is finest near the eye anyway."""
        return 100.0 * (1.0 + float(np.linalg.norm(self.eye)))

    @property
    def aspect(self) -> float:
        """The window's width over its height."""
        return self._aspect

    @aspect.setter
    def aspect(self, aspect: float) -> None:
        """Keep a framed stage framed; of any other view keep the height."""
        if aspect != self._aspect:
            self._aspect = aspect
            if self._subject is not None:
                before, here = self._goal, self._present
                self._goal = self._framing(before.yaw, before.pitch)
                stretched = here.distance * self._goal.distance / before.distance
                self._present = replace(
                    here,
                    distance=stretched,
                    offset=here.offset + self._goal.offset - before.offset,
                    shift=here.shift + self._goal.shift - before.shift,
                )

    @property
    def shift(self) -> Array:
        """Where in the picture the target is, in normalised device coordinates, shape (2,)."""
        return self._present.shift

    @property
    def area(self) -> Area:
        """The part of the picture that panels leave free, in which the target is the middle."""
        middle = tuple(self._goal.shift)
        return next((area for area in self._areas if area.centre == middle), WHOLE)

    def keep_within(self, areas: list[Area], at_once: bool = False) -> None:
        """Show the target, and what is framed, in the best of the areas that panels leave free.

        at_once: without a transition, as the first time.
        """
        if areas == self._areas:
            return
        at_once, self._areas = at_once or not self._areas, areas
        self._goal = self._framing(self._goal.yaw, self._goal.pitch)
        if at_once and self._subject is not None:
            self._present = self._goal
        elif at_once:
            self._present = replace(self._present, shift=self._goal.shift)

    def matrices(self, aspect: float | None = None) -> tuple[Array, Array]:
        """View and projection, shape (4, 4) each: clip = projection @ view @ (x, y, z, 1).

        As OpenGL has them: the eye looks along −z, and depth goes from −1 (near) to 1 (far).
        """
        if aspect is not None:
            self.aspect = aspect
        view = np.eye(4)
        view[:3, :3] = self._turntable.axes(self._present)
        view[:3, 3] = -view[:3, :3] @ self.eye
        projection = perspective(self._aspect, self.near, self.far, self.shift)
        return view, projection

    # Commands

    def orbit(self, dx: float, dy: float) -> None:
        """Turn the picture to the right by dx and up by dy, radians."""
        self._subject = None
        if self._riding is not None:
            yaw, pitch = self._ride_state.user_turn
            self._ride_state = replace(self._ride_state, user_turn=(yaw - dx, to_pitch(pitch - dy)))
            return
        goal = self._goal
        self._goal = replace(goal, yaw=goal.yaw - dx, pitch=to_pitch(goal.pitch - dy))

    def pan(self, dx: float, dy: float, height: float) -> None:
        """Move the picture, at the target's depth, by pixels of a window of this height."""
        self._subject = None
        goal = self._goal
        right, upward, _ = self._turntable.axes(goal)
        pixel = 2.0 * HALF * goal.distance / height
        self._goal = replace(goal, offset=goal.offset - pixel * (dx * right + dy * upward))

    def zoom(self, factor: float, cursor: tuple[float, float] | None = None) -> None:
        """Divide the distance by a factor; the point under the cursor stays where it is.

        The cursor is given in normalised device coordinates, the point is at the target's
        depth. Without a cursor, and while a ball is followed, it is the target.
        """
        self._subject = None
        goal = self._goal
        least = min(NEAREST, goal.distance)  # riding on a tiny ball it may be nearer already
        most = max(FURTHEST, goal.distance)
        distance = min(max(goal.distance / factor, least), most)
        offset = goal.offset
        if self._tracked is None and cursor is not None:
            right, upward, _ = self._turntable.axes(goal)
            x, y = np.array(cursor) - goal.shift
            across = x * self._aspect * right + y * upward
            offset = offset + HALF * (goal.distance - distance) * across
        self._goal = replace(goal, distance=distance, offset=offset)

    def view(self, name: str) -> None:
        """Frame the stage from the "front", the "right", the "top" or a "corner"."""
        yaw, pitch = self.corner if name == "corner" else VIEWS[name]
        self.frame_points(self.stage.to_units(self.stage.subject), yaw, pitch)

    def frame_points(self, points: Array, yaw: float, pitch: float) -> None:
        """Show all of some points, (m, 3) in stage units, as large as possible, from a side."""
        self._attach(None, None)
        self._subject = points
        self._goal = self._framing(self._present.yaw + shorter(yaw - self._present.yaw), pitch)

    def reset(self) -> None:
        """Go back to the first view."""
        self.turning = False
        self.view("corner")

    def follow(self, index: int | None) -> None:
        """Keep a ball in the middle of the picture; None stops that and keeps the view."""
        self._attach(index, None)

    def ride(self, index: int | None) -> None:
        """Fly along behind a ball, looking where it flies; None stops that and keeps the view."""
        self._attach(None, index)

    def place(self, eye: Array, target: Array) -> None:
        """Look from one point at another, each (3,) in stage units; nothing is followed."""
        self._attach(None, None)
        self._subject = None
        self._goal = self._turntable.pose(eye, target, self._goal.shift)

    def settle(self) -> None:
        """Go to the goal at once."""
        self._present = self._goal

    # Time

    def update(
        self,
        dt: float,
        position: Array | None = None,
        velocity: Array | None = None,
        radius: Array | None = None,
    ) -> None:
        """Let dt seconds pass; position (n, 3), velocity (n, 3), radius (n,) in world units."""
        # The goal moves with a ball that is followed
        if position is not None and velocity is not None and radius is not None:
            self._track_ball(position, velocity, radius)
        # The view approaches the goal
        is_riding = self._riding is not None
        turn_left = math.exp(-dt / (RIDE_EASING if is_riding else EASING))
        move_left = math.exp(-dt / EASING)
        here, goal = self._present, self._goal
        if self.turning and not is_riding:  # goal and view turn alike
            here, goal = (replace(pose, yaw=pose.yaw + TURNING * dt) for pose in (here, goal))
        self._goal = goal
        self._present = here.approached(goal, turn_left, move_left)

    @property
    def _tracked(self) -> int | None:
        """The ball that is followed or ridden on, or None."""
        return self._following if self._riding is None else self._riding

    def _attach(self, following: int | None, riding: int | None) -> None:
        """Follow or ride a ball, from the next `update` on; or none, and keep the present view."""
        if self._tracked is not None:
            self._present = replace(self._present, offset=self.target)
            self._goal, self._anchor = self._present, np.zeros(3)
        self._following, self._riding = following, riding
        self._needs_start = self._tracked is not None

    def _track_ball(self, position: Array, velocity: Array, radius: Array) -> None:
        """Move with the tracked ball; stop tracking if it does not exist any more."""
        index = self._tracked
        if index is None:
            return
        if not 0 <= index < len(position):
            self._attach(None, None)
            return
        place = self.stage.to_units(position[index])
        if self._needs_start:
            self._start_tracking(place, float(radius[index]) / self.stage.size)
        self._anchor = place
        if self._riding is not None:
            self._turn_into_flight(velocity[index])

    def _start_tracking(self, place: Array, radius: float) -> None:
        """Aim at a ball. The picture does not jump: the view approaches the ball from now on."""
        self._needs_start, self._subject = False, None
        self._present = replace(self._present, offset=self.target - place)
        self._goal = replace(self._goal, offset=np.zeros(3))
        if self._riding is not None:
            radius = max(radius, LEAST_RADIUS)
            above = RIDE_ABOVE * radius * self._turntable.up
            self._goal = replace(self._goal, distance=RIDE_BEHIND * radius, offset=above)
            self._ride_state = RideState(self._goal.yaw, self._goal.pitch)

    def _turn_into_flight(self, velocity: Array) -> None:
        """Turn the goal into the direction of flight, and as the user turned from it."""
        ride = self._ride_state = self._ride_state.turned_along(self._turntable, velocity)
        turn = shorter(ride.yaw + ride.user_turn[0] - self._present.yaw)
        pitch = to_pitch(ride.pitch + ride.user_turn[1])
        self._goal = replace(self._goal, yaw=self._present.yaw + turn, pitch=pitch)

    def seen_from(self, points: Array, yaw: float, pitch: float) -> tuple[Array, Array]:
        """The axes (3, 3) of the view in which points (m, 3) are framed from a side; the eye."""
        axes = np.array(self._turntable.axes(replace(self._goal, yaw=yaw, pitch=pitch)))
        eye, _ = self._best_fit(axes @ points.T)
        return axes, np.array([eye.right, eye.up, eye.distance]) @ axes

    def _best_fit(self, points: Array) -> tuple[Framed, Area]:
        """The eye in the free area in which points, (3, m) along the view's axes, are largest."""
        areas = self._areas or [WHOLE]
        fits = [(framed(points, self._aspect, area, FILLED), area) for area in areas]
        return min(fits, key=lambda fit: fit[0].distance)

    def _framing(self, yaw: float, pitch: float) -> Pose:
        """The goal seen from a side: what is framed just fits into the best of the free areas.

        Any other view keeps its place, and moves into the area in which the stage would be largest.
        """
        goal = replace(self._goal, yaw=yaw, pitch=pitch)
        axes = np.array(self._turntable.axes(goal))
        subject = self._subject
        points = self.stage.to_units(self.stage.subject) if subject is None else subject
        eye, area = self._best_fit(axes @ points.T)
        goal = replace(goal, shift=np.array(area.centre))
        if subject is None:
            return goal
        return replace(goal, distance=eye.distance, offset=eye.right * axes[0] + eye.up * axes[1])
