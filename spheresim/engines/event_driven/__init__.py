"""The event-driven engine: from impact to impact, exactly, without a time step."""
