"""Tables of obstacles in scene files: what they make, what is written back, what is a fault."""

from pathlib import Path

import numpy as np
import pytest
from scene_files import BALL, faults_of, write_room

from spheresim import Ball, Compound, Mesh, Simulation, Sphere
from spheresim.obstacles.mesh_files import archive_of
from spheresim.scene import load_scene, write_scene

pytestmark = pytest.mark.usefixtures("folder")

FAR = BALL.replace("[0, 0, 0]", "[90, 0, 0]")
TABLES = {
    "sphere": "center = [1, 2, 3]\nradius = 2",
    "capsule": "a = [0, 0, 0]\nb = [1, 2, 3]\nradius = 0.5",
    "cuboid": "center = [0, 1, 0]\nsize = [1, 2, 3]\n"
    "rotation = { axis = [0, 0, 2], degrees = 30 }\nrounding = 0.1",
    "hull": "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
    "polygon": "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\nrounding = 0.25",
    "capped_cylinder": "a = [0, 0, 0]\nb = [1, 2, 3]\nradius = 0.5",
    "disc": "center = [0, 0, 0]\nnormal = [0, 3, 4]\nradius = 0.5",
    "ring": "center = [0, 0, 0]\naxis = [0, 3, 4]\nradius = 1.5\nthickness = 0.5",
    "mesh": "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\nscale = 2",
    "compound": "sphere = [{ center = [0, 0, 0], radius = 1 }]\n"
    "cuboid = [{ center = [3, 0, 0], size = [1, 1, 1] }]",
}


def write(text):
    return write_room(f"duration = 1\n{FAR}{text}\n")


@pytest.mark.parametrize("kind", TABLES)
def test_what_is_written_loads_as_the_same_obstacle(kind, tmp_path):
    scene = load_scene(write(f'[[{kind}]]\nname = "it"\nrestitution = 0.5\n{TABLES[kind]}'))
    (obstacle,) = scene.obstacles
    assert (obstacle.name, obstacle.restitution, obstacle.shape.kind) == ("it", 0.5, kind)
    write_scene(scene, tmp_path / "again")
    (again,) = load_scene(tmp_path / "again" / "scene.toml").obstacles
    for one, other in zip(obstacle.shape.features(), again.shape.features(), strict=True):
        assert np.array_equal(one, other)


def hills(many):
    """Triangles of a floor with hills, 2·many² of them."""
    u, w = np.meshgrid(np.linspace(0, 1, many + 1), np.linspace(0, 1, many + 1), indexing="ij")
    vertices = np.stack([u, 0.1 * np.sin(9 * u + 4 * w) - 1, w], axis=-1).reshape(-1, 3)
    a = (np.arange(many)[:, None] * (many + 1) + np.arange(many)).reshape(-1)
    there = [a, a + 1, a + many + 2], [a, a + many + 2, a + many + 1]
    return Mesh(vertices, np.concatenate([np.stack(corners, axis=1) for corners in there]))


def test_many_triangles_go_to_a_file_beside_the_scene_and_come_back_to_the_last_bit(tmp_path):
    floor, compound = hills(30), Compound([Sphere((0, 9, 0), 1), hills(25)])
    simulation = Simulation([Ball((0.5, 0, 0.5), radius=0.1)], [floor, hills(5), compound])
    simulation.save_scene(tmp_path / "hilly.toml")
    assert (tmp_path / "hilly.toml").stat().st_size < 20_000
    scene = load_scene(tmp_path / "hilly.toml")
    assert scene.files == (tmp_path / "hilly_meshes.npz",)
    for one, other in zip(simulation.obstacles, scene.obstacles, strict=True):
        for column, same in zip(one.shape.features(), other.shape.features(), strict=True):
            assert np.array_equal(column, same)
    write_scene(scene, tmp_path / "again")
    archives = tmp_path / "hilly_meshes.npz", tmp_path / "again" / "meshes.npz"
    assert archives[0].read_bytes() == archives[1].read_bytes()


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("none.npz/0", "cannot be used: there is no file 'none.npz'"),
        ("one.npz/7", "cannot be used: one.npz cannot be read as meshes: it has no 'vertices_7'"),
        ("torn.npz/0", "cannot be used: torn.npz cannot be read as meshes: "),
        ("small.npz/0", "cannot be used: small.npz cannot be read as meshes: it is compressed"),
    ],
)
def test_an_archive_that_cannot_be_read_is_one_sentence(path, fault):
    Path("one.npz").write_bytes(archive_of([hills(2)]))
    Path("torn.npz").write_bytes(Path("one.npz").read_bytes()[:200])
    np.savez_compressed("small.npz", vertices_0=np.zeros((3, 3)), triangles_0=[[0, 1, 2]])
    (said,) = faults_of(write(f'[[mesh]]\npath = "{path}"'))
    assert fault in said


