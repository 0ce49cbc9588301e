"""Sweeps: one scene run many times with other values, on many processors, a row for each run."""
