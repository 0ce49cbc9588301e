"""How Sphinx makes the documents: `make docs`, which needs no network."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extension"))

project = "spheresim"
author = "the spheresim developers"
extensions = ["myst_parser", "drawings", "live_pages", "mathml", "reference"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["extension"]
html_theme = "furo"
html_title = "spheresim"
html_theme_options = {"sidebar_hide_name": False}
html_show_sourcelink = False
