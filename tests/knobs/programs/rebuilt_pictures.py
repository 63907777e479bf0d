"""A loader of pictures that a framework builds anew: argv[1] = JSON with "framework" and "folder". Prints the
class of the iterator that made the batches, as one line of JSON. Exit status 77 where something is not installed."""

import json
import sys

import torch
import vision

try:
    torchvision = vision.load()
except ImportError:
    sys.exit(77)

from torch.nn import functional
from torch.utils.data import DataLoader, dataloader
from torchvision import transforms as T


def loader_and_model(folder):
    floats = T.Compose([T.RandomResizedCrop(16), T.ToTensor()])
    loader = DataLoader(torchvision.datasets.ImageFolder(folder, floats), batch_size=4, shuffle=True)
    return loader, torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 16 * 16, 2))


def accelerate(loader, model):
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01), loader)
    for pictures, labels in loader:
        optimizer.zero_grad()
        accelerator.backward(functional.cross_entropy(model(pictures), labels))
        optimizer.step()
    return type(loader).__name__


def lightning(loader, model):
    import lightning

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = model

        def training_step(self, batch, _):
            return functional.cross_entropy(self.model(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
                                enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(Module(), loader)
    return type(trainer.train_dataloader).__name__


def main(choices):
    plain = []
    before = dataloader._SingleProcessDataLoaderIter.__init__

    def counted(self, *arguments):
        plain.append(type(self).__name__)
        before(self, *arguments)

    dataloader._SingleProcessDataLoaderIter.__init__ = counted
    try:
        kind = {"accelerate": accelerate, "lightning": lightning}[choices["framework"]](*loader_and_model(choices["folder"]))
    except ImportError:
        sys.exit(77)
    print(json.dumps({"loader": kind, "torchs": len(plain)}))


main(json.loads(sys.argv[1]))
