"""Folders as neptune-exporter writes them. Run with a Python that has pyarrow:

    python neptune_export.py OUT < runs.json

runs.json: [{"project", "run", "scope"?, "parts": [[row, ...], ...], "files": {path: text}}]; a row holds the columns that are not null, steps and
decimals as texts, times as milliseconds. Each part becomes a file, and each thousand rows a row group of it.
"""

import decimal
import hashlib
import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

TIME = pa.timestamp("ms", tz="UTC")
NUMBERS = pa.list_(pa.float64())
SCHEMA = pa.schema([
    ("project_id", pa.string()),
    ("run_id", pa.string()),
    ("attribute_path", pa.string()),
    ("attribute_type", pa.string()),
    ("step", pa.decimal128(18, 6)),
    ("timestamp", TIME),
    ("int_value", pa.int64()),
    ("float_value", pa.float64()),
    ("string_value", pa.string()),
    ("bool_value", pa.bool_()),
    ("datetime_value", TIME),
    ("string_set_value", pa.list_(pa.string())),
    ("file_value", pa.struct([("path", pa.string())])),
    ("histogram_value", pa.struct([("type", pa.string()), ("edges", NUMBERS), ("values", NUMBERS)])),
])


def folder_name(text):
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return "".join(c if c.isalnum() or c in "_-" else "_" for c in text) + "-" + digest


def column(field, rows):
    values = [row.get(field.name) for row in rows]
    if field.name == "step":
        values = [None if value is None else decimal.Decimal(value).quantize(decimal.Decimal("1.000000")) for value in values]
    return pa.array(values, field.type)


def write(out, run):
    project = out / "data" / folder_name(run["project"]) / run.get("scope", "")
    project.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(run["parts"]):
        for row in rows:
            row.setdefault("project_id", run["project"])
            row.setdefault("run_id", run["run"])
        with pq.ParquetWriter(project / f"{folder_name(run['run'])}_part_{number}.parquet", SCHEMA, compression="snappy") as writer:
            for at in range(0, len(rows), 1000):
                piece = rows[at : at + 1000]
                writer.write_batch(pa.RecordBatch.from_arrays([column(field, piece) for field in SCHEMA], schema=SCHEMA))
    for path, text in run.get("files", {}).items():
        file = out / "files" / folder_name(run["project"]) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("latin-1"))


def long_run(out, points):
    """One run of so many points in 8 series, a row group of half a million each, by columns."""
    project = out / "data" / folder_name("team/long")
    project.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(project / f"{folder_name('LONG-1')}_part_0.parquet", SCHEMA, compression="snappy") as writer:
        for begin in range(0, points, 500_000):
            count = min(500_000, points - begin)
            steps = [(begin + i) // 8 for i in range(count)]
            known = {
                "project_id": pa.array(["team/long"] * count),
                "run_id": pa.array(["LONG-1"] * count),
                "attribute_path": pa.array([f"train/metric_{i % 8}" for i in range(count)]),
                "attribute_type": pa.array(["float_series"] * count),
                "step": pa.array(steps, pa.int64()).cast(pa.decimal128(19, 0)).cast(pa.decimal128(18, 6), safe=False),
                "timestamp": pa.array([1_700_000_000_000 + step * 100 for step in steps], pa.int64()).cast(TIME),
                "float_value": pa.array([1.0 / (1 + step) for step in steps]),
            }
            writer.write_batch(pa.RecordBatch.from_arrays([known.get(f.name, pa.nulls(count, f.type)) for f in SCHEMA], schema=SCHEMA))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        long_run(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
    else:
        for described in json.load(sys.stdin):
            write(pathlib.Path(sys.argv[1]), described)
        pq.write_table(pa.table({"a": [1]}), pathlib.Path(sys.argv[1]) / "of_something_else.parquet")
