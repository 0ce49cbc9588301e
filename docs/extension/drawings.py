"""The directive `drawing NAME`: a picture of the lesson, drawn by the formulas that it explains.

All are seen along the z-axis. Lines have the color of the text, for light and dark pages.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from spheresim import (
    Ball,
    Cylinder,
    Plane,
    Simulation,
    TRay,
    TVector,
    analytic_toi,
    obstacle_toi,
)

BLUE, ORANGE = "#2a7ab8", "#c8641e"
_SVG = (
    '<svg viewBox="{x} {y} {width} {height}" role="img" aria-label="{words}" '
    'style="width: 100%; max-width: {wide}px; display: block; margin: 1em auto" '
    'font-size="{size}" font-family="sans-serif" fill="none" stroke="currentColor" '
    'stroke-width="{thin}">{inside}</svg>'
)
_PIXELS = 620

Point = tuple[float, float]


def circle(centre: Point, radius: float, **style: str) -> str:
    """A circle; y points upwards here, downwards in SVG."""
    return f'<circle cx="{centre[0]:.5g}" cy="{-centre[1]:.5g}" r="{radius:.5g}"{_style(style)}/>'


def line(start: Point, end: Point, **style: str) -> str:
    """A straight line."""
    ends = f'x1="{start[0]:.5g}" y1="{-start[1]:.5g}" x2="{end[0]:.5g}" y2="{-end[1]:.5g}"'
    return f"<line {ends}{_style(style)}/>"


def arrow(start: Point, end: Point, color: str = "currentColor") -> str:
    """A line with a head at its end."""
    x, y = end[0] - start[0], end[1] - start[1]
    size = 0.12 / math.hypot(x, y)
    barbs = ((end[0] - size * (x + s * y), end[1] - size * (y - s * x)) for s in (-0.6, 0.6))
    return line(start, end, stroke=color) + "".join(line(end, at, stroke=color) for at in barbs)


def text(place: Point, words: str, **style: str) -> str:
    """Words that begin at a place."""
    given = _style({"fill": "currentColor", "stroke": "none", **style})
    return f'<text x="{place[0]:.5g}" y="{-place[1]:.5g}"{given}>{words}</text>'


def _style(style: dict[str, str]) -> str:
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())


def _svg(words: str, low: Point, high: Point, *parts: str) -> str:
    """What is between two corners; a letter is as high as 14 pixels."""
    width, height = high[0] - low[0], high[1] - low[1]
    pixel = width / _PIXELS
    return _SVG.format(
        x=low[0],
        y=-high[1],
        width=width,
        height=height,
        words=words,
        wide=_PIXELS,
        size=f"{14 * pixel:.4g}",
        thin=f"{1.2 * pixel:.4g}",
        inside="".join(parts),
    )


def offset() -> str:
    """A ball against a pillar is a point against a wider pillar."""
    pillar = Cylinder((0, 0, 0), (0, 0, 1), 1.5)
    ball = Ball((-5, 1.2, 0), (1, 0, 0), radius=0.7)
    x, y = -5 + obstacle_toi(ball, pillar), 1.2
    return _svg(
        "A ball flies to a pillar; its centre meets the pillar grown by the ball's radius",
        *((-6.2, -2.5), (4.2, 2.5)),
        circle((0, 0), 1.5, fill="currentColor", fill_opacity="0.25"),
        circle((0, 0), 1.5 + 0.7, stroke=BLUE, stroke_dasharray="0.12 0.08"),
        line((-5, y), (x, y), stroke=ORANGE),
        *(circle((at, y), 0.7, stroke=ORANGE) for at in (-5, x)),
        *(circle((at, y), 0.07, fill=ORANGE, stroke="none") for at in (-5, x)),
        text((-0.45, -0.1), "pillar, R"),
        text((1.7, -1.75), "grown, R + r", fill=BLUE),
        text((-5.5, 2.1), "ball, r", fill=ORANGE),
        text((-4.3, 0.25), "way of its centre", fill=ORANGE),
    )


def cylinder() -> str:
    """A ray against a cylinder, seen along the axis: where it goes in, and out."""
    shape, ray = Cylinder((0, 0, 0), (0, 0, 1), 2), TRay((-5, -0.4, 0), (1, 0.22, 0))
    first = shape.hit(ray)
    assert first is not None
    inside = first.point + ray.direction * 0.1
    second = shape.hit(TRay(inside, ray.direction))
    assert second is not None
    start, enter, leave = ((p[0], p[1]) for p in (ray.origin, first.point, second.point))
    end = leave[0] + 1.5, leave[1] + 1.5 * 0.22
    return _svg(
        "A ray goes into a circle at the smaller root and comes out at the larger",
        *((-6.2, -2.4), (4.4, 2.4)),
        circle((0, 0), 2, fill="currentColor", fill_opacity="0.12"),
        line(start, end, stroke=ORANGE),
        line((0, 0), start, stroke=BLUE, stroke_dasharray="0.12 0.08"),
        line((0, 0), enter),
        *(circle(at, 0.08, fill=ORANGE, stroke="none") for at in (start, enter, leave)),
        circle((0, 0), 0.06, fill="currentColor"),
        text((0.12, -0.3), "axis"),
        text((-0.95, 0.12), "R"),
        text((-3.0, -0.65), "q", fill=BLUE),
        text((start[0] - 0.4, start[1] + 0.3), "start, t = 0", fill=ORANGE),
        text((enter[0] - 1.75, enter[1] + 0.4), "in: smaller t", fill=ORANGE),
        text((leave[0] + 0.25, leave[1] - 0.5), "out: larger t", fill=ORANGE),
    )


def slices() -> str:
    """Two balls that graze between two slices, which see them apart both times."""
    a, b = Ball((0, 0, 0), (1, 0, 0), radius=0.5), Ball((2.3, 0.97, 0), radius=0.5)
    touch = analytic_toi(a, b)
    ends = [0.9 * k for k in range(5)]
    return _svg(
        "At the ends of slices the balls are apart; between two of them they touch",
        *((-0.9, -1.1), (4.9, 1.9)),
        circle((2.3, 0.97), 0.5, fill=BLUE, fill_opacity="0.3", stroke=BLUE),
        *(circle((x, 0), 0.5, stroke_opacity="0.7") for x in ends),
        *(circle((x, 0), 0.03, fill="currentColor") for x in ends),
        circle((touch, 0), 0.5, stroke=ORANGE, stroke_dasharray="0.06 0.04"),
        line((touch, 0), (2.3, 0.97), stroke=ORANGE),
        text((-0.35, -0.75), "a at the end of each slice"),
        text((2.95, 0.97), "b", fill=BLUE),
        text((2.6, -0.75), "a when they touch", fill=ORANGE),
    )


def supports() -> str:
    """A ball in a groove: gravity, and the forces of two supports that balance it."""
    slopes = [Plane((0, 0, 0), (x, 1, 0)) for x in (-1, 0.4)]
    n = [slope.normal for slope in slopes]
    # In the groove the centre is one radius above both slopes, and λ₁·n₁ + λ₂·n₂ = −g.
    matrix = np.array([[n[0].x, n[0].y], [n[1].x, n[1].y]])
    x, y = np.linalg.solve(matrix, [1.0, 1.0])
    force = np.linalg.solve(matrix.T, [0.0, 1.0])
    ways = [(TVector(normal.y, -normal.x, 0.0)) for normal in n]
    return _svg(
        "A ball lies on two slopes; their forces along the normals balance its weight",
        *((-3.1, -1.3), (3.4, 3.0)),
        line((0, 0), (-3 * ways[1].x, -3 * ways[1].y)),
        line((0, 0), (3 * ways[0].x, 3 * ways[0].y)),
        circle((x, y), 1.0, fill=BLUE, fill_opacity="0.25", stroke=BLUE),
        arrow((x, y), (x, y - 1.3)),
        *(
            arrow((x - m.x, y - m.y), (x - m.x * (1 - 1.3 * f), y - m.y * (1 - 1.3 * f)), ORANGE)
            for m, f in zip(n, force, strict=True)
        ),
        text((x + 0.1, y - 1.2), "g"),
        text((x - n[0].x + 0.2, y - n[0].y + 0.1), "λ₁·n₁", fill=ORANGE),
        text((x - n[1].x - 0.9, y - n[1].y + 0.1), "λ₂·n₂", fill=ORANGE),
    )


def island() -> str:
    """Two islands on a floor, and a ball that sleeps between them, which joins none."""
    first, second = [(-2.6, 0.5), (-1.6, 0.5), (-2.1, 1.366)], [(1.0, 0.5), (1.9, 0.936)]
    asleep = (0.0, 0.5)
    return _svg(
        "Balls that touch each other are islands; one that sleeps is of none",
        *((-3.4, -0.5), (3.4, 2.2)),
        line((-3.3, 0), (3.3, 0)),
        *(circle(at, 0.5, fill=BLUE, fill_opacity="0.3", stroke=BLUE) for at in first),
        *(circle(at, 0.5, fill=ORANGE, fill_opacity="0.3", stroke=ORANGE) for at in second),
        circle(asleep, 0.5, fill="currentColor", fill_opacity="0.15"),
        *(line(a, b, stroke=BLUE) for a, b in itertools.combinations(first, 2)),
        line(*second, stroke=ORANGE),
        text((-2.75, 1.95), "an island", fill=BLUE),
        text((1.1, 1.6), "another one", fill=ORANGE),
        text((-0.3, 1.15), "asleep"),
    )


def step() -> str:
    """The gap of two balls in a step, and the line below it that a step looks at."""
    # One passes the other: gap, its rate, and how it really changes.
    start, way, reach = np.array([1.0, 0.25]), np.array([-0.85, 0.5]), 0.9
    normal = start / np.linalg.norm(start)
    times = np.linspace(0.0, 1.0, 25)
    gaps = [np.linalg.norm(start + way * t) - reach for t in times]
    bounds = [gaps[0] + t * float(way @ normal) for t in (0.0, 1.0)]
    curve = [(5.0 * t, 3.0 * gap) for t, gap in zip(times, gaps, strict=True)]
    return _svg(
        "The gap is a convex curve; the straight line from its start is never above it",
        *((-0.7, -2.6), (6.2, 1.0)),
        line((0, 0), (5.6, 0)),
        line((0, -2.5), (0, 0.7)),
        *(line(a, b, stroke=BLUE) for a, b in itertools.pairwise(curve)),
        line((0, 3.0 * bounds[0]), (5, 3.0 * bounds[1]), stroke=ORANGE),
        text((0.15, 0.7), "gap"),
        text((5.65, -0.1), "h"),
        text((2.2, 0.25), "as it is: convex", fill=BLUE),
        text((1.0, -2.0), "gap + h·n·(v_i − v_j): never above it", fill=ORANGE),
    )


def proof() -> str:
    """Six balls between walls at rest, and the forces that the engine has found for them."""
    places = [(k, 0.5) for k in (-1.05, 0.0, 1.05)] + [(-0.52, 1.36), (0.53, 1.36), (0.0, 2.22)]
    balls = [Ball((x, y, 0.0), radius=0.5, restitution=0.3) for x, y in places]
    walls = [
        Plane((0, 0, 0), (0, 1, 0)),
        *(Plane((1.6 * side, 0, 0), (-side, 0, 0)) for side in (-1, 1)),
        *(Plane((0, 0, 0.5 * side), (0, 0, -side)) for side in (-1, 1)),
    ]
    simulation = Simulation(balls, walls, gravity=(0, -10, 0), engine="steps", step=0.002)
    simulation.run(until=20.0)
    rows, most = simulation.contacts, float(simulation.contacts.force.max())
    ends = simulation.position[:, :2]
    lines = []
    for row in rows:
        end = tuple(ends[row.i])
        other = tuple(ends[row.j]) if row.j >= 0 else (row.x, row.y)
        lines.append(line(end, other, stroke=ORANGE, stroke_width=f"{0.12 * row.force / most:.4g}"))
    return _svg(
        "Balls at rest between walls; lines along their contacts, as wide as the forces",
        *((-3.2, -0.3), (3.2, 3.0)),
        line((-1.6, 0), (1.6, 0)),
        *(line((1.6 * side, 0), (1.6 * side, 2.9)) for side in (-1, 1)),
        *(circle(tuple(at), 0.5, fill=BLUE, fill_opacity="0.2", stroke=BLUE) for at in ends),
        *lines,
    )


DRAWINGS: dict[str, Callable[[], str]] = {
    "offset": offset,
    "cylinder": cylinder,
    "slices": slices,
    "supports": supports,
    "island": island,
    "step": step,
    "proof": proof,
}


class Drawing(SphinxDirective):
    """A drawing by its name."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", DRAWINGS[self.arguments[0]](), format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("drawing", Drawing)
    return {"parallel_read_safe": True}
