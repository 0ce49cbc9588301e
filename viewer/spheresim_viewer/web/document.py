"""One file of HTML that holds a run and the program that plays it.

Nothing of a scene is ever markup or script: its words are in the packed data, and the program
sets them as text. The title alone stands in the head, escaped. The page's policy forbids any
network, and any script and style but its own, which it names by their hashes.
"""

import base64
import hashlib
import html
import json
import re
from functools import cache
from pathlib import Path
from string import Template

import numpy as np

from spheresim import __version__
from spheresim.record.load import Run
from spheresim_viewer.coloring import identity_colors
from spheresim_viewer.draw.shader_includes import shader_text
from spheresim_viewer.timeline.rest import RestRows
from spheresim_viewer.web.curves import COEFFICIENTS
from spheresim_viewer.web.header import header
from spheresim_viewer.web.motion import Motion, motion_of
from spheresim_viewer.web.moving_walls import moving_walls
from spheresim_viewer.web.pack import packed
from spheresim_viewer.web.spins import spins
from spheresim_viewer.web.surroundings import Arrays, stage_of, surroundings

_HERE = Path(__file__).parent
_PROGRAMS = {
    **{name: (name, "") for name in ("background", "segment", "disc", "blob")},
    **{name: (name, "") for name in ("sphere_shadow", "surface_shadow")},
    **{name: (name, "SHADOWS") for name in ("sphere", "surface")},
    "ghost": ("surface", "GHOST"),
    "relief": ("relief", ""),
}
"""The page's shader programs by name: the viewer's shaders, and the word they are compiled with."""

_VERTEX = {"relief": "surface"}
"""Vertex shaders that have another name than the fragment shader."""

_VERSION_330 = "#version 330 core\n"
_VERSION_300 = "#version 300 es\nprecision highp float;\nprecision highp sampler2D;\n"
_IMPORT = re.compile(r"^import\s[^;]*?from\s+\"\./(\w+)\.js\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)\n", re.M | re.S)
"""Comments on lines of their own: they are for those who read the modules, and not in pages."""


def document(run: Run, frame_every: float | None = None, begins: float = 0.0) -> str:
    """The page of a run, as text. RunError if its files are damaged, or lack impacts.

    frame_every: the time of one step forwards, by default that between the run's frames;
    begins: what the page adds to the times of the run [time].
    """
    scene, motion = run.scene, motion_of(run)
    stage = stage_of(scene)
    ghost_radius = float(np.median(scene.balls.radius))
    known = header(scene, motion, stage, frame_every or scene.frame_every, begins)
    known["ghostRadius"] = ghost_radius
    around = surroundings(stage, ghost_radius) | moving_walls(scene, motion.rows)
    data = packed(known, _arrays(run, motion) | spins(scene, motion.rows) | around)
    script, style = _script(), (_HERE / "page.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(scene.title or scene.name),
        policy=policy,
        style=style,
        script=script,
        data=data,
        version=__version__,
    )


def _arrays(run: Run, motion: Motion) -> Arrays:
    balls, rows, pieces = run.scene.balls, motion.rows, motion.pieces
    impulse, states = motion.impulse, RestRows(rows, len(balls))
    own = {"ball.acceleration": ("f8", motion.pull.acceleration)}
    return {
        **(own if balls.acceleration.any() else {}),
        "ball.radius": ("f8", balls.radius),
        "ball.mass": ("f8", balls.mass),
        "ball.color": ("u1", np.rint(255.0 * identity_colors(balls.color))),
        "row.t": ("f8", rows.t),
        "row.kind": ("u1", rows.kind),
        "row.i": ("i4", rows.i),
        "row.other": ("i4", rows.other),
        **{f"row.j{axis}": ("f8", impulse[:, k]) for k, axis in enumerate("xyz")},
        "state.t": ("f8", states.t),
        "state.ball": ("i4", states.ball),
        "state.after": ("u1", states.after),
        "piece.t": ("f8", pieces.t),
        "piece.ball": ("i4", pieces.ball),
        "piece.mode": ("u1", pieces.mode),
        **{f"piece.{k}": ("f8", pieces.coefficients[:, k]) for k in range(COEFFICIENTS)},
    }


@cache
def _script() -> str:
    """The modules in `js/` as one script, each after those that it imports, and the shaders."""
    done: dict[str, str] = {}

    def add(name: str) -> None:
        if name in done:
            return
        text = (_HERE / "js" / f"{name}.js").read_text(encoding="utf-8")
        for needed in _IMPORT.findall(text):
            add(needed)
        done[name] = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", text))).strip()

    add("main")
    shaders = {
        name: [
            _es(f"{_VERTEX.get(shader, shader)}.vert", define),
            _es(f"{shader}.frag", define),
        ]
        for name, (shader, define) in _PROGRAMS.items()
    }
    body = "\n\n".join([f"const SHADERS = {json.dumps(shaders, indent=1)};", *done.values()])
    return f'\n(() => {{\n"use strict";\n{body}\n}})();\n'


def _es(name: str, define: str) -> str:
    """A shader of the viewer for WebGL 2, whose language differs in its first lines."""
    return _COMMENT.sub("", shader_text(name, define).replace(_VERSION_330, _VERSION_300))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
