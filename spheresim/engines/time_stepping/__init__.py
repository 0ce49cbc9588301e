"""The fixed-timestep engine: kick, then every impact of the step in order of time."""
