"""Which engines there are, which one suits what world, and what cannot go together."""

ENGINES = ("steps", "events")
"""The fixed timestep, and the exact engine, which goes from impact to impact."""

TOI_METHODS = ("analytic", "sliced")
"""How the fixed timestep finds impacts of two balls."""


def usual_engine(is_periodic: bool) -> str:
    """The engine where none is named: periodic space is for the exact one alone."""
    return "events" if is_periodic else "steps"


def misfit(engine: str, toi: str, is_periodic: bool) -> tuple[str, str] | None:
    """What does not go together: which of the two words is wrong, and why; None if all does."""
    if engine == "steps" and is_periodic:
        return "engine", 'must be "events", for the box is periodic, not "steps"'
    if engine == "events" and toi == "sliced":
        return (
            "toi",
            'must be "analytic" with the engine "events", which has no slices, not "sliced"',
        )
    return None
