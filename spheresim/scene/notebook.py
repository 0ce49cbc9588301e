"""What a notebook shows of simulations, runs and scenes: another package knows, if there is one.

The layers forbid importing that package here. It declares what shows them as an entry point
named "page" of the group "spheresim.notebook": a function from one of them to HTML.
"""

import html
from importlib.metadata import entry_points

from spheresim.scene.faults import one_line


class ShownInNotebooks:
    """Shows itself in a notebook as a page that plays, where the viewer is installed."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """HTML for notebooks; None, where nothing can make it: then they show `repr`."""
        for entry_point in entry_points(group="spheresim.notebook", name="page"):
            try:
                return str(entry_point.load()(self))
            except (ImportError, AttributeError):
                return None
            except (ValueError, RuntimeError) as fault:  # a damaged run, one that cannot go on
                return f"<p>{html.escape(one_line(fault))}</p>"
        return None
