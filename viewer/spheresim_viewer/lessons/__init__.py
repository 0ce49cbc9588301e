"""Interactive lessons: each draws a method of collision detection at work.

They use public functions of spheresim, and draw with `Diagram`.
"""
