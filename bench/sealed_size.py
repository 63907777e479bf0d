"""Where the bytes of a sealed run are: points, their blobs, events, the rest.

`docs/formats/run-sqlite.md` has the tables. A column of times that several
series share is counted to each by its points.
"""

import sqlite3

CHUNKS = """
SELECT c.source, c.times, c.count, length(d.data) + coalesce(length(z.data), 0)
FROM chunk c JOIN chunk_data d ON d.id = c.id LEFT JOIN zoom z ON z.id = c.id
"""


def series(database):
    """(points, bytes) of all series and of those of devices."""
    chunks = database.execute(CHUNKS).fetchall()
    columns = dict(database.execute("SELECT id, length(data) FROM times"))
    users = dict.fromkeys(columns, 0)
    for _, times, count, _ in chunks:
        users[times] += count
    whole, devices = [0, 0.0], [0, 0.0]
    for source, times, count, own in chunks:
        cost = own + columns[times] * count / users[times]
        for total in [whole, devices] if source < 0 else [whole]:
            total[0] += count
            total[1] += cost
    return whole, devices


def measure(folder):
    file = folder / "run.sqlite"
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        whole, devices = series(database)
        events, event_bytes = database.execute("SELECT sum(count), sum(length(data)) FROM event").fetchone()
    finally:
        database.close()
    return {
        "file_bytes": file.stat().st_size,
        "points": whole[0],
        "series_bytes": whole[1],
        "device_points": devices[0],
        "device_bytes": devices[1],
        "events": events or 0,
        "event_bytes": event_bytes or 0,
    }
