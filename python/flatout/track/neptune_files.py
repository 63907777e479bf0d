"""neptune.types.File."""

from __future__ import annotations

import pickle
from typing import Any

from flatout.track.media import Html, Image, Media

__all__ = ["File"]


class File:
    """A file by its path, or of content."""

    def __init__(self, path: Any = None, file_composite: Any = None) -> None:
        self.media: Media = path if isinstance(path, Media) else Media(path)

    @property
    def extension(self) -> str:
        return self.media._extension()

    @staticmethod
    def _of(content: Any, extension: str | None) -> File:
        media = Media(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        media.extension = extension or ("txt" if isinstance(content, str) else "bin")
        return File(media)

    @staticmethod
    def from_path(path: Any, extension: str | None = None) -> File:
        return File(path)

    @staticmethod
    def from_content(content: Any, extension: str | None = None) -> File:
        return File._of(content, extension)

    @staticmethod
    def from_stream(stream: Any, seek: int | None = 0, extension: str | None = None) -> File:
        if seek is not None and hasattr(stream, "seek"):
            stream.seek(seek)
        return File._of(stream.read(), extension)

    @staticmethod
    def as_image(image: Any, autoscale: bool = True) -> File:
        return File(Image(image))

    @staticmethod
    def as_html(chart: Any, include_plotlyjs: Any = None) -> File:
        if hasattr(chart, "to_html"):
            return File(Html(str(chart.to_html()), data_is_not_path=True))
        return File(Html(str(chart), data_is_not_path=True))

    @staticmethod
    def as_pickle(value: Any) -> File:
        return File._of(pickle.dumps(value), "pkl")

    @staticmethod
    def create_from(value: Any) -> File:
        return File(value) if isinstance(value, str) else File.as_image(value)
