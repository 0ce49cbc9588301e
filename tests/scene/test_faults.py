"""What is said about scene files that are wrong: all of it, in sentences with a place."""

import os
from pathlib import Path

import pytest
from scene_files import BALL, HEADER, SMALLEST, faults_of

from spheresim.scene import SceneError, load_scene


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (BALL, "duration: is missing, expected is a number greater than 0"),
        (
            "duration = 1",
            "ball: is missing, expected is at least one [[ball]], [[fill]] or [[ball_file]]",
        ),
        (
            "duration = 1\nball = []",
            "ball: is missing, expected is at least one [[ball]], [[fill]] or [[ball_file]]",
        ),
        (f"duration = 0\n{BALL}", "duration: must be greater than 0, not 0"),
        (f'duration = "1"\n{BALL}', 'duration: must be a number, not "1"'),
        (f"step = true\n{SMALLEST}", "step: must be a number, not true"),
        (f"step = nan\n{SMALLEST}", "step: must be a finite number, not nan"),
        (f"step = 1e-20\n{SMALLEST}", "step: must be at least 1e-15, a 1e15th of duration"),
        (f"title = 3\n{SMALLEST}", "title: must be text in quotes, not 3"),
        (f"gravity = [0, 1]\n{SMALLEST}", "gravity: must be three numbers, [x, y, z], not [0, 1]"),
        (f"gravity = [0, 1, true]\n{SMALLEST}", "gravity[2]: must be a number, not true"),
        (f"gravity = [0, 1, -inf]\n{SMALLEST}", "gravity[2]: must be a finite number, not -inf"),
        (f"restitution = 1.1\n{SMALLEST}", "restitution: must be from 0 to 1, not 1.1"),
        (
            f"frame_every = 0.015\n{SMALLEST}",
            "frame_every: must be a whole multiple of step (0.01)",
        ),
        (
            f"frame_every = 0.001\n{SMALLEST}",
            "frame_every: must be a whole multiple of step (0.01)",
        ),
        (f"{SMALLEST}mass = 0", "ball[0].mass: must be greater than 0, not 0"),
        (f"{SMALLEST}mass = 1e-300", "ball[0].mass: must be at least 1e-75, not 1e-300"),
        (f"{SMALLEST}velocity = [1e80, 0, 0]", "ball[0].velocity[0]: must be from -1e+75 to 1e+75"),
        (
            f"{SMALLEST}raduis = 2",
            "ball[0].raduis: is no field of a [[ball]], its value is 2; did you",
        ),
        (f'{SMALLEST}color = "rde"', 'ball[0].color: must be "#rrggbb" or one of black'),
        (f'{SMALLEST}name = " "', 'ball[0].name: must be one line of visible text, not " "'),
        (
            f'{SMALLEST}name = "a\\nb"',
            'ball[0].name: must be one line of visible text, not "a\\u000a',
        ),
        (
            "duration = 1\n[ball]\nradius = 1",
            "ball: must be tables that begin with [[ball]], not {",
        ),
        (
            "duration = 1\nball = [3]",
            "ball[0]: must be a table, not 3; the fields are name, position, velocity, radius",
        ),
        (
            f'{SMALLEST}[[count]]\nname = "a"\ngate = 3',
            "count[0].gate: must be a table, not 3; the fields are point, normal, radius",
        ),
        (
            f"{SMALLEST}[[plane]]\npoint = [0, -9, 0]\nnormal = [0, 1, 0]\nmotion = 3",
            "plane[0].motion: must be a table, not 3",
        ),
        (
            f"{SMALLEST}friction = 0.3",
            "ball[0].friction: is no field of a [[ball]], its value is 0.3; it is a field of "
            "[[material]], which the field material names; the fields are name,",
        ),
        (
            f'engine = "steps"\n{SMALLEST}[box]\nsize = [9, 9, 9]',
            'engine: must be "events", for the box is periodic, not "steps"',
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 1\nradius = 1\n"
            "region = { low = [5, 5, 5], high = [5, 5, 5] }",
            "fill[0].region: low and high must be two corners, not [5.0, 5.0, 5.0] twice",
        ),
        (
            f"{SMALLEST}[box]\nperiodic = false",
            "box.size: is missing, expected are three lengths, or one fill with a packing",
        ),
        (
            f"{SMALLEST}[[plane]]\npoint = [5, 0, 0]\nnormal = [0, 0, 0]",
            "plane[0].normal: must have a direction, but [0.0, 0.0, 0.0] has none",
        ),
        (
            f"{SMALLEST}[[cylinder]]\npoint = [5, 0, 0]\nradius = 0",
            "cylinder[0].axis: is missing, expected is three numbers, [x, y, z]",
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 0\nradius = [2, 1]",
            "fill[0].count: must be at least 1, not 0",
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 1\nradius = [2, 1]",
            "fill[0].radius: must be [smallest, largest], not [2.0, 1.0]",
        ),
        (f"{SMALLEST}[[fill]]\ncount = 1\nradius = -1", "fill[0].radius: must be greater than 0"),
        (
            f"{SMALLEST}[[fill]]\ncount = 1\nradius = [1, 2, 3]",
            "fill[0].radius: must be a number, or two: [smallest, largest], not [1, 2, 3]",
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 1.0\nradius = 1",
            "fill[0].count: must be a whole number, not 1.0",
        ),
        (
            f'{SMALLEST}[[fill]]\ncount = 1\nradius = 1\narrangement = "bcc"',
            'fill[0].arrangement: must be "random", "cubic" or "fcc", not "bcc"',
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 1\nradius = 1\nmass = 1\ndensity = 2",
            "fill[0]: has both mass (1.0) and density (2.0), expected is at most one of the two",
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 1\nradius = 1\npacking_fraction = 0.3",
            "fill[0].packing_fraction: is 0.3, but there is no [box] that it could size",
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 1\nradius = 1\n"
            "region = { low = [0, 0, 0], high = [1, -1, 1] }",
            "fill[0].region: low must be no more than high in x, y and z, not",
        ),
        (
            f"{SMALLEST}[[fill]]\ncount = 1\nradius = 1\nregion = {{ low = [0, 0, 0], hihg = 1 }}",
            "fill[0].region.high: is missing, expected is three numbers, [x, y, z]",
        ),
        (
            f"{SMALLEST}[[ball_file]]",
            "ball_file[0].path: is missing, expected is the path of a CSV",
        ),
    ],
)
def test_each_fault_is_a_sentence_with_its_place(room, text, fault):
    faults = faults_of(room(text))
    assert faults[0].startswith(f"room.toml: {fault}")
    assert "Input should" not in "".join(faults)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a =", "line 1: is no TOML: invalid value"),
        (
            "\n\nradius = .5\n",
            'line 3, column 10: is no TOML: invalid value, in "radius = .5"; a number needs a '
            "digit before its point",
        ),
        ("duration = 1\nduration = 2", "line 2: is no TOML: cannot overwrite a value"),
        (b"\x00\x01", "line 1, column 1: is no TOML"),
        (b"duration = 1\n\xff\xfe", "line 2: must be text in UTF-8, not the byte 0xff"),
        ("a = " + "[" * 10_000, "must be a scene, not lists or tables nested more than 8 deep"),
        ("a." * 100_000 + "b = 1", "must be a scene, not lists or tables nested more than 8 deep"),
        ("a = " + "9" * 5000, "is no TOML: it has a number of thousands of digits"),
        (f"step = 0x{'f' * 5000}", "duration: is missing"),
    ],
)
def test_what_is_no_toml_is_refused_in_one_sentence(room, text, fault):
    assert any(line.startswith(f"room.toml: {fault}") for line in faults_of(room(text)))


