"""Lessons to be played with: each a method of collision detection, drawn as it works.

They are made of the library's public calls, and of what `Diagram` can draw.
"""
