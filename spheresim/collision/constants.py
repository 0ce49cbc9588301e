"""Numbers that both engines, scene files and commands refer to."""

SLICES = 150
"""Into how many slices the tutorial's program cuts what is left of a step."""

MOST_SLICES = 10**9
"""The most slices that a scene or a command may ask for."""

MOST_BALLS_IN_ALL_PAIRS = 30_000
"""Up to so many balls all pairs are tested whether they ever collide: it takes a second or two."""
