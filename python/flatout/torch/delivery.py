"""What a batch's way to the program leaves behind, whoever made it: how long it was waited for, and where the epoch is."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .stats import Stats


class Delivery:
    """__next__ and progress() of an iterator; in front of torch's class among its bases."""

    if TYPE_CHECKING:  # of the classes that it stands in
        _progress: Any
        _num_yielded: int
        _stats: Stats

    def __next__(self) -> Any:
        begun = time.perf_counter()
        try:
            data = super().__next__()  # type: ignore[misc]
        except StopIteration:
            self._ended()
            raise
        finally:
            self._progress.yielded = self._num_yielded
        self._stats.delivered(time.perf_counter() - begun)
        return data

    def _ended(self) -> None:
        self._progress.finished = True

    def progress(self) -> Any:
        return self._progress
