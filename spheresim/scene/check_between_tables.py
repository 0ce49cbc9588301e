"""Faults between tables: names used twice, times that do not fit, bodies that overlap."""

from collections.abc import Collection, Iterable, Sequence

from spheresim.analysis.bins import column_of, edges_of
from spheresim.analysis.crossings import COUNTED
from spheresim.analysis.impact_counts import ImpactCounts
from spheresim.contact.thresholds import WAKES_TOO_SOON, Thresholds
from spheresim.engines.catalogue import ENGINE_KINDS, checked_field
from spheresim.model.balls import Balls
from spheresim.model.force_field import HarmonicTrap, with_accelerations
from spheresim.model.labels import Labels
from spheresim.model.materials import Surfaces, unknown_material
from spheresim.model.obstacle import Obstacle
from spheresim.model.periodic_fit import LEAST_PERIOD, motion_misfit, periodic_misfit
from spheresim.model.state import Box
from spheresim.model.thermostat import Thermostat, fault_of_rate
from spheresim.scene.arena import Arena
from spheresim.scene.count import Count
from spheresim.scene.faults import Faults, quoted
from spheresim.scene.fill.spheres import spheres_of
from spheresim.scene.overlap import (
    MOST,
    behind_plane,
    filling,
    overlap_of_balls,
    overlap_with_obstacle,
    overlapping_balls,
    overlapping_in_box,
    overlapping_obstacles,
)
from spheresim.scene.scene import fault_of_frames
from spheresim.scene.view import View

_MOST_STEPS = 1e15
"""Up to so many steps, k·step is another float for each k."""


def check_times(
    duration: float, step: float, frame_every: float, engine: str, faults: Faults
) -> None:
    """Frames fall on steps, and the steps can be counted, if the engine has any."""
    if not ENGINE_KINDS[engine].has_fixed_step:
        return
    if duration / step > _MOST_STEPS:
        faults.add(
            "step",
            f"must be at least {duration / _MOST_STEPS:g}, a 1e15th of duration, not {step!r}",
        )
    if fault := fault_of_frames(frame_every, step):
        faults.add("frame_every", fault)


def check_thresholds(rest: Thresholds, faults: Faults) -> None:
    """What counts as contact must not wake what lies."""
    if rest.wake_height < rest.rest_height:
        faults.add("rest.wake_height", WAKES_TOO_SOON.format(**rest._asdict()))


def check_thermostat(
    thermostat: Thermostat | None, duration: float, balls: int, faults: Faults
) -> None:
    """The meetings of all balls with the heat bath are few enough to be simulated."""
    fault = fault_of_rate(thermostat, balls, duration)
    if fault is not None:
        faults.add("thermostat.rate", fault)


def check_field(
    balls: Balls,
    trap: HarmonicTrap | None,
    engine: str,
    arena: Arena,
    faults: Faults,
) -> None:
    """The accelerations of balls and the trap go with each other, the engine, and what is there."""
    try:
        checked_field(with_accelerations(trap, balls.acceleration), engine, *arena)
    except ValueError as fault:
        faults.add("acceleration" if trap is None else "trap", f"cannot be: {fault}")


def check_count(
    count: Count, balls: Balls, obstacles: Sequence[str], index: int, faults: Faults
) -> None:
    """What is counted can be counted, and kinds of balls are not called as obstacles.

    A warning if kinds are told apart by what no ball has.
    """
    if count.kinds is not None and not getattr(balls, count.kinds).has_any():
        faults.warn(
            f"count[{index}].kinds",
            f"is {quoted(count.kinds)}, but no ball has a {count.kinds}: all are counted as one "
            "kind",
        )
    try:
        if count.gate is None:
            ImpactCounts(count.kinds_of(balls), obstacles, count.of, count.bins)
        else:
            column_of(count.of, count.bins, COUNTED)
            edges_of(count.bins)
    except (TypeError, ValueError) as fault:
        faults.add(f"count[{index}]", f"cannot be: {fault}")


