"""Broad phase: candidate pairs, the balls that are near enough for a time of impact."""
