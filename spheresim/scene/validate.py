"""The tables of a scene file, each checked by itself; what lies between them is checked later."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from spheresim.scene.faults import MOST_DESCRIBED, Faults
from spheresim.scene.schema.scene import TABLES, SceneTable
from spheresim.scene.schema_messages import describe


@dataclass(frozen=True)
class SoundTables:
    """The tables without faults, by kind and index in the file; and the keys that have faults."""

    scene: SceneTable
    kinds: dict[str, dict[int, Any]]
    unsound: frozenset[str]


def validate(raw: dict[str, Any], faults: Faults) -> SoundTables:
    """The tables without faults; what is wrong with the others goes to `faults`."""
    if not any(raw.get(kind) for kind in ("ball", "fill", "ball_file")):
        faults.add(
            "ball", "is missing, expected is at least one [[ball]], [[fill]] or [[ball_file]]"
        )
    # All is well in most files.
    unsound: set[str] = set()
    try:
        table = SceneTable.model_validate(raw)
        kinds = {kind: dict(enumerate(getattr(table, kind))) for kind in TABLES}
        return SoundTables(table, kinds, frozenset())
    except ValidationError as failure:
        errors = failure.errors(include_url=False)
        for error in errors[:MOST_DESCRIBED]:
            faults.add(*describe(error, raw))
        faults.unsaid += len(errors[MOST_DESCRIBED:])
        unsound.update(str(error["loc"][0]) for error in errors)
    # Else keep what is sound, so that faults between tables are found too.
    kinds = {kind: _sound(kind, raw.get(kind, [])) for kind in TABLES}
    rest = {key: raw[key] for key in raw if key not in unsound and key not in TABLES}
    rest.setdefault("duration", 1.0)  # any: that it is missing has been reported
    return SoundTables(SceneTable.model_validate(rest), kinds, frozenset(unsound))


def _sound(kind: str, items: Any) -> dict[int, Any]:
    sound = {}
    for index, item in enumerate(items if isinstance(items, list) else []):
        try:
            sound[index] = TABLES[kind].model_validate(item)
        except ValidationError:
            continue  # its faults have been reported with those of the whole file
    return sound