def test_garbage_is_one_fault_and_what_is_too_large_is_not_read(room, monkeypatch):
    path = room(os.urandom(1_000_000))
    assert len(faults_of(path)) == 1
    with open(path, "wb") as file:
        file.truncate(100_000_000)
    monkeypatch.delattr(Path, "read_bytes")
    (fault,) = faults_of(path)
    assert fault.startswith("room.toml: must be a scene of at most 8 MB, not 100.0 MB")


def test_all_faults_of_a_file_are_reported_together_by_their_own_indices(room):
    faults = faults_of(
        room(
            """\
duration = -1
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 0]
[[ball]]
position = [0, 0, 0]
radius = -1
[[ball]]
name = "green"
position = [0, 0, 0]
radius = 1
[[ball]]
position = [0, 1, 0]
radius = 1
[[ball]]
name = "green"
position = [50, 0, 0]
radius = 1
[[fill]]
count = 9
radius = 1
region = { low = [90, 0, 0], high = [91, 3, 3] }
[[fill]]
count = 9
radius = 1
[[ball_file]]
path = "nowhere.csv"
"""
        )
    )
    starts = [
        "duration: must be greater than 0, not -1",
        "plane[0].normal: must have a direction",
        "ball[0].radius: must be greater than 0, not -1",
        "fill[0]: only ",  # of the other fill's region nothing is said: the plane may be its end
        "ball_file[0].path: nowhere.csv: there is no such file",
        'ball[3].name: must be that of no other ball, but ball[1] is "green" too',
        "ball[2]: ball 2 and green overlap by 1: their centres are 1 apart",
    ]
    assert len(faults) == len(starts)
    for fault, start in zip(faults, starts, strict=True):
        assert fault.startswith(f"room.toml: {start}")


