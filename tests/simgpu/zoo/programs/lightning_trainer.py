"""Lightning's Trainer on a dataset that takes 15 ms for a batch. What users override keeps the time."""

import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from lightning.pytorch import LightningModule, Trainer
from marks import Marks
from work import Waiting, finish, network, steps, workers

BATCH = 64


class Loader(torch.utils.data.DataLoader):
    def __iter__(self):
        return marks.draws(Drawn(super().__iter__))


class Drawn:
    """What marks.draws asks for an iterator."""

    def __init__(self, make):
        self.make = make

    def __iter__(self):
        return self.make()


class TimedAdamW(torch.optim.AdamW):
    """Lightning's closure runs forward and backward; what is in it besides belongs to no phase."""

    def step(self, closure=None):
        loss = None if closure is None else closure()
        with marks.span("optimizer"):
            super().step()
        return loss


class Lit(LightningModule):
    def __init__(self):
        super().__init__()
        self.layers, self.loss_of = network(), torch.nn.CrossEntropyLoss()

    def training_step(self, batch, _index):
        x, y = batch
        with marks.span("forward"):
            return self.loss_of(self.layers(x), y)

    def backward(self, loss, *args, **kwargs):
        with marks.span("backward"):
            super().backward(loss, *args, **kwargs)

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        with marks.span("copy"):
            return super().transfer_batch_to_device(batch, device, dataloader_idx)

    def configure_optimizers(self):
        return TimedAdamW(self.parameters())

    def on_train_end(self):
        """Before Lightning moves the model and the optimizer's state to the host, which would belong to the last step."""
        finish(marks)


def train(folder):
    warnings.filterwarnings("ignore")
    loader = Loader(Waiting(steps(200), BATCH, 0.015), batch_size=BATCH, num_workers=workers(0))
    trainer = Trainer(
        accelerator="gpu",
        devices=1,
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
    )
    trainer.fit(Lit(), loader)


if __name__ == "__main__":
    marks = Marks()
    with tempfile.TemporaryDirectory() as folder:
        train(folder)
