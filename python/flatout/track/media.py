"""Image, Table, Histogram, Video, Audio, Html and the rest of wandb's values that are no numbers.

Each turns into what a `track_row` holds: an object with "_type", and the name of a file among the run's where it has one.
What cannot be turned says so in its object ("problem") and in a line; nothing raises while it is logged.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from typing import Any

from flatout.track import pictures
from flatout.track.channel import Channel
from flatout.track.errors import say_once
from flatout.track.plain import number, plain, text_of

__all__ = ["Audio", "Graph", "Histogram", "Html", "Image", "Media", "Molecule", "Object3D", "Plotly", "Table", "Video", "box3d"]


class Media:
    """A value with a file. `source` is a path, bytes, or something that `_encode` makes bytes of."""

    kind = "file"
    extension = "bin"

    def __init__(self, source: Any = None, caption: Any = None, **more: Any) -> None:
        self._source = os.fspath(source) if isinstance(source, os.PathLike) else source
        self._caption = caption
        self._more = more
        self._problem: str | None = None
        try:
            self._data: Any = self._prepare()
        except Exception as error:  # as with an array of a strange shape: the training goes on
            self._problem = f"{type(error).__name__}: {text_of(error, 300)}"
            self._data = None
            say_once(f"{type(self).__name__}: {self._problem}")

    def _prepare(self) -> Any:
        """A path, or bytes. Read now: what was given may change before it is logged."""
        source = self._source
        if isinstance(source, str):
            return os.path.abspath(source)
        if isinstance(source, (bytes, bytearray)):
            return bytes(source)
        if hasattr(source, "read"):
            text = source.read()
            return text.encode("utf-8", "replace") if isinstance(text, str) else bytes(text)
        return self._encode(source)

    def _encode(self, source: Any) -> bytes:
        raise TypeError(f"of {type(source).__name__} no {self.kind} can be made")

    def written(self, channel: Channel) -> dict[str, Any]:
        """What a row holds of it; its file is kept."""
        out: dict[str, Any] = {"_type": self.kind}
        if self._caption is not None:
            out["caption"] = plain(self._caption)
        out.update({key: plain(value) for key, value in self._more.items() if value is not None})
        if self._problem is not None:
            out["problem"] = self._problem
        if self._data is not None:
            kept = channel.file(self._data, self._extension())
            if kept is None:
                out["problem"] = "the file was not kept"
            else:
                out["file"], out["bytes"] = kept
        return out

    def _extension(self) -> str:
        if isinstance(self._source, str):
            return os.path.splitext(self._source)[1].lstrip(".") or self.extension
        return self.extension

    def to_json(self, run_or_artifact: Any = None) -> dict[str, Any]:
        channel = getattr(run_or_artifact, "_channel", None)
        return self.written(channel) if channel is not None else {"_type": self.kind, "caption": plain(self._caption)}


class Image(Media):
    """Of an array, a tensor, a picture of Pillow, a matplotlib figure, or a file."""

    kind = "image"
    extension = "png"

    def __init__(self, data_or_path: Any, mode: str | None = None, caption: str | None = None, grouping: int | None = None,
                 classes: Any = None, boxes: Any = None, masks: Any = None, file_type: str | None = None, normalize: bool = True) -> None:
        self._mode = mode
        self._normalize = normalize
        super().__init__(data_or_path, caption, grouping=grouping, classes=getattr(classes, "_class_set", classes), boxes=boxes,
                         masks=sorted(masks) if isinstance(masks, dict) else None)

    def _encode(self, source: Any) -> bytes:
        if isinstance(source, Image):
            return source._data if isinstance(source._data, bytes) else _read(source._data)
        figure = source.gcf() if hasattr(source, "gcf") else source
        out = io.BytesIO()
        if hasattr(figure, "savefig"):
            figure.savefig(out, format="png")
        elif hasattr(source, "save") and hasattr(source, "mode"):  # of Pillow
            whole = source if source.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16") else source.convert("RGB")
            whole.save(out, "PNG")
        else:
            return pictures.png_bytes(source)
        return out.getvalue()


def _read(path: Any) -> bytes:
    from flatout.track._files import open_regular

    descriptor, size = open_regular(os.fspath(path))
    with open(descriptor, "rb") as file:
        return file.read(size)


class Video(Media):
    kind = "video"
    extension = "gif"

    def __init__(self, data_or_path: Any, caption: str | None = None, fps: int | None = None, format: str | None = None) -> None:
        self._fps = fps or 4
        if format and not isinstance(data_or_path, (str, os.PathLike)) and hasattr(data_or_path, "read"):
            self.extension = format
        super().__init__(data_or_path, caption, fps=fps)

    def _encode(self, source: Any) -> bytes:
        return pictures.gif_bytes(source, self._fps)


class Audio(Media):
    kind = "audio"
    extension = "wav"

    def __init__(self, data_or_path: Any, sample_rate: int | None = None, caption: str | None = None) -> None:
        self._rate = sample_rate
        super().__init__(data_or_path, caption, sample_rate=sample_rate)

    def _encode(self, source: Any) -> bytes:
        if not self._rate:
            raise ValueError("an array of samples needs sample_rate")
        return pictures.wav_bytes(source, self._rate)


class Html(Media):
    """Of a text, a file, or the path of one."""

    kind = "html"
    extension = "html"

    def __init__(self, data: Any, inject: bool = True, data_is_not_path: bool = False) -> None:
        is_path = isinstance(data, os.PathLike) or (
            isinstance(data, str) and not data_is_not_path and len(data) < 4096 and "<" not in data and os.path.isfile(data))
        super().__init__(data if is_path or not isinstance(data, str) else data.encode("utf-8", "replace"))


class Object3D(Media):
    kind = "file"
    extension = "json"

    def __init__(self, data_or_path: Any, caption: str | None = None, **more: Any) -> None:
        super().__init__(data_or_path, caption)

    def _encode(self, source: Any) -> bytes:
        return json.dumps(plain(pictures.nested(source))).encode()


class Molecule(Media):
    kind = "file"
    extension = "pdb"

    def __init__(self, data_or_path: Any, caption: str | None = None, **more: Any) -> None:
        super().__init__(data_or_path, caption)


class Plotly(Media):
    """A plotly figure as the page that plotly makes of it, a matplotlib one as a picture."""

    kind = "html"
    extension = "html"

    def __init__(self, val: Any) -> None:
        super().__init__(val)

    def _encode(self, source: Any) -> bytes:
        return str(source.to_html(include_plotlyjs="cdn")).encode("utf-8", "replace")

    @staticmethod
    def make_plot_media(val: Any) -> Media:
        return Plotly(val) if hasattr(val, "to_html") else Image(val)


class Graph(Media):
    """Kept as the text that it shows."""

    kind = "file"
    extension = "txt"

    def __init__(self, format: str = "keras") -> None:
        super().__init__(b"")


def box3d(*, center: Any = None, size: Any = None, orientation: Any = None, color: Any = None, label: Any = None, score: Any = None) -> dict[str, Any]:
    return {"center": center, "size": size, "orientation": orientation, "color": color, "label": label, "score": score}


class Histogram:
    """Of a sequence, or of counts and edges as numpy.histogram gives them."""

    MAX_LENGTH = 512

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        if np_histogram is not None:
            counts, edges = np_histogram[0], np_histogram[1]
            self.histogram = list(pictures.nested(counts))
            self.bins = list(pictures.nested(edges))
        else:
            self.histogram, self.bins = _counted(sequence, max(1, min(int(num_bins), self.MAX_LENGTH)))

    def written(self, channel: Channel) -> dict[str, Any]:
        return {"_type": "histogram", "bins": plain(self.bins), "values": plain(self.histogram)}

    def to_json(self, run: Any = None) -> dict[str, Any]:
        return {"_type": "histogram", "bins": plain(self.bins), "values": plain(self.histogram)}


def _counted(sequence: Any, bins: int) -> tuple[list[Any], list[Any]]:
    """Of the finite values alone."""
    try:
        import numpy

        for step in ("detach", "cpu", "float"):
            if type(sequence).__module__.partition(".")[0] == "torch" and hasattr(sequence, step):
                sequence = getattr(sequence, step)()
        values = numpy.asarray(sequence, dtype=float).ravel()
        counts, edges = numpy.histogram(values[numpy.isfinite(values)], bins=bins)
        return counts.tolist(), edges.tolist()
    except ImportError:
        pass
    flat = [float(one) for one in pictures._flattened(pictures.nested(list(sequence)))]
    flat = [one for one in flat if one - one == 0]
    low, high = (min(flat), max(flat)) if flat else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    out = [0] * bins
    for one in flat:
        out[min(bins - 1, int((one - low) / (high - low) * bins))] += 1
    return out, [low + (high - low) * at / bins for at in range(bins + 1)]


class Table:
    """Columns and rows. A cell may be a number, a text or a value such as Image."""

    MAX_ROWS = 200_000

    def __init__(self, columns: Any = None, data: Any = None, rows: Any = None, dataframe: Any = None, dtype: Any = None,
                 optional: Any = True, allow_mixed_types: bool = False, log_mode: str | None = "IMMUTABLE") -> None:
        frame = dataframe if dataframe is not None else data if hasattr(data, "columns") and hasattr(data, "values") else None
        if frame is not None:
            self.columns = [text_of(one, 512) for one in frame.columns]
            self.data: list[list[Any]] = [list(row) for row in frame.values.tolist()]
        else:
            given = data if data is not None else rows
            self.data = [list(row) for row in (given.tolist() if hasattr(given, "tolist") else given or [])]
            width = len(self.data[0]) if self.data else 0
            default = ["Input", "Output", "Expected"] if not self.data else [str(at) for at in range(width)]
            self.columns = [one if isinstance(one, str) else text_of(one, 512) for one in columns] if columns is not None else default
        self.log_mode = log_mode

    def add_data(self, *data: Any) -> None:
        if len(data) != len(self.columns):
            raise ValueError(f"This table expects {len(self.columns)} columns: {self.columns}, found {len(data)}")
        self.data.append(list(data))

    def add_row(self, *row: Any) -> None:
        self.add_data(*row)

    def add_column(self, name: str, data: Any, optional: bool = False) -> None:
        values = list(data)
        if self.data and len(values) != len(self.data):
            raise ValueError(f"Expected length of new column {len(values)} to equal number of rows {len(self.data)}")
        if not self.data:
            self.data = [[] for _ in values]
            self.columns = []
        self.columns.append(name)
        for row, value in zip(self.data, values):
            row.append(value)

    def add_computed_columns(self, fn: Any) -> None:
        made = [fn(at, dict(zip(self.columns, row))) for at, row in enumerate(self.data)]
        for name in made[0] if made else ():
            self.add_column(name, [one[name] for one in made])

    def get_column(self, name: Any, convert_to: str | None = None) -> Any:
        at = self.columns.index(name)
        values = [row[at] for row in self.data]
        if convert_to == "numpy":
            import numpy

            return numpy.array(values)
        return values

    def get_dataframe(self) -> Any:
        import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return pandas.DataFrame.from_records(self.data, columns=self.columns)

    def get_index(self) -> list[int]:
        return list(range(len(self.data)))

    def index_ref(self, index: int) -> int:
        return index

    def iterrows(self) -> Iterator[tuple[int, list[Any]]]:
        return iter(enumerate(self.data))

    def has_been_logged(self) -> bool:
        return False

    def cast(self, col_name: Any, dtype: Any, optional: bool = False) -> None:
        """Types of columns are not held to anything here."""

    def set_pk(self, col_name: Any) -> None:
        """Keys lead nowhere here."""

    def set_fk(self, col_name: Any, table: Any, table_col: str) -> None:
        """Keys lead nowhere here."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.columns == other.columns and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def written(self, channel: Channel) -> dict[str, Any]:
        rows = [[cell_of(cell, channel) for cell in row] for row in self.data[:self.MAX_ROWS]]
        text = json.dumps({"columns": plain(self.columns), "data": rows})
        out = {"_type": "table", "columns": plain(self.columns), "rows": len(self.data)}
        if len(self.data) > self.MAX_ROWS:
            out["problem"] = f"{len(self.data) - self.MAX_ROWS} rows above {self.MAX_ROWS} were left out"
            say_once(f"a table: {out['problem']}")
        kept = channel.file(text.encode(), "json")
        if kept is None:
            return {**out, "problem": "the file was not kept"}
        return {**out, "file": kept[0], "bytes": kept[1]}

    def to_json(self, run_or_artifact: Any = None) -> dict[str, Any]:
        return {"_type": "table", "columns": plain(self.columns), "rows": len(self.data)}


def cell_of(value: Any, channel: Channel) -> Any:
    """What a row or a cell holds of any value."""
    try:
        if hasattr(value, "written"):
            return value.written(channel)
        if isinstance(value, (list, tuple)) and any(hasattr(one, "written") for one in value[:1]):
            return [cell_of(one, channel) for one in value[:256]]
        if hasattr(value, "savefig") or (hasattr(value, "save") and hasattr(value, "mode") and hasattr(value, "size")):
            return Image(value).written(channel)
        if hasattr(value, "to_html") and type(value).__module__.startswith("plotly"):
            return Plotly(value).written(channel)
        if hasattr(value, "shape") and number(value) is None and len(pictures.shape_of(value)) > 0:
            return Histogram(value).written(channel)  # as wandb has it
    except Exception as error:
        say_once(f"a value of type {type(value).__name__} is kept as text: {type(error).__name__}: {error}")
    return plain(value)
