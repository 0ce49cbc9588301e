"""The directive `live`: a scene that plays inside a document, made when the documents are made.

    ```{live} magic_room
    :duration: 300
    ```

A name without a file is a shipped scene; a path is relative to the folder of the documents. The
caption is the directive's body.
"""

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FRAME = (
    '<iframe src="{source}" title="{title}" loading="lazy" sandbox="allow-scripts" '
    'style="box-sizing: border-box; width: 100%; '
    'height: {height}px; border: 1px solid #d5dae0; border-radius: 8px">'
    "</iframe>"
    '<p style="font-size: 90%; margin-top: .3em">{caption}<a href="{source}">on a page of its '
    "own</a></p>"
)


class Live(SphinxDirective):
    """A frame with the page of a scene."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {"duration": float, "height": directives.nonnegative_int}
    has_content = True

    def run(self) -> list[nodes.Node]:
        scene, folder = self.arguments[0], Path(self.env.app.outdir) / "pages"
        duration = self.options.get("duration")
        name = Path(scene).stem + (f"-{duration:g}" if duration else "")
        file = folder / f"{name}.html"
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            write(scene if "." not in scene else str(Path(self.env.srcdir) / scene), file, duration)
        up = "../" * self.env.docname.count("/")
        caption = " ".join(self.content)
        frame = FRAME.format(
            source=f"{up}pages/{file.name}",
            title=f"{name}, playing",
            height=self.options.get("height", 520),
            caption=f"{caption} — " if caption else "",
        )
        return [nodes.raw("", frame, format="html")]


def write(scene: str, file: Path, duration: float | None) -> None:
    """Make the page of a scene, run for its own duration or another."""
    from spheresim_viewer import page

    from spheresim.scene import load_scene

    page(load_scene(scene, **({"duration": duration} if duration else {})), file)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("live", Live)
    return {"parallel_read_safe": True}
