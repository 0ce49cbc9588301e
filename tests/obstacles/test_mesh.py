"""Triangle meshes: files as programs write them, and how they are drawn."""

import re
import struct
from itertools import pairwise

import numpy as np
import pytest
from one_sentence import told

from spheresim import Compound, Cuboid, Mesh, Obstacle, Sphere

BOX = Cuboid((0, 0, 0), (10, 10, 10)).body()
QUADS = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
TRIANGLES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def write_stl(path, corners):
    """A binary STL of triangles (m, 3, 3), each with its own corners and no normals, in 32 bits."""
    layout = np.dtype([("normal", "<f4", 3), ("at", "<f4", (3, 3)), ("", "u2")])
    rows = np.zeros(len(corners), layout)
    rows["at"] = corners
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(rows)) + rows.tobytes())


def globe(across):
    """A sphere of radius 1 as triangles, with slivers of no area at its poles."""
    v, u = np.meshgrid(np.arange(across), np.arange(2 * across), indexing="ij")

    def at(v, u):
        polar, around = np.pi * v / across, np.pi * (u % (2 * across)) / across
        wide = np.where((v == 0) | (v == across), 0.0, np.sin(polar))
        return np.stack([wide * np.cos(around), wide * np.sin(around), np.cos(polar)], axis=-1)

    a, b, c, d = at(v, u), at(v + 1, u), at(v + 1, u + 1), at(v, u + 1)
    triangles = np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)])
    return triangles.reshape(-1, 3, 3)


def round_mesh(across):
    """The same as a mesh, of the triangles that have an area."""
    corners = globe(across)
    a, b, c = corners.transpose(1, 0, 2)
    full = corners[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-9]
    return Mesh(full.reshape(-1, 3).round(12), np.arange(3 * len(full)).reshape(-1, 3))


@pytest.mark.parametrize(
    "made_of",
    [
        lambda mesh: mesh,
        Obstacle,
        lambda mesh: Compound([mesh, Sphere((0, 0, 0), 1)]),
        lambda mesh: mesh.offset(0.5),
    ],
)
def test_meshes_of_the_same_triangles_are_equal(made_of):
    one, same = made_of(Mesh(BOX[0], TRIANGLES)), made_of(Mesh(BOX[0] * 1.0, TRIANGLES))
    other = made_of(Mesh(BOX[0], TRIANGLES[:-1]))
    moved = made_of(Mesh(BOX[0] + 1.0, TRIANGLES))
    assert one == same
    assert [one != same, one != other] == [False, True]
    assert hash(one) == hash(same)
    assert one not in [other, moved, Sphere((0, 0, 0), 1), None]
    assert {one, same, other, moved} == {other, moved, same}


def test_a_zero_with_a_minus_sign_is_the_same_place():
    one, other = ([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)], [(-0.0, 0, 0), (1, 0, 0), (0, 1, 0)])
    meshes = [Mesh(vertices, [(0, 1, 2)]) for vertices in (one, other)]
    assert len(set(meshes)) == 1


@pytest.mark.thorough
def test_a_file_in_millimetres_with_loose_corners_is_one_closed_surface(tmp_path):
    pytest.importorskip("trimesh")
    write_stl(tmp_path / "globe.STL", 1000.0 * globe(24))
    mesh = Mesh.load(tmp_path / "globe.STL", scale=0.001, position=(5, 0, 0))
    assert mesh.is_closed  # what has no area is left out
    assert mesh.encloses(np.array([(5.9, 0, 0), (6.1, 0, 0)])).tolist() == [True, False]
    assert mesh.clearance((5, 0, 3)) == pytest.approx(2.0, abs=1e-7)
    assert mesh.gap((5, 0, 0)) == pytest.approx(-1.0, abs=0.01)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("empty.stl", b""),
        ("noise.stl", bytes(range(256)) * 20),
        ("words.stl", b"solid nothing\nendsolid nothing\n"),
        ("words.obj", b"these are words\nf 1 2 3\n"),
        ("corner.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 9\n"),
    ],
)
def test_a_file_without_triangles_is_a_fault_in_a_sentence(tmp_path, name, contents):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_bytes(contents)
    sentence = rf"{name} (has no triangles in it|cannot be read as a mesh)"
    told(lambda: Mesh.load(tmp_path / name), sentence)


CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
FACET = """facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
"""


@pytest.mark.parametrize(
    "faces", ["f 0 1 2\n", "f 1 2 3\nf 1 2 0\n", "f 1/1/1 0/1/1 2/1/1\n", "f 1 2 9\n", "f 1 2 -9"]
)
def test_a_face_with_a_corner_that_is_not_in_the_file_is_a_fault(tmp_path, faces):
    pytest.importorskip("trimesh")
    (tmp_path / "faces.obj").write_text(CORNERS + faces)
    told = r"faces\.obj cannot be read as a mesh: a face has a corner that is not in the file"
    with pytest.raises(ValueError, match=told):
        Mesh.load(tmp_path / "faces.obj")


def tetrahedron_with_a_seam(points):
    """OBJ text of a tetrahedron: on one side of an edge its faces have points on that edge, on the
    other they do not, and triangles whose corners lie on the edge close the gap."""
    on_edge = [(4 - s, s, 0) for s in np.linspace(0, 4, points + 2)[1:-1]]
    places = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), *on_edge]
    seam = [1, *range(4, 4 + points), 2]
    below = [(0, b, a) for a, b in pairwise(seam)]
    closing = [(1, a, b) for a, b in pairwise(seam[1:])]
    faces = [*closing[::2], (0, 3, 2), (0, 1, 3), *closing[1::2], (1, 2, 3), *below]
    lines = ["v {} {} {}".format(*place) for place in places]
    return "\n".join(lines + ["f {} {} {}".format(*np.add(face, 1)) for face in faces]) + "\n"


@pytest.mark.parametrize("points", [1, 2, 7])
def test_triangles_of_a_file_whose_corners_lie_on_a_line_leave_a_closed_surface(tmp_path, points):
    pytest.importorskip("trimesh")
    (tmp_path / "seam.obj").write_text(tetrahedron_with_a_seam(points))
    mesh = Mesh.load(tmp_path / "seam.obj", scale=0.1, rotation=((1, 2, 3), 40))
    assert mesh.is_closed
    assert len(mesh.triangles) == 2 + 2 * (points + 1)
    whole = Mesh.load(tmp_path / "seam.obj")
    assert whole.encloses(np.array([(1, 1, 1), (2, 2, 1)])).tolist() == [True, False]
    assert len(whole.drawing().outline) == 6 + points  # the divided edge, in its parts
    inwards = whole.vertices[whole.triangles].mean(axis=1) * 0.99 + 0.01
    assert whole.encloses(inwards).all()


def test_a_triangle_on_a_line_that_nothing_meets_is_left_out(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "open.obj").write_text(f"{CORNERS}v 2 0 0\nf 1 2 3\nf 1 4 2\nf 4 1 2\n")
    mesh = Mesh.load(tmp_path / "open.obj")
    assert mesh.vertices[mesh.triangles].tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]
    with pytest.raises(ValueError, match="face 0 has no area"):
        Mesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])


@pytest.mark.parametrize("face", ["f 1 2 4\n", "f 1 2 2\n"])
def test_a_file_in_which_no_triangle_has_an_area_is_refused(tmp_path, face):
    pytest.importorskip("trimesh")
    (tmp_path / "flat.obj").write_text(f"{CORNERS}v 2 0 0\n{face}")
    told = r"flat\.obj has no triangle with an area: the corners of each lie on a line"
    with pytest.raises(ValueError, match=told):
        Mesh.load(tmp_path / "flat.obj")


