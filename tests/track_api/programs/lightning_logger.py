"""Trains a tiny model with Lightning, which logs by its own WandbLogger."""

import sys

import fake_recording  # noqa: F401
import torch
import lightning
from lightning.pytorch.loggers import WandbLogger


class Model(lightning.LightningModule):
    def __init__(self, width=4):
        super().__init__()
        self.save_hyperparameters()
        self.inner = torch.nn.Linear(width, 2)

    def training_step(self, batch, at):
        x, y = batch
        loss = torch.nn.functional.cross_entropy(self.inner(x), y)
        self.log("train/loss", loss, on_step=True)
        return loss

    def validation_step(self, batch, at):
        x, y = batch
        self.log("val/loss", torch.nn.functional.cross_entropy(self.inner(x), y))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, at):
        return torch.ones(4) * at, at % 2


loader = torch.utils.data.DataLoader(Data(), batch_size=4)
logger = WandbLogger(project="digits", name="first", save_dir=sys.argv[1], offline=True, log_model="all" if sys.argv[2:] else False, tags=["a"])
model = Model()
logger.watch(model, log="all", log_freq=2)
trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=logger, log_every_n_steps=1, enable_progress_bar=False,
                            enable_model_summary=False, default_root_dir=sys.argv[1], enable_checkpointing=False)
trainer.fit(model, loader, loader)
logger.log_table("samples", columns=["a"], data=[[1], [2]])
logger.log_image("picture", [[[0.0, 1.0]]])
logger.experiment.finish()
print("trained", trainer.global_step)
