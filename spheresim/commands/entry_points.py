"""Commands that other packages add to the command line: `view` and `lesson` are the viewer's.

The layers forbid importing those packages here. Each declares its commands as entry points of
the group "spheresim.commands": a name, and the function that typer makes a command of.
"""

from importlib.metadata import EntryPoint, entry_points
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from spheresim.commands.exit_codes import FAULT, INTERRUPTED
from spheresim.commands.option_faults import clarify


class CommandGroup(TyperGroup):
    """The commands of spheresim, then those of other packages; these replace none of the first."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for entry_point in entry_points(group="spheresim.commands"):
            if entry_point.name not in self.commands:
                self.commands[entry_point.name] = LazyCommand(entry_point)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an empty word, such as that of an unset variable: as a path it would be the
        current folder."""
        for before, word in pairwise(["spheresim", *args]):
            option, equals, value = word.partition("=")
            if not word or (option.startswith("--") and equals and not value):
                from spheresim.record.files_and_columns import RunError

                name = option if word else before
                raise RunError(f'{name} must be followed by a text that is not empty, not ""')
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Parse the rest of the words and run the command that they name."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as end:  # with which typer would end without a word
            # A command may say in its argument what there is not.
            typer.echo(": ".join(["interrupted", *end.args]), err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as fault:
            clarify(fault)
            raise


class LazyCommand(TyperCommand):
    """A command whose package is imported when the command, or the list of commands, is needed.

    So a broken package, or one hidden by a file of the same name in the current folder, affects
    only its own commands.
    """

    def __init__(self, entry_point: EntryPoint) -> None:
        super().__init__(entry_point.name)
        self._entry_point = entry_point

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the arguments as the loaded command does, which is the one that then runs."""
        try:
            command = self._load()
        except Exception as fault:  # whatever the code of another package may raise
            typer.echo(f"the command {self.name} {_reason(fault)}", err=True)
            raise typer.Exit(FAULT) from None
        return command.make_context(info_name, args, parent, **extra)

    def get_short_help_str(self, limit: int = 45) -> str:
        """The loaded command's line in the list of all commands, or why there is none."""
        try:
            return str(self._load().get_short_help_str(limit))
        except Exception as fault:
            return _reason(fault)

    def _load(self) -> Any:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(self.name)(self._entry_point.load())
        return typer.main.get_command(app)


def _reason(fault: Exception) -> str:
    from spheresim.scene.faults import one_line

    return f"cannot be loaded: {type(fault).__name__}: {one_line(fault)}"
