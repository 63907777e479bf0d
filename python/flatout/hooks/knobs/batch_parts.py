"""A loader's batches in parts, each of which is drawn as a batch of its own."""

from __future__ import annotations

import collections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Part = collections.namedtuple("Part", "samples of first last")  # `of`: samples of the whole batch


class Parts:
    """In the place of a DataLoader's batch sampler, around the program's own.

    A batch of B samples is drawn in `count` parts of B / count. The smaller batch that
    may end an epoch gives as few as keep within that size, as even as can be. What the
    own sampler leaves out (drop_last) stays left out. Once `off` is set, batches stay
    whole; what is left of one that was cut is not given any more, so that an epoch has
    as many batches as the program's own: its schedule may end with the last.
    """

    def __init__(self, whole: Any, count: int) -> None:
        self.whole = whole
        self.count = count
        self.off = False

    @property
    def batch_size(self) -> Any:
        return max(1, self.whole.batch_size // self.count)

    def __iter__(self) -> Cut:
        return Cut(self)

    def __len__(self) -> int:
        """Of a sampler that cuts as torch's BatchSampler does."""
        whole = self.whole
        if self.off:
            return len(whole)
        full, rest = divmod(len(whole.sampler), whole.batch_size)
        batches: int = full * self.count + (0 if whole.drop_last else -(-rest // self.batch_size))
        return batches

    def __getattr__(self, name: str) -> Any:
        if name == "whole":  # while it is copied
            raise AttributeError(name)
        return getattr(self.whole, name)  # set_epoch, sampler, drop_last


class Cut:
    """One epoch of them. `given`: what was handed out and is not drawn yet, oldest first;
    with workers that is several prefetched batches."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts
        self.batches = iter(parts.whole)
        self.left: collections.deque[Any] = collections.deque()
        self.given: collections.deque[Any] = collections.deque()

    def __iter__(self) -> Cut:
        return self

    @property
    def owes_a_rest(self) -> bool:
        """The batch that comes next is the rest of one of which a part has been drawn."""
        return bool(self.given) and not self.given[0].first

    def __next__(self) -> Any:
        if self.parts.off:
            self.left.clear()
        if not self.left:
            batch = next(self.batches)
            count = 1 if self.parts.off else -(-len(batch) // self.parts.batch_size)
            ends = [len(batch) * n // count for n in range(count + 1)]
            for begin, end in zip(ends, ends[1:]):
                part = Part(end - begin, len(batch), begin == 0, end == len(batch))
                self.left.append((batch[begin:end], part))
        indices, part = self.left.popleft()
        self.given.append(part)
        return indices