def test_of_very_many_faults_twenty_are_listed_and_the_others_counted(room):
    with pytest.raises(SceneError) as caught:
        load_scene(room("duration = 1\n" + "[[ball]]\nposition = [0, 0, 0]\nradius = 0\n" * 30))
    assert len(caught.value.faults) == 30
    lines = str(caught.value).split("\n")
    assert lines[19:] == [caught.value.faults[19], "… and 10 more faults"]


def test_default_names_are_names_too(room):
    (fault,) = faults_of(
        room(
            'duration = 1\n[[ball]]\nname = "ball 1"\nposition = [0, 0, 0]\nradius = 1\n'
            "[[ball]]\nposition = [5, 0, 0]\nradius = 1\n"
            '[[plane]]\nname = "ball 1"\npoint = [0, -5, 0]\nnormal = [0, 1, 0]'
        )
    )
    assert fault.startswith("room.toml: ball[1].name: must be that of no other ball")


@pytest.mark.parametrize(
    ("balls", "fault"),
    [
        ("", ", line 1: the header has no x, y, z, vx, vy, vz, radius"),
        (f"{HEADER},x", ", line 1: the header has x twice"),
        (f"{HEADER},r", ', line 1: the header\'s "r" is unknown; expected is x,y,z'),
        (HEADER, ": holds no balls, expected is at least one line below the header"),
        (f"{HEADER}\n1,2,3", ", line 2: must have 7 fields, not 3"),
        (f"{HEADER}\n\n0,0,0,0,0,a,1", ', line 3: vz: must be a finite number, not "a"'),
        (f"{HEADER}\n0,0,0,0,0,nan,1", ', line 2: vz: must be a finite number, not "nan"'),
        (f"{HEADER}\n0,0,0,0,0,1_0,1", ', line 2: vz: must be a finite number, not "1_0"'),
        (f"{HEADER}\n0,0,0,0,0,1e99,1", ", line 2: vz: must be from -1e+75 to 1e+75, not 1e99"),
        (f"{HEADER}\n0,0,0,0,0,0,-1", ", line 2: radius: must be greater than 0, not -1"),
        (f"{HEADER}\n0,0,0,0,0,0,1e-300", ", line 2: radius: must be at least 1e-75, not 1e-300"),
        (f"{HEADER},mass\n0,0,0,0,0,0,1,1e-80", ", line 2: mass: must be at least 1e-75, not"),
        (f"{HEADER},mass\n0,0,0,0,0,0,1,0", ", line 2: mass: must be greater than 0, not 0"),
        (f"{HEADER},restitution\n0,0,0,0,0,0,1,2", ", line 2: restitution: must be from 0 to 1"),
        (f"{HEADER},color\n0,0,0,0,0,0,1,2", ', line 2: color: must be "#rrggbb" or one of'),
        (f'{HEADER},name\n0,0,0,0,0,0,1,"a\nb"', ", line 3: name: must be one line of visible"),
        (f'{HEADER}\n"0', ": is no table of comma-separated values: unexpected end of data"),
        (f"{HEADER}\n{'0' * 200_000}", ": is no table of comma-separated values: field larger"),
        (b"\xff\xfe\x00", ": must be text in UTF-8, not bytes such as 0xff"),
    ],
)
def test_faults_of_a_ball_file_come_with_their_lines(room, balls, fault):
    faults = faults_of(room('duration = 1\n[[ball_file]]\npath = "balls.csv"', balls))
    assert faults[0].startswith(f"room.toml: ball_file[0].path: balls.csv{fault}")


def test_a_ball_file_full_of_faults_is_not_read_to_its_end(room):
    lines = "\n".join(["a,0,0,0,0,0,1"] * 1000)
    faults = faults_of(
        room('duration = 1\n[[ball_file]]\npath = "balls.csv"', f"{HEADER}\n{lines}")
    )
    assert len(faults) == 21
    assert "line 21: the lines after it were not read" in faults[-1]


def test_a_ball_file_that_is_a_folder_or_a_device_is_refused(room):
    for path in (".", "/dev/zero", "a\\u0000b"):
        (fault,) = faults_of(room(f'duration = 1\n[[ball_file]]\npath = "{path}"'))
        assert "must be a file" in fault or "no such file" in fault
