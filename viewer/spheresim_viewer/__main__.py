"""`python -m spheresim_viewer [SCENE|RUN_DIR]`: the same as `spheresim view`.

`python -m spheresim_viewer lesson NAME` is `spheresim lesson`.
"""

import sys

from spheresim.cli import main as run_command_line

COMMANDS = ("view", "lesson")


def main() -> None:
    """Run the command that the first argument names, or `view` if it names none."""
    if not set(sys.argv[1:2]) & set(COMMANDS):
        sys.argv.insert(1, "view")
    run_command_line()


if __name__ == "__main__":
    main()
