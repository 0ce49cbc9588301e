"""CONTRIBUTING, "Adding …": what it says is enough, in a copy of the package that is added to."""

import json
import shutil
from pathlib import Path

import pytest
from command_line import python

import spheresim

CONE = '''
"""The cone, as a pyramid of 24 sides."""

from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.vector import TVector
from spheresim.obstacles.convex_polyhedron import ConvexPolyhedron
from spheresim.obstacles.fields import ShapeField

SIDES = 24


class _Fields(NamedTuple):
    center: TVector
    radius: float
    height: float
    rounding: float = 0.0


class Cone(ConvexPolyhedron, _Fields):
    """A cone that stands upright on its base around `center`."""

    kind: ClassVar = "cone"
    title: ClassVar = "Upright cones"
    fields: ClassVar = {
        "center": ShapeField("vector", "The middle of the base [length]"),
        "radius": ShapeField("positive", "Of the base [length]"),
        "height": ShapeField("positive", "Of the tip above the base [length]"),
    }

    def body(self):
        angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
        rim = self.radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(SIDES)])
        points = np.vstack([rim, [(0.0, 0.0, self.height)]]) + np.array(self.center)
        sides = [(k, (k + 1) % SIDES, SIDES) for k in range(SIDES)]
        return points, [tuple(range(SIDES))[::-1], *sides]
'''

FIGURE = '''
"""The fastest ball."""

import numpy as np

from spheresim.analysis.measured import Measured
from spheresim.analysis.of_run import takes_run


@takes_run()
def fastest_speed(velocity):
    """The largest speed in any frame [length/time]."""
    return Measured(float(np.linalg.norm(velocity, axis=2).max()), None, "length/time")
'''

FORMAT = '''
"""The format `jsonl`: frames.jsonl, a line of JSON for each frame."""

import json

from spheresim.record.line_file import LineFile


class JsonLines:
    """See `TableWriter`."""

    files = ("frames.jsonl",)
    package = None
    sizes_kept = 1

    def __init__(self, place):
        self._path = place.directory / "frames.jsonl"

    def begin(self):
        self._file = LineFile(self._path.open("xb", buffering=0))

    def check(self, kept):
        self._old = self._path.open("r+b", buffering=0)

    def go_on(self, kept):
        self._file = LineFile(self._old, keep=kept.sizes[0])

    def frame(self, number, state):
        row = {"frame": number, "t": float(state.time[0]), "position": state.position.tolist()}
        self._file.append(json.dumps(row).encode() + b"\\n")

    def impacts(self, first, batch):
        pass

    def sizes(self):
        return [self._file.size()]

    def sync(self):
        self._file.sync()

    def close(self):
        self._file.close()
'''

ENGINE = '''
"""The fixed timestep under another name."""

from spheresim.engines.time_stepping.engine import Stepping


class Twin(Stepping):
    """See `Engine`."""

    name = "twin"
'''

COMMAND = '''
"""`spheresim weigh`: the mass of a scene."""

from spheresim.commands.exit_codes import DONE
from spheresim.scene import load_scene


def weigh_scene(source):
    """Print the sum of the masses of all balls; the exit code."""
    print(load_scene(source).balls.mass.sum())
    return DONE
'''

SCENE = """
duration = 2
step = 0.5
engine = "{engine}"
[[ball]]
position = [0, 0, 9]
velocity = [0, 0, -4]
radius = 1
mass = 3
[[{kind}]]
center = [0, 0, 0]
{size}
"""


