"""The table [view]: how a scene wants to be watched."""

import pytest
from scene_files import write_room

from spheresim.scene import SceneError, load_scene, scene_schema, write_scene
from spheresim.scene.view import ENDS, Counts, View

ROOM = 'duration = 1\n{view}\n[[ball]]\nname = "red"\nposition = [0, 1, 0]\nradius = 0.5\n'
ALL = """camera = [1, 2, 3]
target = [0, 0.5, 0]
follow = "red"
trails = true
ghosts = true
end = "go on"
caption = "Say \\"when\\"."
counter = true
azimuth = -20
elevation = 30.5
counts = { low = [-1, 0, 0], high = [1, 2, 0.5], cells = [4, 1, 1] }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def viewed(text):
    return load_scene(write_room(ROOM.format(view=f"[view]\n{text}" if text else "")))


def test_what_it_says_is_kept_with_a_run(tmp_path):
    scene = viewed(ALL)
    said = View((1.0, 2.0, 3.0), (0.0, 0.5, 0.0), "red", True, True, "go on", 'Say "when".', True)
    counts = Counts((-1.0, 0.0, 0.0), (1.0, 2.0, 0.5), (4, 1, 1))
    said = said._replace(azimuth=-20.0, elevation=30.5, counts=counts)
    assert scene.view == said
    write_scene(scene, tmp_path / "run")
    assert load_scene(tmp_path / "run").view == said


def test_without_the_table_all_is_framed_and_time_stops_at_the_end(tmp_path):
    scene = viewed("")
    assert scene.view == View()
    assert scene.view.end == "stop"
    write_scene(scene, tmp_path / "run")
    assert "[view]" not in (tmp_path / "run" / "scene.toml").read_text()


def test_the_schema_has_every_field_and_end():
    fields = scene_schema()["$defs"]["ViewTable"]["properties"]
    assert list(fields) == list(View._fields)
    assert tuple(fields["end"]["enum"]) == ENDS


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("camera = [1, 2]", "view.camera: must be three numbers, [x, y, z], not [1, 2]"),
        ("trails = 1", "view.trails: must be true or false, not 1"),
        ('end = "rest"', 'view.end: must be "stop", "loop" or "go on", not "rest"'),
        ('follow = "blue"', 'view.follow: must be the name of a ball, such as "red", not "blue"'),
        ("camera = [0, 1, 0]\ntarget = [0, 1, 0]", "view.camera: must be another point than"),
        ("elevation = 91", "view.elevation: must be at most 90, not 91"),
        ('caption = ""', 'view.caption: must be one line of visible text, not ""'),
        ("angle = 3", "view.angle: is no field of [view], its value is 3; the fields are camera"),
        ("counts = { low = [0, 0, 0] }", "view.counts.high: is missing, expected is three numbers"),
        (
            "counts = { low = [0, 1, 0], high = [1, 1, 1] }",
            "view.counts: low must be less than high in x, y and z, not [0.0, 1.0, 0.0] and",
        ),
        (
            "counts = { low = [0, 0, 0], high = [1, 1, 1], cells = [2, 0, 1] }",
            "view.counts.cells[1]: must be at least 1, not 0",
        ),
        (
            "counts = { low = [0, 0, 0], high = [1, 1, 1], cells = [2, 2] }",
            "view.counts.cells: must be three whole numbers of at least 1, not [2, 2]",
        ),
        (
            "counts = { low = [0, 0, 0], high = [1, 1, 1], cells = [101, 10, 1] }",
            "view.counts: cells must be at most 1000 in all, not 1010",
        ),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(text, fault):
    with pytest.raises(SceneError) as failure:
        viewed(text)
    (line,) = failure.value.faults
    assert fault in line
