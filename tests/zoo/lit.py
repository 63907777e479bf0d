"""A tiny LightningModule that keeps its own time, and its training."""

import os
import tempfile
import warnings

import torch
from feed import Feed, InOrder
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from work import Model, TimedSGD, workers


class Lit(LightningModule):
    def __init__(self, truth, forward_s, backward_s):
        super().__init__()
        torch.manual_seed(1)
        torch.set_num_threads(1)
        self.model = Model(forward_s, backward_s)
        self.loss_of = torch.nn.MSELoss()
        self.truth = truth

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, _index):
        x, y = batch
        with self.truth.phase("forward"):
            return self.loss_of(self(x), y)

    def backward(self, loss, *args, **kwargs):
        with self.truth.phase("backward"):
            super().backward(loss, *args, **kwargs)

    def validation_step(self, batch, _index):
        x, y = batch
        self.log("val_loss", self.loss_of(self(x), y))

    def configure_optimizers(self):
        return TimedSGD(self.truth, self.parameters(), lr=0.001)


class _Evaluations(Callback):
    """From the first draw of an evaluation to its end; sanity checking is start-up."""

    def __init__(self, truth):
        self.truth = truth

    def on_validation_epoch_start(self, trainer, _module):
        self.interval = None if trainer.sanity_checking else self.truth.interval("eval")
        if self.interval:
            self.interval.__enter__()

    def on_validation_end(self, trainer, _module):
        if self.interval:
            self.interval.__exit__(None, None, None)


class _TimedCheckpoint(ModelCheckpoint):
    def __init__(self, truth, folder):
        super().__init__(dirpath=folder, every_n_epochs=1)
        self.truth = truth

    def _save_checkpoint(self, *args, **kwargs):
        with self.truth.phase("checkpoint"):
            super()._save_checkpoint(*args, **kwargs)


def train(truth, module, feed: Feed, held_out=None, **arguments):
    warnings.filterwarnings("ignore")
    loader = torch.utils.data.DataLoader(
        feed,
        batch_size=feed.batch,
        sampler=InOrder(feed),
        collate_fn=feed.timed(torch.utils.data.default_collate),
        num_workers=workers(0),
    )
    validation = None if held_out is None else torch.utils.data.DataLoader(held_out, batch_size=feed.batch)
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_DISK", "/var/tmp")) as folder:
        callbacks = [] if held_out is None else [_Evaluations(truth), _TimedCheckpoint(truth, folder)]
        trainer = Trainer(
            accelerator="cpu",
            devices=1,
            logger=False,
            callbacks=callbacks,
            enable_checkpointing=held_out is not None,
            enable_progress_bar=False,
            enable_model_summary=False,
            **arguments,
        )
        trainer.fit(module, loader, validation)
        truth.finish()
