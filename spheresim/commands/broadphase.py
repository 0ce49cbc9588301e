"""`spheresim broadphase`: its options. The work is in `broadphase_costs`, imported when it runs."""

from typing import Annotated

import typer

_LIST = "one or several, separated by commas"


def broadphase(
    count: Annotated[str, typer.Option(help=f"Numbers of objects: {_LIST}.")] = "1000",
    density: Annotated[
        str, typer.Option(help=f"Fractions of the volume that the objects fill: {_LIST}.")
    ] = "0.1",
    cell_size: Annotated[
        str,
        typer.Option(
            help=f"Cell sizes of the grid, in mean widths of the objects, or auto: {_LIST}."
        ),
    ] = "auto",
    method: Annotated[str, typer.Option(help=f"Broad phases: {_LIST}.  [default: all]")] = "",
    objects: Annotated[
        str,
        typer.Option(
            "--set",
            help=f"Arrangements of the objects, {_LIST}: uniform, clustered, sizes, "
            "one_huge, flat, line.",
        ),
    ] = "uniform",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the objects' positions.")] = 0,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
) -> None:
    """Compare broad phases: their times, and the numbers of pairs that they report."""
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
