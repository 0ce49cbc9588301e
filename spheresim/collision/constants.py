"""Numbers of the collision methods that both engines and scene files refer to."""

SLICES = 150
"""Into how many slices the tutorial's program cuts what is left of a step."""

MOST_SLICES = 10**9
