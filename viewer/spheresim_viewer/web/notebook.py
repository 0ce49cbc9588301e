"""Simulations, runs and scenes in a notebook: the page itself, or where it is too large a picture.

The page is in a frame that may run its own script and nothing else: it reaches neither the
notebook around it, nor files, nor a network. As the frame holds all of it, it works in what is
exported as HTML too.
"""

import base64
import html
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from spheresim import Run, Simulation
from spheresim.collision.impacts import OBSTACLE
from spheresim.record.files_and_columns import FLIGHTS
from spheresim.scene import Scene
from spheresim_viewer.from_python import NoPictureError, screenshot
from spheresim_viewer.web.document import document
from spheresim_viewer.web.source import run_of

LARGEST = 8_000_000
"""Bytes of a page in a notebook, which keeps it in its file."""

_FOR_AN_IMPACT = 40
"""Bytes that an impact takes in a page, about, besides logged flights."""

MOST_BALLS = 2_000
MOST_BALLS_AND_TIME = 2_000_000
"""Balls, and balls times steps or frames, of what is run only to be looked at."""

_FRAME = (
    '<iframe sandbox="allow-scripts" srcdoc="{page}" title="{title}" loading="lazy" '
    'style="box-sizing: border-box; width: 100%; '
    'height: 560px; border: 1px solid #d5dae0; border-radius: 8px">'
    "A simulation plays here as soon as this notebook is trusted: in JupyterLab, search the "
    "commands for Trust Notebook.</iframe>"
)
"""Browsers do not show what is inside the frame. Jupyter takes frames, not their words, out of what
others have run, until one trusts it."""


def notebook_html(what: Simulation | Run | Scene) -> str:
    """What a notebook shows of a simulation, a run or a scene, as HTML."""
    reason = _too_much(what)
    if not reason:
        with run_of(what) as source:
            page, title = document(*source), source.run.scene.title
        if len(page) <= LARGEST:
            return _FRAME.format(page=html.escape(page), title=html.escape(title))
        reason = f"its page would have {len(page) / 1e6:.0f} MB"
    words = f"A picture only, for {reason}: page(…, 'run.html') writes it, show(…) opens a window."
    return f"{_picture(what)}<p>{html.escape(words)}</p>"


def _too_much(what: Simulation | Run | Scene) -> str:
    """Why something is not run and made a page of, or nothing."""
    if isinstance(what, Run):
        impacts = int(np.count_nonzero(what.rows.kind <= OBSTACLE))
        size = _FOR_AN_IMPACT * impacts + _size_of_flights(what)
        words = f"it has {impacts:,} impacts, and its page would have about {size / 1e6:.0f} MB"
        return words if size > LARGEST else ""
    scene, balls = (what.scene if isinstance(what, Simulation) else what), len(what.balls)
    if balls > MOST_BALLS:
        return f"it has {balls:,} balls"
    frames = scene.duration / scene.frame_every if scene is not None else 1000.0
    if balls * frames > MOST_BALLS_AND_TIME:
        return "it would have to be run for long"
    return ""


def _size_of_flights(run: Run) -> int:
    """Bytes of the file of logged flights, which take about as many or more in a page."""
    file = run.directory / FLIGHTS
    return file.stat().st_size if file.is_file() else 0


def _picture(what: Simulation | Run | Scene) -> str:
    """A picture of its present state, or of the start of a run; nothing where none can be had."""
    with TemporaryDirectory(prefix="spheresim-") as folder:
        file = Path(folder) / "picture.png"
        try:
            screenshot(what, file, size=(800, 450))
        except NoPictureError:
            return ""
        data = base64.b64encode(file.read_bytes()).decode()
    return f'<img alt="how it is at the start" width="800" src="data:image/png;base64,{data}">'
