"""The table of pairs of shapes × questions, as it stands in docs/collision_world.md.

`python -m spheresim.collision_world.pair_table` prints it.
"""

from spheresim.collision_world.pairs.table import QUESTIONS, has_answer, is_never_asked
from spheresim.collision_world.parts import KIND_NAMES

ANSWERED, UNSUPPORTED, NOT_ASKED = "yes", "–", "not asked"


def cell(kind: int, other: int, question: str) -> str:
    """What the table says of a question about two kinds."""
    if is_never_asked(kind, other):
        return NOT_ASKED
    return ANSWERED if has_answer(kind, other, question) else UNSUPPORTED


def pair_table() -> str:
    """The table in Markdown."""
    head = ["pair", *(f"{name}: {words}" for name, words in QUESTIONS.items())]
    lines = [head, ["---"] * len(head)]
    for kind, name in enumerate(KIND_NAMES):
        for other in range(kind, len(KIND_NAMES)):
            row = [cell(kind, other, question) for question in QUESTIONS]
            lines.append([f"{name} × {KIND_NAMES[other]}", *row])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(pair_table())
