"""A batch of the native engine is a tensor like torch's: whatever a program does to it gives the same, but where memory would have to
grow that is not torch's; the engine never sees it, and what was handed out stays."""

import copy
import gc
import io
import pickle

import pytest
import torch
from torch.utils.data import DataLoader as Theirs

from test_torch_native import evaluation, folder, made  # noqa: F401

LARGER = 10_000


def saved(batch):
    file = io.BytesIO()
    torch.save(batch, file)
    file.seek(0)
    return torch.load(file)


def resized(batch, *shape):
    return batch.resize_(*shape)


def smaller_and_back(batch):
    shape = batch.shape
    return batch.resize_(2, 3).resize_(shape)


def shared(batch):
    return batch.share_memory_() if not batch.is_shared() else None


def through_a_queue(batch):
    queue = torch.multiprocessing.get_context("fork").SimpleQueue()
    queue.put(batch)
    return queue.get()


def as_numpy(batch):
    array = batch.numpy()
    array[0] = 7
    return batch


def other_data(batch):
    batch.data = torch.arange(5)
    return batch


def grad(batch):
    numbers = batch.float().requires_grad_()
    (numbers * 2).sum().backward()
    return numbers.grad


SAME = {
    "as it is": lambda batch: batch,
    "resize_ to less": lambda batch: resized(batch, 5),
    "resize_ to less and back": smaller_and_back,
    "resize_ to another shape": lambda batch: resized(batch, batch.numel()),
    "set_ within": lambda batch: batch.set_(batch.untyped_storage(), 3, (2, 2)),
    "set_ to another": lambda batch: batch.set_(torch.arange(6, dtype=batch.dtype)),
    "data": other_data,
    "in place": lambda batch: batch.add_(3).mul_(2),
    "rows in place": lambda batch: batch[1:].zero_(),
    "out": lambda batch: torch.add(torch.ones_like(batch), 1, out=batch),
    "share_memory_": shared,
    "through a queue": through_a_queue,
    "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
    "torch.save": saved,
    "deepcopy": copy.deepcopy,
    "numpy": as_numpy,
    "dlpack": lambda batch: torch.from_dlpack(batch),
    "gradients": grad,
    "view of a storage": lambda batch: torch.tensor(batch.untyped_storage().tolist()),
    "resized clone": lambda batch: resized(batch.clone(), LARGER)[:5],
}
GROWING = {
    "resize_": lambda batch: resized(batch, LARGER),
    "resize_as_": lambda batch: batch.resize_as_(torch.zeros(LARGER)),
    "set_": lambda batch: batch.set_(batch.untyped_storage(), 0, (LARGER,)),
    "out": lambda batch: torch.add(torch.zeros(LARGER, dtype=torch.uint8), 1, out=batch),
    "the storage": lambda batch: batch.untyped_storage().resize_(LARGER),
}


def first_of(loader):
    return next(iter(loader))[0]


@pytest.mark.parametrize("what", SAME)
def test_as_torchs(folder, what):  # noqa: F811
    dataset = evaluation(folder)
    loader = made(dataset)
    batches = iter(loader)
    ours, theirs = next(batches)[0], first_of(Theirs(dataset, 4))
    facts = [(type(batch), batch.dtype, batch.shape, batch.stride(), batch.storage_offset(), batch.untyped_storage().nbytes(),
              batch.device, batch.layout, batch.requires_grad, batch.is_pinned(), batch.is_shared(), batch._version)
             for batch in (ours, theirs)]  # fmt: skip
    assert facts[0] == facts[1]
    expected = SAME[what](theirs)
    got = SAME[what](ours)
    assert got.shape == expected.shape and got.dtype == expected.dtype and torch.equal(got, expected)
    assert ours.is_shared() == theirs.is_shared() and torch.equal(ours, theirs)
    kept = got.clone()
    rest = [batch[0] for batch in batches]  # whose memory is that of batches that were let go
    assert all(torch.equal(a, b[0]) for a, b in zip(rest, list(Theirs(dataset, 4))[1:], strict=True))
    del loader, batches, ours, rest
    gc.collect()
    assert torch.equal(got, kept), "it outlives its loader"


@pytest.mark.parametrize("what", GROWING)
def test_memory_that_is_not_torchs_does_not_grow(folder, what):  # noqa: F811
    """As that of torch.from_numpy(): an error. The storage is as it was, and so are the batches that come."""
    dataset = evaluation(folder)
    loader = made(dataset)
    batches = iter(loader)
    ours, theirs = next(batches)[0], list(Theirs(dataset, 4))
    storage, before = ours.untyped_storage(), ours.numel()
    with pytest.raises(RuntimeError, match="not resizable"):
        GROWING[what](ours)
    assert storage.nbytes() == before and storage.tolist() == theirs[0][0].flatten().tolist()
    foreign = torch.from_numpy(theirs[0][0].numpy())
    with pytest.raises(RuntimeError, match="not resizable"):
        GROWING[what](foreign)
    assert foreign.shape == ours.shape
    assert all(torch.equal(a, b) for (a, _), (b, _) in zip(batches, theirs[1:], strict=True))
