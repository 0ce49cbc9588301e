"""Files that are no scenes: too deep, too long, too odd. One sentence each."""

import os
import tomllib

import pytest
from scene_files import SMALLEST, faults_of

from spheresim.scene import SceneError, load_scene


@pytest.fixture
def not_parsed(monkeypatch):
    """What parses TOML fails: it takes long where text is deep or long."""
    monkeypatch.delattr(tomllib, "loads")


@pytest.mark.parametrize("depth", [9, 60, 250, 275, 300, 1000, 100_000])
@pytest.mark.parametrize(
    "nest",
    [
        lambda n: f"a = {'[' * n}{']' * n}\n",
        lambda n: f"duration = {'[' * n}{']' * n}\n",
        lambda n: f"[[ball]]\nposition = {'[' * n}1{']' * n}\n",
        lambda n: f"a = {'{b = ' * n}1{'}' * n}\n",
        lambda n: '"a"' + '."a"' * n + " = 1\n",
        lambda n: "'a'" + " . 'a'" * n + " = 1\n",
        lambda n: "[" + "'a'." * n + "b]\n",
        lambda n: "[[" + "a." * n + "b]]\nc = 1\n",
        lambda n: "a = " + "{b = [" * (n // 2) + "{c = [" + "]}" * (n // 2 + 1) + "\n",
        lambda n: f'a = "[" # [\nb = {"[" * n}\n',
    ],
)
def test_nothing_is_nested_deeper_than_any_scene(room, not_parsed, nest, depth):
    (fault,) = faults_of(room("duration = 1\n" + nest(depth)))
    assert fault == "room.toml: must be a scene, not lists or tables nested more than 8 deep"


def test_brackets_and_dots_in_texts_and_comments_nest_nothing(room):
    text = "title = 'a.b.c.d.e.f.g.h.i.j [[[[[[[[[[['  # [[[[[[[[[[[[[[[ a.b.c.d.e.f.g.h.i.j.k\n"
    assert load_scene(room(text + SMALLEST)).title.startswith("a.b.c")
    text = 'title = """a \\" ]]]]]]]]]] [[[[[[[[[[[["""\n'
    assert load_scene(room(text + SMALLEST)).title.endswith("[[")


@pytest.mark.cases(2)
@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("text", "of"),
    [
        (lambda: "".join(f"[a{k}]\n" for k in range(800_000)), "50,000 tables, not 800,000"),
        (lambda: "[[ball]]\n" * 800_000, "50,000 tables, not 800,000"),
        (lambda: "".join(f"a{k} = 1\n" for k in range(400_000)), "150,000 keys, not 400,000"),
        (lambda: "".join(f"'a{k}'=1\n" for k in range(400_000)), "150,000 keys, not 400,000"),
        (lambda: "ball = [" + "{}," * 2_000_000 + "]", "50,000 tables, not 2,000,000"),
        (lambda: "gravity = [" + "1," * 3_900_000 + "]", "400,000 values in lists, not 3,900,000"),
    ],
)
def test_a_file_that_says_more_than_any_scene_is_refused_before_it_is_parsed(
    room, not_parsed, text, of
):
    (fault,) = faults_of(room(text()))
    assert fault.startswith(f"room.toml: must be a scene of at most {of}; many balls are better")


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    "text",
    ['"' * 1_000_001, '"\\' * 500_000, "'" * 1_000_001, '"""' + "\n'''" * 300_001, "#" * 10**6],
)
def test_quotes_without_end_are_read_once(room, text):
    faults_of(room(text))  # 1e12 steps, which never end, if each were read up to the end


def test_of_faults_without_number_some_are_worded_and_all_are_counted(room):
    with pytest.raises(SceneError) as caught:
        load_scene(room("duration = 1\n" + "[[ball]]\n" * 3000))
    lines = str(caught.value).split("\n")
    assert (
        lines[0] == "room.toml: ball[0].position: is missing, expected is three numbers, [x, y, z]"
    )
    assert lines[20] == "… and 5980 more faults"


@pytest.mark.parametrize(
    "content",
    [
        b"duration = 1\r\n[[ball]]\r\nposition = [0, 0, 0]\r\nradius = 1\r\n",
        b"\xef\xbb\xbf" + SMALLEST.encode(),
        SMALLEST.encode("utf-16"),
        SMALLEST.encode("utf-32"),
        b"duration = nan\n",
        b"duration = -inf\n",
        b"duration = 1e999\n",
        b"duration = 0b" + b"1" * 100_000,
        b"duration = 1979-05-27T07:32:00Z\n",
        b"[[ball]]\nposition = {x = 1}\nradius = true\n",
        b'title = "' + b"x" * 1_000_000 + b'"\n',
        b"[ball]\n[[fill]]\n[plane.a]\n[box]\nsize = 'a'\nlow = [nan, inf, 1e400]\n",
    ],
)
def test_odd_files_load_or_are_told_what_is_wrong(room, content):
    path = room(content)
    try:
        load_scene(path)
    except SceneError:
        assert all(len(line) < 700 for line in faults_of(path))


def test_what_is_no_file_that_can_be_read_is_no_scene(room, tmp_path):
    (tmp_path / "folder").mkdir()
    assert "is a directory without scene.toml" in faults_of(tmp_path / "folder")[0]
    os.mkfifo(tmp_path / "pipe")
    assert "must be a file or a directory" in faults_of(tmp_path / "pipe")[0]
    (fault,) = faults_of(room('duration = 1\n[[ball_file]]\npath = "pipe"'))
    assert "pipe: must be a file" in fault
    assert faults_of("")[0].startswith("a scene must be a file, ")
    assert "no scene" in faults_of("x" * 300)[0] or "cannot be read" in faults_of("x" * 5000)[0]


def test_a_path_does_not_break_its_message(room, tmp_path):
    odd = tmp_path / "two\nlines.toml"
    odd.write_text("duration = -1\n")
    assert all("two\\u000alines.toml: " in fault for fault in faults_of(odd))
    assert all("\n" not in fault for fault in faults_of("two\nlines"))
    (fault,) = faults_of(room('duration = 1\n[[ball_file]]\npath = "two\\nlines.csv"'))
    assert "two\\u000alines.csv: there is no such file" in fault
