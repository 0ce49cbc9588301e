"""The directives `live`, a scene that plays inside a document, and `gallery`, pictures of many that
lead to their pages; all are made when the documents are made.

    ```{live} magic_room
    :duration: 300
    ```

A name without a file is a shipped scene; a path is relative to the folder of the documents. The
caption is the directive's body.

    :::{gallery}
    :until: pile 2

    - [A pile](../scenes/pile.toml): Three hundred balls are poured into a box.
    :::

The option gives the durations of pages that end before their scenes do. Where no picture can be
drawn, for want of OpenGL, words stand alone.
"""

import html
import re
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


CARD = (
    '<a href="{source}" style="color: inherit; text-decoration: none">{picture}'
    "<strong>{title}</strong><br>{words}</a>"
)
PICTURE = (
    '<img src="{picture}" alt="" loading="lazy" '
    'style="width: 100%; aspect-ratio: 8 / 5; border-radius: 8px">'
)
GRID = (
    '<div style="display: grid; gap: 1.2em; font-size: 85%; line-height: 1.4; '
    'grid-template-columns: repeat(auto-fill, minmax(13em, 1fr))">{cards}</div>'
)
_MOMENT = 0.4
"""When a picture of a scene is taken, as a part of its page's duration."""
_SIZE = 480, 300
_SCENE = re.compile(r"^- \[(.+)\]\(.*?(\w+)\.toml\): (.+)$")


class Live(SphinxDirective):
    """A frame with the page of a scene."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {"duration": float, "height": directives.nonnegative_int}
    has_content = True

    def run(self) -> list[nodes.Node]:
        file = made(self, self.arguments[0], self.options.get("duration"))
        caption = " ".join(self.content)
        frame = FRAME.format(
            source=f"{above(self)}pages/{file.name}",
            title=f"{file.stem}, playing",
            height=self.options.get("height", 520),
            caption=f"{caption} — " if caption else "",
        )
        return [nodes.raw("", frame, format="html")]


class Gallery(SphinxDirective):
    """Pictures of scenes, side by side, each with its title and a sentence."""

    option_spec: ClassVar[Any] = {"until": directives.unchanged}
    has_content = True

    def run(self) -> list[nodes.Node]:
        pairs = (words.split() for words in self.options.get("until", "").split(",") if words)
        until = {name: float(duration) for name, duration in pairs}
        cards = []
        for line in filter(None, self.content):
            found = _SCENE.match(line)
            if found is None:
                raise self.error(f"a line of a gallery is `- [title](file): words`, not {line!r}")
            title, name, words = found.groups()
            file = made(self, name, until.get(name))
            picture = ""
            if photographed(name, file.with_suffix(".png"), until.get(name)):
                picture = PICTURE.format(picture=f"{above(self)}pages/{file.stem}.png")
            source = f"{above(self)}pages/{file.name}"
            shown = {"title": html.escape(title), "words": html.escape(words)}
            cards.append(CARD.format(source=source, picture=picture, **shown))
        return [nodes.raw("", GRID.format(cards="".join(cards)), format="html")]


def above(directive: SphinxDirective) -> str:
    """The way from a document to the root of the site."""
    return "../" * directive.env.docname.count("/")


def made(directive: SphinxDirective, scene: str, duration: float | None) -> Path:
    """The page of a scene, run for its own duration or another; it is made once."""
    from spheresim_viewer import page

    from spheresim.scene import load_scene

    folder = Path(directive.env.app.outdir) / "pages"
    name = Path(scene).stem + (f"-{duration:g}" if duration else "")
    file = folder / f"{name}.html"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path = scene if "." not in scene else str(Path(directive.env.srcdir) / scene)
        page(load_scene(path, **({"duration": duration} if duration else {})), file)
    return file


def photographed(name: str, file: Path, duration: float | None) -> bool:
    """Take the picture of a shipped scene, without words; whether there is one."""
    from dataclasses import replace

    from spheresim_viewer import NoPictureError, screenshot

    from spheresim.scene import load_scene

    if file.exists():
        return True
    scene = load_scene(name)
    silent = replace(scene, view=scene.view._replace(caption=None, counter=False))
    try:
        moment = _MOMENT * (duration or scene.duration)
        screenshot(silent, file, at=moment, size=_SIZE, show="bare")
    except NoPictureError:
        return False
    return True


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("live", Live)
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}
