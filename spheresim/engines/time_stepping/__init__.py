"""The fixed-timestep engine: a kick of gravity, then every impact of the step in order."""
