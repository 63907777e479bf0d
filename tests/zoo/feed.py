"""A dataset for frameworks that draw from the loader themselves.

Their loop cannot be timed from outside, so the parts that the program hands to
the DataLoader keep the time: the sampler is asked at the begin of a draw (also
of the one that ends an epoch), and a collate function returns at its end. That
holds with num_workers=0 only, where draws happen in the step thread.
"""

import time
from time import perf_counter

import torch


class Feed(torch.utils.data.Dataset):
    def __init__(self, truth, batches, batch, seconds, make=None):
        self.truth, self.batches, self.batch, self.seconds = truth, batches, batch, seconds
        self.make = make or (lambda index: (torch.full((16,), index / 1000), torch.ones(1)))
        self.drawn_at = None

    def __len__(self):
        return self.batches * self.batch

    def __getitem__(self, index):
        time.sleep(self.seconds / self.batch)
        return self.make(index)

    def timed(self, collate):
        """`collate`, and the draw ends with it."""

        def timed_collate(samples):
            batch = collate(samples)
            if self.drawn_at is not None:  # in a worker there is no draw to time; steps have their length
                self.truth.add("data_wait", perf_counter() - self.drawn_at)
            return batch

        return timed_collate


class InOrder(torch.utils.data.Sampler):
    def __init__(self, feed):
        self.feed = feed

    def __len__(self):
        return len(self.feed)

    def __iter__(self):
        for index in range(len(self.feed)):
            if index % self.feed.batch == 0:
                self._begin_draw()
            yield index
        self._begin_draw()

    def _begin_draw(self):
        self.feed.drawn_at = perf_counter()
        self.feed.truth.begin("data_wait", self.feed.drawn_at)
