"""The exact engine: from impact to impact, without a timestep."""
