"""Time in the viewer: playing, rewinding and seeking in a simulation or a finished run."""

from spheresim_viewer.timeline.history import Limits
from spheresim_viewer.timeline.player import Player, play_run, play_scene
from spheresim_viewer.timeline.population import Settings
from spheresim_viewer.timeline.segments import Change
from spheresim_viewer.timeline.snapshot import Snapshot

__all__ = ["Change", "Limits", "Player", "Settings", "Snapshot", "play_run", "play_scene"]
