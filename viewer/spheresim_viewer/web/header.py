"""What a page knows of a run besides arrays; the names are those of `js/data.js`."""

from typing import Any

import numpy as np

from spheresim.collision.impacts import KINDS
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.sphere import Sphere
from spheresim.scene import Scene
from spheresim_viewer.camera.opening_view import opening_angles
from spheresim_viewer.cell_counts import cell_tops
from spheresim_viewer.color_scales import scale_ends
from spheresim_viewer.coloring import SCALE, STATE_COLORS
from spheresim_viewer.draw.lamp import lamp_direction
from spheresim_viewer.stage import Stage
from spheresim_viewer.timeline.rest import STATES
from spheresim_viewer.web.motion import Motion
from spheresim_viewer.web.moving_walls import motions


def header(
    scene: Scene, motion: Motion, stage: Stage, frame_every: float, begins: float
) -> dict[str, Any]:
    """For JSON. frame_every: the time of one step forwards; begins: the time that is shown at the
    start."""
    opening = opening_angles(stage, stage.surfaces(), scene)
    return {
        "title": scene.title or scene.name,
        "comment": scene.comment,
        "engine": scene.engine,
        "duration": motion.end,
        "begins": begins,
        "step": motion.pull.clock.step,
        "clockEnd": motion.pull.clock.end,
        "frameEvery": frame_every,
        "gravity": list(scene.gravity),
        "trap": _trap(scene),
        "names": [name or f"ball {i}" for i, name in enumerate(scene.balls.name)],
        "obstacles": [str(obstacle.name) for obstacle in scene.obstacles],
        "kinds": list(KINDS),
        "states": list(STATES),
        "stateColors": STATE_COLORS.tolist(),
        "scale": SCALE.tolist(),
        "scaleEnds": scale_ends(scene.balls.velocity, scene.balls.mass, scene.gravity, stage),
        "box": _box(scene),
        "curves": motion.curves,
        "chords": motion.chords,
        "deviation": motion.deviation,
        "centre": stage.centre.tolist(),
        "size": stage.size,
        "up": stage.up.tolist(),
        "lamp": lamp_direction(stage.up, opening[0]).tolist(),
        "corners": stage.to_units(stage.corners).tolist(),
        "subject": stage.to_units(stage.subject).tolist(),
        "bowls": _bowls(stage),
        "view": {**_view(scene, stage), "opening": opening},
        "darkened": _darkened(stage),
        "motions": motions(scene),
    }


def _trap(scene: Scene) -> dict[str, Any] | None:
    trap = scene.trap
    return None if trap is None else {"frequency": trap.frequency, "centre": list(trap.centre)}


def _box(scene: Scene) -> dict[str, Any] | None:
    box = scene.box
    if box is None or not box.is_periodic:
        return None
    corner = {"low": list(box.low), "size": list(box.size), "periodic": list(box.periodic)}
    return corner | {"shearRate": box.shear_rate}


def _view(scene: Scene, stage: Stage) -> dict[str, Any]:
    """How the scene wants to be seen; places in stage units, the ball by its index."""
    view = scene.view
    camera, target = (
        None if place is None else stage.to_units(np.array(place)).tolist()
        for place in (view.camera, view.target)
    )
    return {
        "camera": camera,
        "target": target,
        "follow": None if view.follow is None else list(scene.balls.name).index(view.follow),
        "trails": view.trails,
        "ghosts": view.ghosts,
        "end": view.end,
        "caption": view.caption,
        "counter": view.counter,
        "counts": _counts(scene, stage),
    }


def _counts(scene: Scene, stage: Stage) -> dict[str, Any] | None:
    """The cells in which balls are counted, and where their numbers stand; in stage units."""
    counts = scene.view.counts
    if counts is None:
        return None
    low, high = (stage.to_units(np.array(corner)) for corner in (counts.low, counts.high))
    return {
        "low": low.tolist(),
        "high": high.tolist(),
        "cells": list(counts.cells),
        "tops": stage.to_units(cell_tops(counts, np.array(stage.up))).tolist(),
    }


def _bowls(stage: Stage) -> list[list[float]]:
    """Centre and radius of the spheres that are seen from inside, in stage units."""
    shapes = [stage.obstacles[index].shape for index in sorted(stage.tubes)]
    return [
        [*stage.to_units(np.array(shape.center)).tolist(), shape.radius / stage.size]
        for shape in shapes
        if isinstance(shape, Sphere)
    ]


def _darkened(stage: Stage) -> dict[str, Any]:
    """The obstacles at rest that balls darken and are darkened by, in stage units: see
    `js/nearness.js`."""
    found: dict[str, list[Any]] = {"planes": [], "cylinders": [], "bounds": []}
    for index, obstacle in enumerate(stage.obstacles):
        if index in stage.moving:
            continue
        shape = obstacle.shape
        if isinstance(shape, Plane):
            normal = np.array(shape.normal)
            foot = stage.to_units(np.array(shape.point))
            found["planes"].append([*normal.tolist(), float(foot @ normal)])
        elif isinstance(shape, Cylinder):
            point = stage.to_units(np.array(shape.point)).tolist()
            found["cylinders"].append([*point, *shape.axis, shape.radius / stage.size])
        else:
            low, high = (stage.to_units(np.array(end)).tolist() for end in shape.bounds())
            found["bounds"].append([*low, *high, float(index in stage.tubes)])
    return found
