"""Obstacles, one file each, which all answer the same questions (`shape`), and their table.

Planes and cylinders compute when a ball reaches them. All others list their `features`, which do.
"""
