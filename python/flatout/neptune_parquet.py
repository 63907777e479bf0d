"""Read the Parquet files of Neptune's exporter for `flatout import`. Run by flatout with the user's Python:

    python3 neptune_parquet.py --check    exit 0 where pyarrow is there
    python3 neptune_parquet.py            a JSON array of paths a line on stdin: the parts of one run, in order

Python 3.9 and pyarrow; nothing else. A run is answered on stdout by frames, each a letter, a length (u32, little endian) and so many bytes:

    H  JSON: {"project", "run", "first_ms"|null, "system": {path: value}, "scale": {path: digits}}; first, once; times are milliseconds
    V  numbers of series: count of names (u32), each name (u32 length, bytes), count (u32), then columns: index of the name (i32),
       milliseconds since 1970 (i64), step in millionths (i64), value (f64); the lowest i64 stands for none
    R  JSON: {"path", "type", "step" in millionths|null, "ms"|null, "value"}: one of anything else
    N  JSON: a text for the user
    E  JSON: null, or why the run cannot be read; last, once

"scale" says of series whose steps are not whole how many decimal digits they have.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

NONE = -(1 << 63)
BATCH_ROWS = 32_768
LARGEST_FRAME = 8 << 20
MOST_MEMORY_BYTES = 4 << 30
# What says who the run was; written once a run, among millions of rows.
HEAD = ("sys/name", "sys/custom_run_id", "sys/creation_time", "sys/modification_time", "sys/ping_time", "sys/description", "sys/hostname",
        "sys/tags", "sys/group_tags", "sys/failed", "sys/state", "source_code/entrypoint")
NEEDED = ("project_id", "run_id", "attribute_path", "attribute_type")
VALUE_OF = {"float": "float_value", "int": "int_value", "string": "string_value", "bool": "bool_value", "datetime": "datetime_value",
            "string_set": "string_set_value", "string_series": "string_value", "histogram_series": "histogram_value", "file": "file_value",
            "file_series": "file_value", "file_set": "file_value", "artifact": "file_value"}


class NotReadable(Exception):
    """Why a run cannot be read."""


class Frames:
    def __init__(self, out: BinaryIO) -> None:
        self.out = out

    def send(self, kind: bytes, payload: bytes) -> None:
        self.out.write(kind + struct.pack("<I", len(payload)))
        self.out.write(payload)

    def json(self, kind: bytes, value: Any) -> bool:
        payload = json.dumps(value, separators=(",", ":")).encode("utf-8", "replace")
        if len(payload) > LARGEST_FRAME:
            return False
        self.send(kind, payload)
        return True


def types(pyarrow: Any) -> dict[str, Any]:
    """The exporter's columns, as it writes them."""
    text, when = pyarrow.string(), pyarrow.timestamp("ms", tz="UTC")
    numbers = pyarrow.list_(pyarrow.float64())
    return {
        "project_id": text,
        "run_id": text,
        "attribute_path": text,
        "attribute_type": text,
        "step": pyarrow.decimal128(18, 6),
        "timestamp": when,
        "int_value": pyarrow.int64(),
        "float_value": pyarrow.float64(),
        "string_value": text,
        "bool_value": pyarrow.bool_(),
        "datetime_value": when,
        "string_set_value": pyarrow.list_(text),
        "file_value": pyarrow.struct([("path", text)]),
        "histogram_value": pyarrow.struct([("type", text), ("edges", numbers), ("values", numbers)]),
    }


class Part:
    """One file."""

    def __init__(self, path: str) -> None:
        import pyarrow
        from pyarrow import parquet

        self.pyarrow = pyarrow
        self.path = path
        self.types = types(pyarrow)
        self.file = parquet.ParquetFile(path, memory_map=False, pre_buffer=False)
        self.names = set(self.file.schema_arrow.names)
        missing = [name for name in NEEDED if name not in self.names]
        if missing:
            raise NotReadable(f"it is no file of neptune-exporter: it has no column {missing[0]}")

    def batches(self, columns: list[str], row_group: int) -> Iterator[dict[str, Any]]:
        """Columns by name; one that the file lacks is all null."""
        there = [name for name in columns if name in self.names]
        for batch in self.file.iter_batches(batch_size=BATCH_ROWS, row_groups=[row_group], columns=there, use_threads=False):
            found = {name: batch.column(batch.schema.get_field_index(name)) for name in there}
            out = {}
            for name in columns:
                column = found.get(name)
                if column is None:
                    column = self.pyarrow.nulls(batch.num_rows, self.types[name])
                elif column.type != self.types[name]:
                    column = column.cast(self.types[name])
                out[name] = column
            yield out

    def row_groups(self) -> range:
        return range(self.file.metadata.num_row_groups)


