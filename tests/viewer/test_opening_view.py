"""The first view of a scene: what is seen from it, and how it is chosen."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scene_files import SHIPPED
from spheresim_viewer.camera.framing import WHOLE, framed
from spheresim_viewer.camera.opening_view import opening_angles
from spheresim_viewer.camera.pose import AZIMUTH, ELEVATION, Pose, Turntable
from spheresim_viewer.camera.visibility import POINTS, Scenery, Watched, hidden_points
from spheresim_viewer.stage import Stage

from spheresim import Cuboid, Cylinder, Plane, Simulation
from spheresim.model.balls import Ball
from spheresim.scene import load_scene
from spheresim.simulation.saving import scene_of

USUAL = math.radians(AZIMUTH), math.radians(ELEVATION)


def stage_of(scene):
    position, radius = np.array(scene.balls.position), np.array(scene.balls.radius)
    box = scene.box if scene.box is not None and scene.box.is_periodic else None
    return Stage.of(scene.obstacles, position, radius, scene.gravity, box)


def hidden_share(scene, angles):
    """The share of the balls inside the stage that is hidden when it is seen from a side."""
    stage = stage_of(scene)
    position, radius = np.array(scene.balls.position), np.array(scene.balls.radius)
    axes = np.array(Turntable(stage.up).axes(Pose(*angles, 1.0, np.zeros(3), np.zeros(2))))
    place = framed(axes @ stage.to_units(stage.subject).T, 1.6, WHOLE, 1.0)
    eye = stage.to_world(np.array([place.right, place.up, place.distance]) @ axes)
    inside = np.flatnonzero(np.all((position > stage.low) & (position < stage.high), axis=1))
    scenery = Scenery(stage, stage.surfaces() + stage.cuts())
    hidden = hidden_points(Watched(scenery, position, radius, inside), eye, axes)
    return hidden / (POINTS * max(len(inside), 1))


def angles_of(scene):
    stage = stage_of(scene)
    return opening_angles(stage, stage.surfaces() + stage.cuts(), scene)


def scene_with(obstacles, *places, **settings):
    return scene_of(
        Simulation([Ball(place, radius=0.2) for place in places], obstacles, **settings)
    )


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", SHIPPED)
def test_of_shipped_scenes_the_first_view_shows_nearly_all_balls(name):
    scene = load_scene(name)
    # In these balls hide each other; those of the last start in a row that is looked along.
    crowds = {"bowl": 0.75, "galton_board": 0.75, "hourglass": 0.75, "lorentz_gas": 0.95}
    crowds |= {"couette_shear": 0.9, "shaken_box": 0.4, "vibrated_bed": 0.4}
    assert hidden_share(scene, angles_of(scene)) < crowds.get(name, 0.1)


def test_where_nothing_hides_anything_it_is_the_usual_one():
    assert angles_of(scene_with([], (0, 0, 0), (3, 0, 0))) == USUAL


@pytest.mark.parametrize(
    "obstacle", [Cylinder((0, 0, 0), (0, 1, 0), 0.8), Cuboid((0, 1, 0), (1.2, 4, 1.2))]
)
def test_it_goes_round_what_stands_before_a_ball(obstacle):
    yaw = USUAL[0]
    behind = np.array([-math.sin(yaw), 0.0, -math.cos(yaw)]) * 2.0 + (0, 1, 0)
    floor = Plane((0, -2, 0), (0, 1, 0))
    scene = scene_with([floor, obstacle], tuple(behind), gravity=(0, -1, 0))
    assert hidden_share(scene, USUAL) > 0.5
    assert angles_of(scene) != USUAL
    assert hidden_share(scene, angles_of(scene)) == 0.0


def test_what_the_scene_says_stays():
    scene = load_scene("magic_room")
    said = scene.view._replace(azimuth=-100.0, elevation=5.0)
    found = angles_of(replace(scene, view=said))
    assert found == (math.radians(-100.0), math.radians(5.0))
