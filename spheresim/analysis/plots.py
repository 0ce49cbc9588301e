"""Plots of an analysis: a file for each, and a page with all of them. matplotlib draws them.

Readable in print and by the colour-blind: the colors are those of M. Okabe and K. Ito, "Color
Universal Design" (2008), and what is measured (dots or a solid line, with a band of one standard
error) differs from theory and fits (dashed black lines) without any color.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spheresim.analysis import published_hard_spheres
from spheresim.analysis.catalogue import Analysis
from spheresim.analysis.measured import Curve
from spheresim.numerics.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"

STYLE = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.3,
    "savefig.dpi": 200,
    "svg.hashsalt": "spheresim",
}

_A4 = (8.27, 11.69)
"""Width and height of a page in inches."""


def _theory(axes: Any, x: Floats, y: np.ndarray | None, label: str) -> None:
    axes.plot(x, y, "--", color="black", linewidth=1.0, label=label)


def _measured(axes: "Axes", curve: Curve, color: str = BLUE, label: str = "measured") -> None:
    axes.plot(curve.x, curve.value, color=color, label=label)
    if curve.error is not None:
        low, high = curve.value - curve.error, curve.value + curve.error
        axes.fill_between(curve.x, low, high, color=color, alpha=0.3, linewidth=0)


def draw_energy(axes: "Axes", analysis: Analysis) -> None:
    """Kinetic, potential and total energy over time."""
    found = analysis.conservation
    assert found is not None
    axes.plot(found.t, found.total, color=BLUE, label="total")
    if found.potential.any():
        axes.plot(found.t, found.kinetic, "--", color=ORANGE, label="kinetic")
        axes.plot(found.t, found.potential, ":", color=GREEN, label="potential")
    scale = max(float(np.abs(found.total).max()), float(found.kinetic.max()))
    drift = float(np.abs(found.total - found.total[0]).max()) / scale if scale else 0.0
    axes.set(title=f"Energy (changes by {drift:.1e} of it)", xlabel="time", ylabel="energy")
    if not found.potential.any():
        axes.set_ylim(0.0, 1.1 * scale or 1.0)
    axes.legend()


def draw_momentum(axes: "Axes", analysis: Analysis) -> None:
    """The three components of momentum over time, in units of Σ m|v|."""
    found = analysis.conservation
    assert found is not None
    scale = float(found.speeds.max()) or 1.0
    styles = (("-", BLUE), ("--", ORANGE), (":", GREEN))
    for axis, (line, color) in enumerate(styles):
        axes.plot(found.t, found.momentum[:, axis] / scale, line, color=color, label="xyz"[axis])
    axes.set(title="Momentum", xlabel="time", ylabel="momentum / Σ m|v|")
    axes.legend(ncols=3)


def draw_speeds(axes: "Axes", analysis: Analysis) -> None:
    """The distribution of speeds, and Maxwell's."""
    found = analysis.speeds
    assert found is not None
    density = found.density
    axes.errorbar(
        density.x,
        density.value,
        density.error,
        fmt="o",
        ms=2.5,
        lw=0.8,
        color=BLUE,
        label="measured",
    )
    _theory(axes, density.x, density.published, "Maxwell")
    axes.set(title="Speeds", xlabel="speed / thermal speed", ylabel="density")
    axes.legend()


def draw_free_paths(axes: "Axes", analysis: Analysis) -> None:
    """The distribution of free paths."""
    found = analysis.free_paths
    assert found is not None
    seen = found.density.value > 0.0
    curve = found.density.taken(seen)
    axes.errorbar(
        curve.x,
        curve.value,
        curve.error,
        fmt="o",
        ms=2.5,
        lw=0.8,
        color=BLUE,
        label=f"measured, mean {found.mean.value:.4g}",
    )
    _theory(axes, curve.x, curve.published, "without memory, e$^{-s}$")
    path = f"path / {analysis.name_of_mean_path}"
    axes.set(title="Free paths", xlabel=path, ylabel="density", yscale="log")
    axes.legend()


def draw_collision_rate(axes: "Axes", analysis: Analysis) -> None:
    """The collision rate in blocks of time."""
    found = analysis.collision_rate
    assert found is not None
    mean, curve = found
    axes.plot(
        curve.x, curve.value, "o-", ms=2.5, lw=0.8, color=BLUE, label=f"mean {mean.value:.4g}"
    )
    name = analysis.name_of_rate
    _published(axes, analysis, name)
    axes.set(title=name.capitalize(), xlabel="time", ylabel="impacts per ball and time")
    axes.legend()


def draw_pressure(axes: "Axes", analysis: Analysis) -> None:
    """The compressibility factor in blocks of time."""
    found = analysis.pressure
    assert found is not None
    factor, curve = found.compressibility_factor, found.over_time
    axes.plot(
        curve.x, curve.value, "o-", ms=2.5, lw=0.8, color=BLUE, label=f"mean {factor.value:.4g}"
    )
    _published(axes, analysis, "compressibility factor")
    axes.set(title="Compressibility factor", xlabel="time", ylabel="Z = PV / NkT")
    axes.legend()


def _published(axes: "Axes", analysis: Analysis, name: str) -> None:
    value = analysis.figures()[name].published
    if value is not None:
        axes.axhline(value, ls="--", lw=1.0, color="black", label=f"published {value:.4g}")


