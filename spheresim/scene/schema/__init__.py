"""The tables of a scene file as pydantic models: types, bounds, defaults, a word on each field."""
