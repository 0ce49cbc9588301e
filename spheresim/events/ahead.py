"""Fetching ahead what the next events will ask for, so that nobody waits for memory.

The calendar knows who is next. With many balls nearly every record that an event looks at
is far from the processor, and an event begins with five accesses, each of which needs the
one before: bucket, event, ball and row, neighbours, the neighbours' events. When a bucket
opens, those of the buckets after it are sent for, each step early enough for the last.
With 100,000 balls it is 1.1 to 1.3 times as fast; with few it would only cost.
"""

from spheresim.compiled import inlined
from spheresim.events.calendar import upcoming
from spheresim.events.flight import NEIGHBOURS, Flight
from spheresim.processor import prefetch

MANY = 30_000
"""Balls from which on it is worth while: their records are larger than a near cache."""

_ROW, _RECORDS, _PARTNERS, _NEIGHBOURS = 24, 16, 10, 4
"""How many buckets ahead each step is."""


@inlined
def fetch_ahead(flight: Flight) -> None:
    """Send for what the buckets after the open one will need."""
    calendar = flight.calendar
    bucket, _ = upcoming(calendar, _ROW)
    prefetch(calendar.row, bucket)
    bucket, many = upcoming(calendar, _RECORDS)
    for k in range(many):
        i = calendar.row[bucket, k + 1]
        prefetch(flight.event, i)
        prefetch(flight.ball, i)
        prefetch(flight.body, i)
        prefetch(flight.row, i * NEIGHBOURS)
    bucket, many = upcoming(calendar, _PARTNERS)
    for k in range(many):
        i = flight.event[calendar.row[bucket, k + 1]].other
        prefetch(flight.event, i)
        prefetch(flight.body, i)
        prefetch(flight.row, i * NEIGHBOURS)
    bucket, many = upcoming(calendar, _NEIGHBOURS)
    for k in range(many):
        i = calendar.row[bucket, k + 1]
        j = flight.event[i].other
        for place in range(j * NEIGHBOURS, j * NEIGHBOURS + flight.event[j].neighbours):
            prefetch(flight.ball, flight.row[place])
        for place in range(i * NEIGHBOURS, i * NEIGHBOURS + flight.event[i].neighbours):
            prefetch(flight.ball, flight.row[place])
