"""Turn the CSV tables of `flatout export` into Parquet files. Run by flatout with the user's Python:

    python3 export_parquet.py --check          exit 0 where pyarrow is there
    python3 export_parquet.py FOLDER RUN_ID    FOLDER/*.csv -> FOLDER/*.parquet

Python 3.9 and pyarrow; nothing else. Columns get the types below, an empty cell is null.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

TEXT = {"metric", "source", "name", "slowest_stage"}
INTEGER = {
    "step",
    "updates",
    "draws",
    "pid",
    "worker",
    "iterator",
    "sequence",
    "read_bytes",
    "disk_bytes",
    "batch_bytes",
    "track",
}
BOOLEAN = {"warm_up"}
TIME = {"time", "start_time"}


def column_types(names: list[str], pyarrow: Any) -> dict[str, Any]:
    """Every column that is in none of the sets above is a number."""
    types = {}
    for name in names:
        if name in TEXT:
            types[name] = pyarrow.string()
        elif name in INTEGER:
            types[name] = pyarrow.int64()
        elif name in BOOLEAN:
            types[name] = pyarrow.bool_()
        elif name in TIME:
            types[name] = pyarrow.timestamp("ms", tz="UTC")
        else:
            types[name] = pyarrow.float64()
    return types


def convert(source: pathlib.Path, target: pathlib.Path, run_id: str) -> None:
    import pyarrow
    from pyarrow import csv, parquet

    with open(source, encoding="utf-8", errors="replace") as file:
        names = file.readline().rstrip("\n").split(",")
    options = csv.ConvertOptions(
        column_types=column_types(names, pyarrow),
        null_values=[""],
        strings_can_be_null=True,
        true_values=["1"],
        false_values=["0"],
        check_utf8=False,
    )
    reader = csv.open_csv(
        source, convert_options=options, parse_options=csv.ParseOptions(newlines_in_values=True)
    )
    schema = reader.schema.with_metadata({"flatout.run": run_id, "flatout.table": source.stem})
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(pyarrow.RecordBatch.from_arrays(batch.columns, schema=schema))


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        import pyarrow.parquet  # noqa: F401

        return 0
    folder = pathlib.Path(arguments[0])
    for source in sorted(folder.glob("*.csv")):
        convert(source, source.with_suffix(".parquet"), arguments[1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
