"""dataloader.persistent_workers: workers live on from one epoch to the next.

Needs workers, the program's own or the plan's, and a dataset without set_epoch():
workers hold a copy of the dataset, and one that persists would not see the new epoch.
Set: DataLoader.persistent_workers, past its __setattr__, which lets nobody change
it later; DataLoader.__iter__ reads it anew each time. Undone: as it was, and the
iterator that was kept is dropped, which ends its workers.
Draws: torch draws a base seed for the workers once, not once an epoch. Later
epochs of a loader that shuffles by the default generator then come in another
order, and workers go on in their random streams.
"""

from .loaders import put
from .values import wrong_switch


class PersistentWorkers:
    id = "dataloader.persistent_workers"
    attribute = "persistent_workers"
    wrong = staticmethod(wrong_switch)

    @staticmethod
    def refused(_torch, loader, value):
        if value and loader.num_workers == 0:
            return "the loader has no workers"
        if value and not loader.persistent_workers and hasattr(type(loader.dataset), "set_epoch"):
            return "the dataset has set_epoch(), which workers that persist would not see"
        return None

    @staticmethod
    def set(loader, value):
        put(loader, "persistent_workers", value)
