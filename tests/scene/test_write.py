"""A scene that is written loads again as the same bits."""

import dataclasses
import shutil

import numpy as np
import pytest
from scene_files import SMALLEST

from spheresim.scene import Scene, load_scene, write_scene


def same(a, b):
    """Bit for bit, but for what says which file it was."""
    names = [field.name for field in dataclasses.fields(Scene)]
    for name in (
        set(names)
        - {"balls", "obstacles", "path", "name", "sha256", "seed", "warnings"}
        - {"files"}
    ):
        assert repr(getattr(a, name)) == repr(getattr(b, name)), name
    assert repr(a.obstacles) == repr(b.obstacles)
    for one, other in zip(a.balls, b.balls, strict=True):
        assert repr(one) == repr(other)
        assert (one.name, one.color) == (other.name, other.color)


def odd_scene(count):
    rng = np.random.default_rng(1)
    direction = rng.standard_normal((300, 3)) * 10.0 ** rng.integers(-20, 20, (300, 1))
    position = rng.standard_normal((count, 3)) + 3.0 * np.arange(count)[:, np.newaxis]
    text = '# "Odd"\n#\n# numbers\ntitle = "a \\"b\\" \\\\ é"\nduration = 0.1\nstep = 1e-5\n'
    text += "gravity = [-0.0, 1e-30, 0.1]\n"
    for i, n in enumerate(direction.tolist()):
        text += f"[[plane]]\npoint = {(-1e6 * direction[i] / max(abs(direction[i]))).tolist()}\n"
        text += f"normal = {n}\nrestitution = {rng.random()}\n"
    text += "[[cylinder]]\nname = 'c, d'\npoint = [0, 1e7, 0]\naxis = [1, 2, 3]\nradius = 0.1\n"
    for i, x in enumerate(position.tolist()):
        text += f"[[ball]]\nposition = {x}\nvelocity = [-0.0, {rng.standard_normal()}, 5e-324]\n"
        text += f"radius = 0.1\nmass = {rng.random()}\nrestitution = {rng.random()}\n"
        if i % 2:
            text += f'name = \' ="{i}", ü \'\ncolor = "orange"\n'
    return text


@pytest.mark.parametrize(("count", "files"), [(50, 1), (51, 2)])
def test_a_scene_is_written_such_that_it_loads_as_the_same_bits(room, tmp_path, count, files):
    scene = load_scene(room(odd_scene(count)))
    write_scene(scene, tmp_path / "run")
    assert len(list((tmp_path / "run").iterdir())) == files
    again = load_scene(tmp_path / "run")
    same(scene, again)
    assert (again.warnings, again.seed) == ((), None)
    assert again.comment == '"Odd"\n\nnumbers'
    written = (tmp_path / "run" / "scene.toml").read_bytes()
    assert b"\r" not in written
    assert written.startswith(b'# "Odd"\n#\n# numbers\ntitle = ')
    write_scene(again, tmp_path / "run")
    assert (tmp_path / "run" / "scene.toml").read_bytes() == written


@pytest.mark.compiled_only
def test_a_runs_directory_moves_anywhere(room, tmp_path):
    write_scene(load_scene("gas_in_a_box", duration=3), tmp_path / "run")
    shutil.move(tmp_path / "run", tmp_path / "elsewhere")
    again = load_scene(tmp_path / "elsewhere")
    same(load_scene("gas_in_a_box", duration=3), again)
    assert again.duration == 3.0


def test_a_scene_takes_no_file_away_that_it_does_not_write(room, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "balls_start.csv").write_text("mine")
    write_scene(load_scene(room(SMALLEST)), tmp_path / "run")
    assert (tmp_path / "run" / "balls_start.csv").read_text() == "mine"
