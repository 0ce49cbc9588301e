"""The viewer: watch a scene, stop it, rewind it, look inside.

From Python: `show`, `screenshot`, `film` and `page` of a simulation, a run, a scene or a path.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spheresim_viewer.from_python import NoPictureError as NoPictureError
    from spheresim_viewer.from_python import film as film
    from spheresim_viewer.from_python import screenshot as screenshot
    from spheresim_viewer.from_python import show as show
    from spheresim_viewer.web.write import page as page
else:
    # They are imported when they are first used: the command line needs none of them.
    __all__ = ["NoPictureError", "film", "page", "screenshot", "show"]

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module 'spheresim_viewer' has no attribute {name!r}")
        module = "web.write" if name == "page" else "from_python"
        return getattr(import_module(f"spheresim_viewer.{module}"), name)