def test_the_refusal_of_other_files_of_meshes_says_how_they_are_converted(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "box.ply"
    trimesh.Trimesh(BOX[0], TRIANGLES, process=False).export(path)
    with pytest.raises(ValueError, match="a mesh is read from STL or OBJ files, not from") as told:
        Mesh.load(path)
    (line,) = re.findall(r"in Python, (trimesh.*) converts it", str(told.value))
    eval(line, {"trimesh": trimesh})
    assert Mesh.load(path.with_suffix(".stl")).is_closed
    with pytest.raises(ValueError, match=r"not from 'notes\.txt'$"):
        Mesh.load("notes.txt")


@pytest.mark.parametrize("faces", ["f -3 -2 -1\n", "f 1/0/0 2/0/0 3/0/0\n"])
def test_zeros_that_are_no_corners_are_no_fault(tmp_path, faces):
    pytest.importorskip("trimesh")
    (tmp_path / "faces.obj").write_text(CORNERS + faces)
    assert len(Mesh.load(tmp_path / "faces.obj").triangles) == 1


@pytest.mark.parametrize(
    "text", ["solid one\n" + FACET * 2, f"solid\n{FACET}endsolid\nsolid two\n{FACET}facet normal"]
)
def test_a_text_of_facets_without_an_end_is_cut_off(tmp_path, text):
    pytest.importorskip("trimesh")
    (tmp_path / "half.stl").write_text(text)
    with pytest.raises(ValueError, match=r"half\.stl cannot be read as a mesh: it is cut off"):
        Mesh.load(tmp_path / "half.stl")
    (tmp_path / "whole.stl").write_text(f"solid facet\n{FACET}endsolid facet\n")
    assert len(Mesh.load(tmp_path / "whole.stl").triangles) == 1


def test_contents_of_another_format_are_a_fault(tmp_path):
    pytest.importorskip("trimesh")
    write_stl(tmp_path / "binary.obj", globe(24))
    (tmp_path / "text.obj").write_text(f"solid\n{FACET}endsolid\n")
    (tmp_path / "corners.stl").write_text(f"{CORNERS}f 1 2 3\n")
    for name, kinds in (
        ("binary.obj", "STL, not like OBJ"),
        ("text.obj", "STL, not like OBJ"),
        ("corners.stl", "OBJ, not like STL"),
    ):
        told = f"{name} cannot be read as a mesh: its contents look like {kinds}"
        with pytest.raises(ValueError, match=told):
            Mesh.load(tmp_path / name)


def test_a_file_that_is_cut_off_is_a_fault_in_a_sentence(tmp_path):
    pytest.importorskip("trimesh")
    write_stl(tmp_path / "whole.stl", globe(24))
    contents = (tmp_path / "whole.stl").read_bytes()
    (tmp_path / "half.stl").write_bytes(contents[: len(contents) // 2])
    with pytest.raises(ValueError, match=r"half\.stl (has no triangles|cannot be read)") as caught:
        Mesh.load(tmp_path / "half.stl")
    assert "module" not in str(caught.value)  # that a guess would need


def test_edges_are_drawn_where_they_are_sharp_and_other_surfaces_are_round():
    box = Mesh(BOX[0], TRIANGLES).drawing()
    assert len(box.outline) == 12
    assert np.unique(np.abs(box.normals).round(12), axis=0).tolist() == np.eye(3)[::-1].tolist()
    mesh = round_mesh(24)
    ball = mesh.drawing(0.5)
    assert len(ball.outline) == 0
    radius = np.linalg.norm(ball.vertices, axis=1)
    assert radius == pytest.approx(np.full(len(radius), 1.5), abs=1e-3)
    # Grown, it has no gaps: corners at one place stay at one place.
    assert len(np.unique(ball.vertices.round(9), axis=0)) == len(mesh.vertices)


def test_the_distance_from_a_mesh_of_many_triangles_is_that_of_all_of_them():
    mesh, random = round_mesh(40), np.random.default_rng(2)
    for point in random.normal(size=(20, 3)) * 2.0:
        distance = abs(np.linalg.norm(point) - 1.0)
        assert mesh.clearance(point) == pytest.approx(distance, abs=2e-3)
        normal = np.array(mesh.normal_at(point, point))
        assert abs(normal @ point) / np.linalg.norm(point) > 0.98


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Mesh([(0, 0, 0), (1, 0, np.nan), (0, 1, 0)], [(0, 1, 2)]), "vertex 1 is .*nan"),
        (lambda: Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], []), "needs at least one triangle"),
    ],
)
def test_what_is_no_mesh(make, words):
    with pytest.raises(ValueError, match=words):
        make()
