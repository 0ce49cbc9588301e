"""The catalogue of formats: in which a run can be written, and which files that makes."""

import importlib.util
from collections.abc import Iterable

from spheresim.record.files_and_columns import IN_EVERY_FORMAT, PART, RunError
from spheresim.record.formats.csv_tables import CsvTables
from spheresim.record.formats.gsd_frames import GsdFrames
from spheresim.record.formats.parquet_tables import ParquetTables
from spheresim.record.formats.table_writer import TableWriter
from spheresim.record.formats.xyz_frames import XyzFrames
from spheresim.record.missing_packages import needs

WRITERS: dict[str, type[TableWriter]] = {
    "csv": CsvTables,
    "parquet": ParquetTables,
    "xyz": XyzFrames,
    "gsd": GsdFrames,
}
"""The writer of each format, by the word for it."""

RUN_FILES = (
    *IN_EVERY_FORMAT[:4],
    *(name for writer in WRITERS.values() for name in writer.files),
    *IN_EVERY_FORMAT[4:],
)
"""All files that a run may write, those about the whole run first; those in Parquet are folders."""

INCOMPLETE = tuple(name + PART for name in RUN_FILES)
"""Incomplete files that a killed run may leave."""


def checked_formats(words: Iterable[str]) -> tuple[str, ...]:
    """The formats, each once and in the order of the table; RunError for what is none.

    A format whose package is not installed is refused, too, with the command that installs it.
    """
    asked = [words] if isinstance(words, str) else list(words)
    for word in asked:
        if word not in WRITERS:
            known = ", ".join(WRITERS)
            raise RunError(f"a format must be one of {known}, not {word!r}")
        package = WRITERS[word].package
        if package is not None and importlib.util.find_spec(package) is None:
            raise needs(f"the format {word}", package)
    if not asked:
        raise RunError(f"at least one format must be given, of {', '.join(WRITERS)}")
    return tuple(word for word in WRITERS if word in asked)