def plain(kind: str, scalar: Any, pyarrow: Any) -> Any:
    """A value of JSON."""
    if kind == "datetime":
        try:
            when = scalar.cast(pyarrow.timestamp("ms")).as_py()
        except (ValueError, OverflowError):
            return None  # a year that Python has not
        return None if when is None else when.isoformat() + "Z"
    value = scalar.as_py()
    return value.get("path") if VALUE_OF[kind] == "file_value" and value is not None else value


class Run:
    def __init__(self, paths: list[str], frames: Frames) -> None:
        self.frames = frames
        self.parts: list[Part] = []
        self.project: str | None = None
        self.run: str | None = None
        self.first_ms: int | None = None
        self.system: dict[str, Any] = {}
        self.scale: dict[str, int] = {}
        self.others = 0
        self.unknown: dict[str, int] = {}
        self.too_long = 0
        for path in paths:
            try:
                self.parts.append(Part(path))
            except Exception as error:
                if len(paths) == 1:
                    raise NotReadable(reason(error)) from error
                self.note(f"{path} cannot be read and was left out: {reason(error)}")
        if not self.parts:
            raise NotReadable("none of its parts can be read")

    def note(self, text: str) -> None:
        self.frames.json(b"N", text)

    def look(self) -> None:
        """Who it was, and which series have steps that are not whole: what must be known before the first number."""
        for part in list(self.parts):
            try:
                for group in part.row_groups():
                    self.look_at(part, group)
            except Exception as error:
                if isinstance(error, MemoryError) or not self.run:
                    raise
                break  # the reading proper meets it again, and says so
        if not self.run:
            raise NotReadable("it holds no rows")

    def look_at(self, part: Part, group: int) -> None:
        import pyarrow
        import pyarrow.compute as compute

        has_head = False
        for batch in part.batches([*NEEDED, "step", "timestamp"], group):
            paths = batch["attribute_path"]
            earliest = compute.min(batch["timestamp"].cast(pyarrow.int64())).as_py()
            if earliest is not None:
                self.first_ms = earliest if self.first_ms is None else min(self.first_ms, earliest)
            if not self.run:
                self.project = first(batch["project_id"])
                self.run = first(batch["run_id"])
            has_head = has_head or compute.any(compute.is_in(paths, pyarrow.array(HEAD))).as_py() is True
            series = compute.equal(batch["attribute_type"], "float_series")
            for digits in range(6):
                uneven = compute.and_(series, compute.not_equal(compute.round(batch["step"], ndigits=digits), batch["step"]))
                found = compute.unique(paths.filter(uneven)).to_pylist()
                if not found:
                    break
                for path in found:
                    self.scale[path] = max(self.scale.get(path, 0), digits + 1)
        if has_head:
            for batch in part.batches(list(part.types), group):
                wanted = compute.and_(compute.is_in(batch["attribute_path"], pyarrow.array(HEAD)), compute.equal(batch["run_id"], self.run or ""))
                self.look_at_head({name: column.filter(wanted) for name, column in batch.items()})

    def look_at_head(self, columns: dict[str, Any]) -> None:
        import pyarrow

        for at, (path, kind) in enumerate(zip(columns["attribute_path"].to_pylist(), columns["attribute_type"].to_pylist())):
            if kind == "datetime":
                value = columns["datetime_value"][at].cast(pyarrow.int64()).as_py()
            else:
                value = plain(kind, columns[VALUE_OF[kind]][at], pyarrow) if kind in VALUE_OF else None
            if value is not None:
                self.system.setdefault(path, value)

    def read(self) -> None:
        self.look()
        if not self.frames.json(b"H", {"project": self.project, "run": self.run, "first_ms": self.first_ms, "system": self.system, "scale": self.scale}):
            raise NotReadable("its description is too large")
        for part in self.parts:
            rows = 0
            try:
                for group in part.row_groups():
                    for batch in part.batches(list(part.types), group):
                        self.send(batch)
                        rows += len(batch["run_id"])
            except BrokenPipeError:
                raise
            except Exception as error:
                self.note(f"{part.path} was read to its row {rows}; the rest was left out: {reason(error)}")
        if self.others:
            self.note(f"{self.others} rows belong to another run and were left out")
        if self.too_long:
            self.note(f"{self.too_long} values of more than {LARGEST_FRAME >> 20} MiB were left out")
        for kind, count in self.unknown.items():
            self.note(f"{count} attributes of the type {kind} were left out")

    def send(self, batch: dict[str, Any]) -> None:
        import pyarrow.compute as compute

        mine = compute.fill_null(compute.equal(batch["run_id"], self.run or ""), False)
        self.others += len(mine) - (compute.sum(mine).as_py() or 0)
        series = compute.equal(batch["attribute_type"], "float_series")
        numbers = compute.and_(compute.and_(mine, series), compute.is_valid(batch["float_value"]))
        self.send_numbers({name: batch[name].filter(numbers) for name in ("attribute_path", "timestamp", "step", "float_value")})
        rest = compute.and_(mine, compute.invert(compute.fill_null(series, False)))
        self.send_rest({name: column.filter(rest) for name, column in batch.items()})

    def send_numbers(self, columns: dict[str, Any]) -> None:
        import pyarrow
        import pyarrow.compute as compute

        count = len(columns["float_value"])
        if count == 0:
            return
        paths = compute.dictionary_encode(compute.fill_null(columns["attribute_path"], ""))
        names = [name.encode("utf-8", "replace") for name in paths.dictionary.to_pylist()]
        size = sum(4 + len(name) for name in names) + 8 + 28 * count
        if size > LARGEST_FRAME:
            if count == 1:
                self.too_long += 1
                return
            for begin, length in ((0, count // 2), (count // 2, count - count // 2)):
                self.send_numbers({name: pyarrow.concat_arrays([column.slice(begin, length)]) for name, column in columns.items()})
            return
        millis = compute.fill_null(columns["timestamp"].cast(pyarrow.int64()), NONE)
        head = struct.pack("<I", len(names)) + b"".join(struct.pack("<I", len(name)) + name for name in names)
        body = [raw(paths.indices, 4), raw(millis, 8), raw(millionths(columns["step"]), 8), raw(columns["float_value"], 8)]
        self.frames.send(b"V", head + struct.pack("<I", count) + b"".join(body))

    def send_rest(self, columns: dict[str, Any]) -> None:
        import pyarrow

        kinds = columns["attribute_type"].to_pylist()
        if not kinds:
            return
        paths = columns["attribute_path"].to_pylist()
        steps = millionths(columns["step"]).to_pylist()
        times = columns["timestamp"].cast(pyarrow.int64()).to_pylist()
        for at, kind in enumerate(kinds):
            if kind not in VALUE_OF:
                self.unknown[str(kind)[:64]] = self.unknown.get(str(kind)[:64], 0) + 1
                continue
            value = plain(kind, columns[VALUE_OF[kind]][at], pyarrow)
            if value is None or not paths[at]:
                continue  # the exporter writes a row for each attribute that any run of its batch has
            row = {"path": paths[at], "type": kind, "step": None if steps[at] == NONE else steps[at], "ms": times[at], "value": value}
            if not self.frames.json(b"R", row):
                self.too_long += 1


def first(column: Any) -> str | None:
    for scalar in column:
        if scalar.is_valid:
            return str(scalar.as_py())
    return None


def raw(array: Any, width: int) -> bytes:
    """The bytes of a column without nulls."""
    begin = array.offset * width
    return bytes(memoryview(array.buffers()[1])[begin : begin + len(array) * width])


def millionths(steps: Any) -> Any:
    """Decimals of six digits as whole numbers: of their sixteen bytes the lower eight hold all eighteen digits."""
    import pyarrow
    import pyarrow.compute as compute

    if len(steps) == 0 or steps.null_count == len(steps):
        return compute.fill_null(pyarrow.nulls(len(steps), pyarrow.int64()), NONE)
    words = memoryview(steps.buffers()[1]).cast("q")[2 * steps.offset : 2 * (steps.offset + len(steps)) : 2]
    whole = pyarrow.Array.from_buffers(pyarrow.int64(), len(steps), [None, pyarrow.py_buffer(words.tobytes())])
    return compute.if_else(compute.is_valid(steps), whole, NONE)


def reason(error: Exception) -> str:
    """One line."""
    text = " ".join(str(error).split())[:300]
    return text if text and isinstance(error, NotReadable) else f"{type(error).__name__}: {text}"


def limit_memory() -> None:
    """A file may claim anything of what it unpacks to."""
    import resource

    with_limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MOST_MEMORY_BYTES if with_limit == resource.RLIM_INFINITY else min(with_limit, MOST_MEMORY_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (most, with_limit))


def serve(asked: BinaryIO, out: BinaryIO) -> None:
    frames = Frames(out)
    for line in asked:
        why: str | None = None
        try:
            Run(json.loads(line), frames).read()
        except BrokenPipeError:
            raise
        except Exception as error:
            why = reason(error)
        frames.json(b"E", why)
        out.flush()


def main(arguments: list[str]) -> int:
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # memory that is freed goes back
    if arguments == ["--check"]:
        import pyarrow.parquet  # noqa: F401

        return 0
    limit_memory()
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)  # the one that asked is gone
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
