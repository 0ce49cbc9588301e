"""`spheresim broadphase`: what the broad phases propose, and how long they take.

What is imported here is quick: the rest is imported when the command runs.
"""

from typing import Annotated

import typer

_LIST = "one or several, with commas"


def broadphase(
    count: Annotated[str, typer.Option(help=f"Numbers of objects: {_LIST}.")] = "1000",
    density: Annotated[
        str, typer.Option(help=f"The part of the room that the objects fill: {_LIST}.")
    ] = "0.1",
    cell_size: Annotated[
        str,
        typer.Option(
            help=f"Sides of the grid's cells, in mean widths of the objects: {_LIST}; auto chooses."
        ),
    ] = "auto",
    method: Annotated[
        str, typer.Option(help=f"Broad phases: {_LIST}; by default, all of them.")
    ] = "",
    objects: Annotated[
        str,
        typer.Option(
            "--set", help=f"How the objects lie, {_LIST}: uniform, clustered, sizes, flat, …"
        ),
    ] = "uniform",
    seed: Annotated[int, typer.Option(min=0, help="Of the objects' places.")] = 0,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV in place of a table.")] = False,
) -> None:
    """Compare broad phases: the pairs that they propose, and the time they take."""
    from spheresim.commands.broadphase_costs import checked_plan, print_costs

    plan = checked_plan(
        counts=count,
        densities=density,
        cell_sizes=cell_size,
        methods=method,
        sets=objects,
        seed=seed,
    )
    raise typer.Exit(print_costs(plan, csv))
