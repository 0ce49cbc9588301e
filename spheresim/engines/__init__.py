"""The two engines: fixed time steps, and event-driven."""