def check_view(view: View, names: Labels, faults: Faults) -> None:
    """The camera looks somewhere, and what it follows is there."""
    if view.camera is not None and view.camera == view.target:
        point = list(view.camera)
        faults.add("view.camera", f"must be another point than view.target, not {point} too")
    if view.follow is not None and view.follow not in names:
        known = ", ".join(quoted(str(names[i])) for i in range(min(len(names), 3)))
        faults.add(
            "view.follow", f"must be the name of a ball, such as {known}, not {quoted(view.follow)}"
        )


def check_materials(
    surfaces: Surfaces, named: Iterable[tuple[str, str | None]], faults: Faults
) -> None:
    """Each material is there that is named; named: fields of the file, and the material of each."""
    known = [material.name for material in surfaces.materials]
    for field, name in dict.fromkeys(named):
        if name is not None and name not in known:
            faults.add(f"{field}.material", unknown_material(name, known))


def check_names(fields: Labels, names: Labels, kind: str, faults: Faults) -> None:
    """No two of a kind have the same name; `fields` says where in the file each comes from."""
    if names.differ():
        return
    first: dict[str | None, str | None] = {}
    for field, name in zip(fields, names, strict=True):
        if name in first:
            faults.add(
                f"{field}.name",
                f"must be that of no other {kind}, but {first[name]} is {quoted(str(name))} too",
            )
        first.setdefault(name, field)


def check_fit(
    obstacles: Sequence[Obstacle], fields: Sequence[str], box: Box | None, faults: Faults
) -> list[Obstacle]:
    """The obstacles that fit the box; `fields` says where in the file each comes from."""
    fitting = []
    for obstacle, field in zip(obstacles, fields, strict=True):
        fault = periodic_misfit(obstacle.shape, box) or motion_misfit(obstacle, box)
        if fault is None:
            fitting.append(obstacle)
        else:
            faults.add(f"{field}.{fault.field}", fault.what)
    return fitting


def check_places(
    balls: Balls,
    fields: Labels,
    arena: Arena,
    entrances: Collection[str | None],
    faults: Faults,
) -> None:
    """Nothing overlaps; a warning for balls behind a plane that is none of the `entrances`.

    `fields` says where in the file each ball comes from.
    """
    # Balls against the box, and against each other.
    obstacles, box = arena
    there = spheres_of(balls)
    if box is not None and len(balls) > 0:
        _check_box(box, float(there.radius.max()), faults)
    pairs = overlapping_balls(*there) if box is None else overlapping_in_box(*there, box)
    for pair in pairs:
        faults.add(str(fields[pair.i]), overlap_of_balls(pair, balls.name))
    if len(pairs) == MOST:
        faults.add(
            "ball", f"there may be more than these {MOST} overlaps, the rest was not searched"
        )
    # Balls against obstacles.
    contacts = overlapping_obstacles(*there, obstacles, box)
    for pair in contacts.overlaps:
        what = overlap_with_obstacle(pair, balls.name, [o.name for o in obstacles])
        faults.add(str(fields[pair.i]), what)
    for i, what in filling(*there, balls.name, obstacles):
        faults.add(str(fields[i]), what)
    # Balls behind planes.
    for k, (first, many) in contacts.behind.items():
        if obstacles[k].name not in entrances:
            faults.warn(
                str(fields[first]),
                behind_plane(balls[first].name, many, obstacles[k].name)
                + "; entrance = true, said of the plane, shows that it is meant",
            )


def _check_box(box: Box, largest: float, faults: Faults) -> None:
    """No ball could meet two images of another at once."""
    for axis, (side, wraps) in enumerate(zip(box.size, box.periodic, strict=True)):
        if wraps and not side > LEAST_PERIOD * largest:
            faults.add(
                f"box.size[{axis}]",
                f"must be more than {LEAST_PERIOD:g} times the largest radius, {largest:g}, "
                f"along a periodic axis, not {side:g}",
            )
