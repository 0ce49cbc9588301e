"""Runs in place of arrays: what functions of the analysis take from a run, by the names they use.

A run is anything with the tables of `Run`; this folder does not import it, for it stands above.
"""

import functools
import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from spheresim.analysis.arrays import SHAPES, checked_arrays
from spheresim.model.frame_arrays import frame_arrays
from spheresim.model.shear_flow import peculiar_velocity
from spheresim.numerics.arrays import Floats, Records

Answer = TypeVar("Answer")


class NotInRunError(ValueError):
    """The run lacks the data for a figure, or the figure is not defined for it; says why."""


class RunArrays:
    """A run's tables as arrays, by the names of the parameters that they stand for.

    t (k,): times of the frames; position, velocity (k, n, 3), see below; mass, radius (n,);
    restitution (n,), None if materials decide on it; angular_velocity (k, n, 3) and inertia (n,),
    None where spins are not followed; gravity (3,); size (3,), of a periodic box; endless (3,):
    whether balls can go on for ever along an axis; shear_rate: of the box, 0 without one; impacts:
    the table. is_lossy: whether impacts take energy; is_accelerated: whether gravity or a field of
    force acts; has_free_flights: whether velocities change at impacts alone, by their impulses.

    Positions and velocities are relative to the flow of a sheared box, or, where there is nothing
    but balls, to the motion of all balls together; those of the scene are in `of_scene`. settled:
    only frames of a gas that has forgotten how it began, from the time on at which `run.json` says
    that measuring began, if it says so and frames are left.
    """

    def __init__(self, run: Any, settled: bool) -> None:
        self._run = run
        scene = run.scene
        n = len(run.balls)
        frames = run.frames[: len(run.frames) // n * n]  # of a killed run the last may be cut
        times = frames.t[::n]
        first = 0
        if settled and run.info.get("measured_impacts"):
            first = int(np.searchsorted(times, run.info["measured_from"]))
        if first == len(times):
            first = 0
        states = frame_arrays(frames[first * n :], n)
        self.t = states.t
        self.of_scene = {"position": states.position, "velocity": states.velocity}
        self.mass, self.radius = run.balls.mass, run.balls.radius
        self.restitution = None if scene.surfaces.materials else run.balls.restitution
        self.gravity = np.array(scene.gravity)
        self.angular_velocity = self.inertia = None
        if scene.has_spin:
            self.angular_velocity = states.angular_velocity
            self.inertia = run.balls.inertia
        self.shear_rate = 0.0 if scene.box is None else scene.box.shear_rate
        self.is_accelerated = scene.is_accelerated
        are_free = not self.is_accelerated and scene.thermostat is None
        self.has_free_flights = are_free and all(o.thermal is None for o in scene.obstacles)
        has_room = len(scene.obstacles) == 0
        self.endless = np.array(has_room if scene.box is None else scene.box.periodic) | has_room
        self._moves_as_whole = are_free and has_room and n > 1

    @cached_property
    def _beside_shear(self) -> Floats:
        """Velocities relative to the flow of a sheared box, (k, n, 3)."""
        return peculiar_velocity(self._run.scene.box, *self.of_scene.values())

    @cached_property
    def _together(self) -> Floats:
        """The velocity of all balls together in each frame, (k, 3)."""
        return np.average(self._beside_shear, axis=1, weights=self.mass)

    @cached_property
    def position(self) -> Floats:
        """See the class."""
        position = self.of_scene["position"]
        if not self._moves_as_whole:
            return position
        return position - np.outer(self.t - self.t[0], self._together.mean(axis=0))[:, None]

    @cached_property
    def velocity(self) -> Floats:
        """See the class."""
        if not self._moves_as_whole:
            return self._beside_shear
        return self._beside_shear - self._together[:, None]

    @cached_property
    def is_lossy(self) -> bool:
        """See the class."""
        world, _ = self._run.scene.world()
        return not world.is_lossless

    @property
    def size(self) -> Floats | None:
        """The lengths of the box, if space is periodic along all axes and nothing stands in it."""
        box = self._run.scene.box
        if box is None or not all(box.periodic) or len(self._run.scene.obstacles) > 0:
            raise NotInRunError("it needs a box that is periodic along x, y and z, and no obstacle")
        return np.array(box.size)

    @property
    def impacts(self) -> Records:
        """The table of impacts between the first and the last of these frames."""
        impacts = self._run.impacts
        if len(impacts) == 0:
            raise NotInRunError("it needs impacts, and the run wrote none")
        first, end = np.searchsorted(impacts.t, (self.t[0], self.t[-1]), side="right")
        return impacts[first:end]


_KNOWN: WeakKeyDictionary[Any, dict[bool, RunArrays]] = WeakKeyDictionary()
"""The arrays of runs that are still referenced."""


def takes_run(
    settled: bool = False,
    of_sheared: bool = False,
    free_flights: bool = False,
    in_flow: bool = True,
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """A decorator: a `Run` as the first argument stands for all arrays that the run has.

    Arrays are checked, and converted to floats, see `checked_arrays`.

    settled: see `RunArrays`. of_sheared: whether it can be measured where the box is sheared; else
    NotInRunError says that it is not. free_flights: whether it needs velocities that change at
    impacts alone, by their impulses. in_flow: whether positions and velocities are relative to the
    flow, or those of the scene.
    """

    def decorate(function: Callable[..., Answer]) -> Callable[..., Answer]:
        signature = inspect.signature(function)
        parameters = signature.parameters

        @functools.wraps(function)
        def measure(*given: Any, **named: Any) -> Answer:
            if not given or not hasattr(given[0], "frames"):
                if given and hasattr(given[0], "velocity"):  # a Simulation, a Trajectory
                    taken = ", ".join(name for name in parameters if name in (*SHAPES, "impacts"))
                    raise TypeError(
                        f"{function.__name__} takes a Run or arrays ({taken}), "
                        f"not a {type(given[0]).__name__}"
                    )
                return function(**checked_arrays(signature.bind(*given, **named).arguments))
            if len(given) > 1:
                raise TypeError(f"{function.__name__}: arguments after a run must be given by name")
            arrays = arrays_of(given[0], settled)
            if not in_flow:
                named = {**arrays.of_scene, **named}
            if arrays.shear_rate != 0.0 and not of_sheared:
                raise NotInRunError("it is not measured in a sheared box")
            if free_flights and not arrays.has_free_flights:
                raise NotInRunError(
                    "it needs velocities that only impacts change: no gravity or other "
                    "acceleration, trap, thermostat or warm obstacle"
                )
            for name, parameter in parameters.items():
                if name in named:
                    continue
                try:
                    named[name] = getattr(arrays, name)
                except AttributeError:  # no array: an option, which has a default
                    continue
                except NotInRunError:
                    if parameter.default is inspect.Parameter.empty:
                        raise
            return function(**checked_arrays(named))

        return measure

    return decorate


def arrays_of(run: Any, settled: bool) -> RunArrays:
    """The arrays of a run, which are kept for as long as the run is."""
    known = _KNOWN.setdefault(run, {})
    if settled not in known:
        known[settled] = RunArrays(run, settled)
    return known[settled]
