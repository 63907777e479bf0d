"""Hugging Face datasets of pictures: where their bytes lie in Arrow files, and what set_transform() does to them.

The function that set_transform() was given is the program's own. It is followed, not run (program_run.py): it counts
where all that it does is known, such as `[transform(picture.convert("RGB")) for picture in batch["image"]]`.
"""

from __future__ import annotations

import sys

from .answers import named
from .arrow_places import Blobs, places_of
from .folder import listed
from .program_run import Follower
from .program_values import Cell, Each, Mapping, Picture, Row
from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KINDS = ("datasets.arrow_dataset", "datasets.iterable_dataset")


def is_hugging_face(dataset: Any) -> bool:
    """One of `datasets` with a column of pictures."""
    if not any(base.__module__ in _KINDS for base in type(dataset).__mro__):
        return False
    features = getattr(dataset, "features", None) or {}
    return any(getattr(feature, "_type", None) == "Image" for feature in features.values())


def row_of(dataset: Any) -> Any:
    """A sample as the dataset gives it, or Refused."""
    module = sys.modules.get("datasets.arrow_dataset")
    if module is None or type(dataset) is not module.Dataset:
        raise Refused("datasets.%s has no native form" % (type(dataset).__qualname__,))
    names = dataset._format_columns if dataset._format_columns is not None else dataset.column_names
    if dataset._output_all_columns and dataset._format_columns is not None:
        raise Refused("datasets.Dataset with output_all_columns has no native form")
    table = dataset._data.table
    columns: dict[Any, Any] = {name: Each(_element(name, dataset.features[name], table)) for name in dataset.column_names if name in names}
    if dataset._format_type == "custom":
        function = dataset._format_kwargs["transform"]
        title = named(function)
        try:
            made = Follower().call(function, [Mapping(columns)], {})
        except Refused as reason:
            raise Refused("%s, given to set_transform(), has no native form: %s" % (title, reason))
        columns = made.parts if type(made) is Mapping else {None: None}
        if not all(type(one) is Each for one in columns.values()):
            raise Refused("%s, given to set_transform(), gives other than lists of samples" % (title,))
    elif dataset._format_type is not None:
        raise Refused("datasets.Dataset with the format %s has no native form" % (dataset._format_type,))
    return Row({name: one.element for name, one in columns.items()})


def _element(name: str, feature: Any, table: Any) -> Any:
    import pyarrow

    if type(feature) is _image() and feature.decode:
        return Picture(name, feature.mode == "RGB")
    kind = table.schema.field(name).type
    whole = pyarrow.types.is_integer(kind) and not pyarrow.types.is_uint64(kind) and not table.column(name).null_count
    return Cell(name, "whole" if whole else "text" if pyarrow.types.is_string(kind) else None)


def _image() -> Any:
    return sys.modules["datasets.features.image"].Image


def turns_pictures() -> bool:
    """Whether this version of datasets turns a picture as its EXIF data say; older ones leave it as it is stored."""
    return "exif_transpose" in _image().decode_example.__code__.co_names


def samples_of(dataset: Any, pictures: Any, labels: Any, looked_at: int | None = None) -> Any:
    """Blobs, or a list of (path, label) where the pictures are files: of all samples, in the dataset's order. `pictures`, `labels`:
    names of columns; labels None: 0. `looked_at`: as in folder.samples_of()."""
    import numpy
    import pyarrow
    from pyarrow import compute

    table = dataset._data.table
    rows = numpy.arange(table.num_rows) if dataset._indices is None else dataset._indices.column(0).to_numpy()
    rows = rows.astype(numpy.int64)
    if not len(rows):
        raise Refused("the dataset has no samples")
    numbers = numpy.zeros(table.num_rows, numpy.int64) if labels is None else table.column(labels).to_numpy().astype(numpy.int64)
    column = table.column(pictures)
    paths, places, has = places_of(column)
    files = compute.struct_field(column.take(pyarrow.array(rows[~has[rows]])), "path").to_pylist()
    if not has[rows].any():
        return listed(list(zip(files, numbers[rows].tolist())), looked_at)
    if any(file is not None for file in files):
        raise Refused("column %s, of which some pictures are bytes and some are files, has no native form" % (pictures,))
    return Blobs(paths, numpy.ascontiguousarray(places[rows]), numpy.ascontiguousarray(numbers[rows]))


def seeds_workers_alone(function: Any) -> bool:
    """The worker_init_fn of transformers' Trainer, which only seeds what a worker's own transforms would draw from."""
    module = sys.modules.get("transformers.trainer_utils")
    return module is not None and getattr(function, "func", None) is module.seed_worker and not function.args
