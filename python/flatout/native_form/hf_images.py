"""Hugging Face datasets of pictures: none has a native form, and which part of it has none.

Their pictures lie inside Arrow files, and what becomes of one is a function of the program
(set_transform, map): there is no list of known parts to recognise.
"""

from .refused import Refused

_KINDS = ("datasets.arrow_dataset", "datasets.iterable_dataset")


def is_hugging_face(dataset):
    """One of `datasets` with a column of pictures."""
    if not any(base.__module__ in _KINDS for base in type(dataset).__mro__):
        return False
    features = getattr(dataset, "features", None) or {}
    return any(getattr(feature, "_type", None) == "Image" for feature in features.values())


def refuse(dataset):
    transform = (getattr(dataset, "_format_kwargs", None) or {}).get("transform")
    if transform is not None:
        name = getattr(transform, "__qualname__", None) or type(transform).__qualname__
        raise Refused("%s, given to set_transform(), is a function of the program and has no native form" % (name,))
    raise Refused("datasets.%s, whose samples are dictionaries, has no native form" % (type(dataset).__qualname__,))
