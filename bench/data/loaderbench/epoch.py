"""Times one epoch of a loader as its consumer sees it. The clock is handed in, so that tests own it."""

import dataclasses
import time


@dataclasses.dataclass
class Epoch:
    samples: int = 0
    batches: int = 0
    wall_ns: int = 0  # from before iter() to after the next() that ended the epoch
    first_ns: int = 0  # from before iter() to the first batch
    waits_ns: list = dataclasses.field(default_factory=list)  # of each next() that gave a batch
    step_ns: int = 0  # what the consumer took of it, all steps


def wait_until(deadline_ns):
    """A consumer's fixed step: the core is free meanwhile, as while a device works."""
    left = deadline_ns - time.monotonic_ns()
    if left > 0:
        time.sleep(left / 1e9)


def run_epoch(loader, clock=time.monotonic_ns, step_ns=0, wait=wait_until, at_most_batches=None, visit=None):
    """An Epoch. step_ns: how long the consumer takes a batch, 0 for as fast as it comes. visit(images, labels) is called with
    each batch, inside the timed part: for the discarded epoch and for checks."""
    epoch = Epoch()
    began = clock()
    batches = iter(loader)
    while at_most_batches is None or epoch.batches < at_most_batches:
        asked = clock()
        batch = next(batches, None)
        now = clock()
        if batch is None:
            break
        images, labels = batch
        if not epoch.batches:
            epoch.first_ns = now - began
        epoch.waits_ns.append(now - asked)
        epoch.samples += len(labels)
        epoch.batches += 1
        if visit is not None:
            visit(images, labels)
        if step_ns:
            wait(now + step_ns)
            epoch.step_ns += clock() - now
    epoch.wall_ns = clock() - began
    return epoch


def starvation(epoch):
    """The share of its time that a consumer with a fixed step stood waiting, after the first batch; None without two batches."""
    waited = sum(epoch.waits_ns[1:])
    total = waited + epoch.step_ns
    return waited / total if len(epoch.waits_ns) > 1 and total else None
