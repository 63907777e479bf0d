"""Nothing holds on to the program's objects: they go when the program lets go."""

import gc
import sys
import weakref

import torch
from tiny import Rows, set_up, train

gc.collect()
gc.disable()


class Named(torch.nn.Sequential):
    pass


def once():
    model, loss_of, optimizer = set_up()
    model = Named(*model)
    dataset = Rows(16)
    loader = torch.utils.data.DataLoader(dataset, batch_size=4)
    iterator = iter(loader)
    x, y = next(iterator)
    train(model, loss_of, optimizer, [(x, y)])
    train(model, loss_of, optimizer, loader)
    refs = [weakref.ref(o) for o in (model, loss_of, dataset, loader, iterator, x)]
    counts = [sys.getrefcount(o) for o in (model, loss_of, optimizer, dataset, loader, x)]
    return refs, counts


refs, counts = once()
print("references while alive", counts)
print("alive without a collection", [r() is not None for r in refs])
gc.collect()
print("alive after a collection", [r() is not None for r in refs])
print("garbage", len(gc.garbage), "callbacks", len(gc.callbacks))
