"""Runs on disk: written as they go, read back as tables."""
