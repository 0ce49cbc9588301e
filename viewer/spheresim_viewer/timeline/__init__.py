"""How time runs in the viewer: what was, what is, what comes, all on one exact course."""

from viewer.timeline.course import Settings
from viewer.timeline.history import Limits
from viewer.timeline.moment import Moment
from viewer.timeline.player import Player, play_run, play_scene
from viewer.timeline.segments import Change

__all__ = ["Change", "Limits", "Moment", "Player", "Settings", "play_run", "play_scene"]
