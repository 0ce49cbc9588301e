"""Collision: time of impact, response, and what both engines do alike at an impact."""