def draw_radial_distribution(axes: "Axes", analysis: Analysis) -> None:
    """g(r), and g(σ⁺) as published."""
    found = analysis.radial_distribution
    assert found is not None
    _measured(axes, found)
    axes.axhline(1.0, lw=0.6, color="gray")
    if analysis.fluid is not None:
        contact = published_hard_spheres.contact_value(analysis.fluid.packing_fraction)
        axes.plot(
            analysis.fluid.diameter,
            contact,
            "D",
            ms=5,
            mfc="none",
            color="black",
            label=f"published at contact, {contact:.4g}",
        )
    axes.set(title="Radial distribution function", xlabel="r", ylabel="g(r)")
    axes.legend()


def draw_structure_factor(axes: "Axes", analysis: Analysis) -> None:
    """S(k), and that of Percus and Yevick."""
    found = analysis.structure_factor
    assert found is not None
    _measured(axes, found)
    fluid = analysis.fluid
    if fluid is not None:
        fine = np.linspace(found.x[0], found.x[-1], 300)
        theory = published_hard_spheres.percus_yevick_structure(
            fine, fluid.packing_fraction, fluid.diameter
        )
        _theory(axes, fine, theory, "Percus–Yevick")
    axes.set(title="Structure factor", xlabel="k", ylabel="S(k)")
    axes.legend()


def draw_displacement(axes: "Axes", analysis: Analysis) -> None:
    """The mean squared displacement, with the line that gives D."""
    found = analysis.displacement
    assert found is not None
    lags = found.x[1:]
    _measured(axes, Curve(lags, found.value[1:], None if found.error is None else found.error[1:]))
    if analysis.diffusion is not None:
        line = analysis.diffusion
        used = (lags >= line.begin) & (lags <= line.end)
        slope = np.polyfit(lags[used], found.value[1:][used], 1)
        _theory(
            axes,
            lags[used],
            np.polyval(slope, lags[used]),
            f"D = {line.coefficient}".replace(" length²/time", ""),
        )
    axes.set(title="Mean squared displacement", xlabel="lag", ylabel="⟨|Δx|²⟩")
    axes.set(xscale="log", yscale="log")
    axes.legend()


def draw_autocorrelation(axes: "Axes", analysis: Analysis) -> None:
    """The velocity autocorrelation, and Enskog's."""
    found = analysis.autocorrelation
    assert found is not None
    start = float(found.value[0]) or 1.0
    fluid = analysis.fluid
    shown = found.x <= (found.x[-1] if fluid is None else 15.0 / fluid.collision_rate)
    if shown.sum() < 5:
        shown = np.arange(len(found.x)) < 5
    error = None if found.error is None else found.error[shown] / start
    _measured(axes, Curve(found.x[shown], found.value[shown] / start, error))
    if fluid is not None and analysis.has_free_flights and not analysis.is_lossy:
        fine = np.linspace(0.0, found.x[shown][-1], 200)
        _theory(axes, fine, np.exp(-2.0 / 3.0 * fluid.collision_rate * fine), "Enskog")
    axes.axhline(0.0, lw=0.6, color="gray")
    axes.set(title="Velocity autocorrelation", xlabel="lag", ylabel="⟨v·v′⟩ / ⟨v²⟩")
    axes.legend()


def draw_cooling(axes: "Axes", analysis: Analysis) -> None:
    """The granular temperature, and Haff's law fitted to it."""
    found = analysis.cooling
    assert found is not None
    curve = found.temperature
    _measured(axes, curve)
    _theory(
        axes, curve.x, curve.published, f"T$_0$ / (1 + t/τ)$^p$, p = {found.exponent.value:.3f}"
    )
    axes.set(title="Haff's law", xlabel="time", ylabel="temperature", yscale="log")
    axes.legend()


PLOTS: dict[str, tuple[str, Callable[["Axes", Analysis], None]]] = {
    "energy": ("conservation", draw_energy),
    "momentum": ("conservation", draw_momentum),
    "speeds": ("speeds", draw_speeds),
    "free_paths": ("free_paths", draw_free_paths),
    "collision_rate": ("collision_rate", draw_collision_rate),
    "compressibility_factor": ("pressure", draw_pressure),
    "radial_distribution": ("radial_distribution", draw_radial_distribution),
    "structure_factor": ("structure_factor", draw_structure_factor),
    "displacement": ("displacement", draw_displacement),
    "autocorrelation": ("autocorrelation", draw_autocorrelation),
    "cooling": ("cooling", draw_cooling),
}
"""The plots by the names of their files: what of an analysis they need, and what draws them."""


PAGE = "page.pdf"
"""The page with all plots."""

FILES = {f"{name}.png": b"\x89PNG" for name in PLOTS} | {PAGE: b"%PDF-"}
"""All files that may be written, and the bytes that each kind of them begins with."""


def save_plots(analysis: Analysis, directory: Path, title: str) -> list[Path]:
    """Write a PNG for each plot that there is data for, and `page.pdf` with all of them."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    drawn = {
        name: draw
        for name, (needed, draw) in PLOTS.items()
        if getattr(analysis, needed) is not None
    }
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / f"{name}.png" for name in drawn]
    with mpl.rc_context(STYLE):
        for path, draw in zip(paths, drawn.values(), strict=True):
            figure = Figure(figsize=(5.0, 3.5), layout="constrained")
            draw(figure.subplots(), analysis)
            figure.savefig(path, metadata={"Software": "spheresim"})
        page = Figure(figsize=_A4, layout="constrained")
        page.suptitle(title)
        grid = page.subplots(math.ceil(len(drawn) / 2), 2, squeeze=False).ravel()
        for axes, draw in zip(grid, drawn.values(), strict=False):
            draw(axes, analysis)
        for axes in grid[len(drawn) :]:
            axes.set_axis_off()
        page.savefig(directory / PAGE, metadata={"Creator": "spheresim", "CreationDate": None})
    return [*paths, directory / PAGE]
