"""Broad phase: which balls are near enough to be asked when they touch?"""
