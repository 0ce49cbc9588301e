"""Obstacles: one file each, all answering the same few questions."""
