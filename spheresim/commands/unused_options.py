"""Options that replace values of a scene, and change nothing in this one."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.scene import Scene


def warn_of_unused(overrides: Mapping[str, Any], scene: Scene) -> None:
    """Print a warning for each of the options that changes nothing."""
    for warning in _without_effect(overrides, scene):
        print(f"warning: {warning}", file=sys.stderr)


def _without_effect(overrides: Mapping[str, Any], scene: Scene) -> Iterator[str]:
    slices, step = overrides.get("slices"), overrides.get("step")
    if slices is not None and scene.toi != "sliced":
        yield f"--slices {slices} changes nothing without --toi sliced"
    # Without a time between frames in the scene, frames are a step apart.
    if (
        step is not None
        and not ENGINE_KINDS[scene.engine].has_fixed_step
        and scene.frame_every != scene.step
    ):
        yield f'--step {step:g} changes nothing with the engine "{scene.engine}"'