def insert(path: Path, after: str, lines: str) -> None:
    """Put lines behind the one line of a file that has these words."""
    text = path.read_text("utf-8").split("\n")
    (place,) = (number for number, line in enumerate(text) if after in line)
    text[place + 1 : place + 1] = lines.split("\n")
    path.write_text("\n".join(text), "utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the package with one more of each kind: a file, and a line in a table."""
    root = tmp_path_factory.mktemp("copy")
    package = root / "spheresim"
    shutil.copytree(
        Path(spheresim.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )

    (package / "obstacles/cone.py").write_text(CONE, "utf-8")
    catalogue = package / "obstacles/catalogue.py"
    insert(catalogue, "import Sphere", "from spheresim.obstacles.cone import Cone")
    insert(catalogue, "    Sphere,", "    Cone,")

    (package / "engines/twin").mkdir()
    (package / "engines/twin/engine.py").write_text(ENGINE, "utf-8")
    engines = package / "engines/catalogue.py"
    names = engines.read_text("utf-8").replace(
        'Literal["steps", "events"]', 'Literal["steps", "events", "twin"]'
    )
    engines.write_text(names, "utf-8")
    insert(
        engines,
        "ENGINE_KINDS: dict",
        '    "twin": EngineKind(_twin, ("analytic",), True, False, True, False),',
    )
    insert(
        engines,
        "    return Events(",
        "\n\ndef _twin(world, start, step, slices, _field, _thermostat):\n"
        "    from spheresim.engines.twin.engine import Twin\n\n"
        "    return Twin(world, start, step, slices)\n",
    )

    (package / "record/formats/json_lines.py").write_text(FORMAT, "utf-8")
    formats = package / "record/formats/catalogue.py"
    insert(formats, "import XyzFrames", "from spheresim.record.formats.json_lines import JsonLines")
    insert(formats, '"xyz": XyzFrames', '    "jsonl": JsonLines,')

    (package / "analysis/fastest.py").write_text(FIGURE, "utf-8")
    figures = package / "analysis/catalogue.py"
    insert(
        figures,
        "import published_hard_spheres",
        "from spheresim.analysis.fastest import fastest_speed",
    )
    insert(figures, "    cooling: Cooling | None", "    fastest: Measured | None")
    insert(
        figures,
        "        cooling=tried(",
        '        fastest=tried("fastest", lambda: fastest_speed(run)),',
    )
    insert(
        figures,
        '"g at contact": self.contact_value',
        '            "fastest speed": self.fastest,',
    )

    (package / "commands/weigh.py").write_text(COMMAND, "utf-8")
    insert(
        package / "cli.py",
        "app.command()(broadphase)",
        "\n\n@app.command()\ndef weigh(scene: SceneArgument) -> None:\n"
        '    """Print the mass of a scene."""\n'
        "    from spheresim.commands.weigh import weigh_scene\n\n"
        "    raise typer.Exit(weigh_scene(scene))",
    )
    return root


def written(root: Path, name: str, engine: str = "steps", kind: str = "sphere") -> str:
    """A ball that falls onto an obstacle whose top is at height 4; the name of its scene file."""
    size = "radius = 2\nheight = 4" if kind == "cone" else "radius = 4"
    (root / name).write_text(SCENE.format(engine=engine, kind=kind, size=size), "utf-8")
    return name


ALL = """
import sys
from spheresim.cli import main

for words in sys.argv[1:]:
    sys.argv = ["spheresim", *words.split()]
    try:
        main()
    except SystemExit as ended:
        assert ended.code in (None, 0), ended
"""


def spoken(root: Path, *commands: str) -> str:
    """What commands in the copy print."""
    path = {"PYTHONPATH": str(root), "NUMBA_DISABLE_JIT": "1"}
    done = python("-c", ALL, *commands, cwd=root, **path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_obstacle(copy: Path) -> None:
    scene = written(copy, "cone.toml", kind="cone")
    run = f"run {scene} --out cone-steps --engine steps"
    said = spoken(copy, run, run.replace("steps", "events"), "run cone-steps --out again", "schema")
    assert '"cone"' in said
    for engine in ("steps", "events"):
        rows = (copy / f"cone-{engine}/events.csv").read_text("utf-8").split("\n")
        assert rows[1].startswith("0,1.0,obstacle,0,,cone 0,0.0,0.0,4.0,0.0,0.0,1.0,-4.0,4.0,")
    assert (copy / "again/events.csv").read_bytes() == (copy / "cone-steps/events.csv").read_bytes()


def test_an_engine(copy: Path) -> None:
    scene = written(copy, "twin.toml", engine="twin")
    run = f"run {scene} --out"
    assert "|twin" in spoken(copy, f"{run} twin", f"{run} steps --engine steps", "run --help")
    assert json.loads((copy / "twin/run.json").read_text("utf-8"))["engine"] == "twin"
    assert (copy / "twin/events.csv").read_bytes() == (copy / "steps/events.csv").read_bytes()


def test_a_format(copy: Path) -> None:
    scene = written(copy, "format.toml")
    spoken(copy, f"run {scene} --out lines --format jsonl,csv")
    (*_, last) = (copy / "lines/frames.jsonl").read_text("utf-8").splitlines()
    assert json.loads(last) == {"frame": 4, "t": 2.0, "position": [[0.0, 0.0, 9.0]]}
    spoken(copy, f"run {scene} --out lines --format csv --force")
    assert not (copy / "lines/frames.jsonl").exists()


def test_a_figure(copy: Path) -> None:
    said = spoken(copy, f"run {written(copy, 'figure.toml')} --out figure", "analyse figure")
    assert "fastest speed                 4 length/time\n" in said


def test_a_command(copy: Path) -> None:
    said = spoken(copy, f"weigh {written(copy, 'weigh.toml')}", "--help")
    assert said.startswith("3.0\n")
    assert said.count("weigh") == 1