def test_parts_of_a_compound_may_have_tables_of_their_own():
    text = "[[compound]]\n[[compound.disc]]\ncenter = [0, 0, 0]\nnormal = [0, 0, 1]\nradius = 1"
    (obstacle,) = load_scene(write(text)).obstacles
    assert [part.kind for part in obstacle.shape.parts] == ["disc"]


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("[[sphere]]\ncenter = [0, 0, 0]", "sphere[0].radius: is missing, expected is a number"),
        (
            "[[disc]]\ncenter = 3\nnormal = [0, 0, 1]\nradius = 1",
            "disc[0].center: must be three numbers, [x, y, z], not 3",
        ),
        (
            "[[hull]]\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
            "a hull's points must not lie in one plane",
        ),
        (
            "[[polygon]]\npoints = [[0, 0, 0], [2, 0, 0], [0.5, 0.5, 0], [0, 2, 0]]",
            "a polygon must be convex and turn at each of its points, and at [0.5, 0.5, 0.0] it "
            "does not",
        ),
        (
            "[[polygon]]\npoints = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]]",
            "and at [1.0, 0.0, 0.0] it does not",
        ),
        (
            "[[polygon]]\npoints = [[0, 10, 0], [6, -8, 0], [-10, 3, 0], [10, 3, 0], [-6, -8, 0]]",
            "a polygon must be convex, and the sides of this one cross each other",
        ),
        (
            "[[cuboid]]\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nrotation = { axis = [0, 0, 1] }",
            "cuboid[0].rotation.degrees: is missing, expected is a number",
        ),
        (
            "[[cuboid]]\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\n"
            "rotation = { axis = [0, 0, 1], degrees = 1, radians = 1 }",
            "is no field of a rotation, its value is 1; the fields are axis, degrees",
        ),
        (
            '[[compound]]\nsphere = [{ name = "a", center = [0, 0, 0], radius = 1 }]',
            'compound[0].sphere[0].name: is no field of a sphere, its value is "a"; the fields '
            "are center, radius",
        ),
        ("[[capsule]]\na = [1, 1, 1]\nb = [1, 1, 1]\nradius = 1", "must not be the same point"),
        ('[[mesh]]\npath = "none.stl"', "there is no file"),
        ('[[mesh]]\npath = "room.toml"', "is read from STL or OBJ files, not from 'room.toml'"),
        ("[[mesh]]", "it needs either path, or vertices and triangles"),
        (
            "[[mesh]]\nvertices = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]\ntriangles = [[0, 1, 2]]",
            "face 0 has no area",
        ),
        ("[[compound]]", "a compound needs at least one shape"),
        (
            "[[compound]]\nhull = [{ points = [[0, 0, 0]] }]",
            "its hull[0] is not valid: a hull needs at least four points, not 1",
        ),
        (
            "[[ring]]\ncenter = [0, 0, 0]\naxis = [0, 0, 1]\nradius = 1\nthickness = 1",
            "a ring's thickness must be less than its radius, 1.0, not 1.0",
        ),
        (
            "[[box_of_air]]",
            "box_of_air: is no field of a scene",
        ),
    ],
)
def test_faults_are_a_sentence_each(table, fault):
    (said,) = faults_of(write(table))
    assert fault in said


@pytest.mark.parametrize(
    "table",
    [
        "[[sphere]]\ncenter = [90, 0, 0]\nradius = 0.5",  # it does not fit inside
        "[[sphere]]\ncenter = [90, 2.5, 0]\nradius = 2",
        "[[capsule]]\na = [80, 0, 0]\nb = [99, 0, 0]\nradius = 5",  # within what is solid
        "[[cuboid]]\ncenter = [90, 0, 0]\nsize = [9, 9, 9]\nrounding = 0.1",
        "[[disc]]\ncenter = [91.5, 0.9, 0]\nnormal = [0, 1, 0]\nradius = 1.2",  # at its rim
    ],
)
def test_what_overlaps_at_the_start_is_a_fault(table):
    (said,) = faults_of(write(table))
    assert "ball 0 and" in said
    assert "overlap by" in said


def test_a_ball_inside_a_closed_shape_stays_there_and_overlaps_nothing():
    simulation = Simulation.load(write("[[cuboid]]\ncenter = [90, 0, 0]\nsize = [9, 9, 9]"))
    simulation.run(until=1)
    assert simulation.balls[0].position.x == 90.0


def test_what_is_made_of_features_does_not_fit_a_periodic_box():
    text = "[box]\nsize = [200, 200, 200]\n[[sphere]]\ncenter = [50, 50, 50]\nradius = 2"
    (said,) = faults_of(write(text))
    assert "sphere[0].center: is in a periodic box, where a sphere has no images" in said


@pytest.mark.parametrize("arrangement", ["random", "cubic", "fcc"])
def test_a_fill_keeps_out_of_a_block_and_inside_a_room(arrangement):
    text = f"""duration = 1
[[cuboid]]
center = [0, 0, 0]
size = [8, 8, 8]
[[sphere]]
center = [0, 0, 0]
radius = 2.5
[[fill]]
count = 60
radius = 0.3
region = {{ low = [-6, -4, -4], high = [6, 4, 4] }}
arrangement = "{arrangement}"
"""
    Path("room.toml").write_text(text, encoding="utf-8")
    scene = load_scene("room.toml")
    position = np.array(scene.balls.position)
    assert np.abs(position).max() <= 3.7 + 1e-9
    assert np.linalg.norm(position, axis=1).min() >= 2.8 - 1e-9
