"""transformers.Trainer and lightning.Trainer, unmodified. Prints, as one line of JSON, the
batches that each trained on and the learning rate of each update, inside and outside of it."""

import json
import os
import tempfile
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")
import torch
from lightning.pytorch import LightningModule
from lightning.pytorch import Trainer as LightningTrainer
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils.data import DataLoader, Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments

LENGTH, BATCH, EPOCHS = 64, 4, 2
inside = []
register_optimizer_step_pre_hook(lambda optimizer, *_: inside.append(float(optimizer.param_groups[0]["lr"])))


class Numbers(Dataset):
    def __len__(self):
        return LENGTH

    def __getitem__(self, index):
        return {"x": torch.tensor([index / LENGTH, 1.0]), "labels": torch.tensor([1.0])}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 1)
        self.shapes = []

    def forward(self, x, labels):
        self.shapes.append(len(x))
        return {"loss": (self.linear(x) - labels).square().mean()}


class Rates(TrainerCallback):
    def __init__(self):
        self.outside = []

    def on_step_begin(self, _arguments, _state, _control, lr_scheduler=None, **_kwargs):
        self.outside.append(float(lr_scheduler.get_last_lr()[0]))


def hugging_face(folder):
    arguments = TrainingArguments(
        output_dir=folder, per_device_train_batch_size=BATCH, num_train_epochs=EPOCHS, learning_rate=0.1, use_cpu=True,
        report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    model, rates = Model(), Rates()
    trainer = Trainer(model=model, args=arguments, train_dataset=Numbers(), callbacks=[rates])
    trainer.train()
    return {"shapes": model.shapes, "outside": rates.outside, "updates": trainer.state.max_steps}


class Lit(LightningModule):
    def __init__(self):
        super().__init__()
        self.model = Model()
        self.outside = []

    def training_step(self, batch, _index):
        self.outside.append(float(self.optimizers().param_groups[0]["lr"]))
        return self.model(**batch)["loss"]

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


def lightning(folder):
    module = Lit()
    trainer = LightningTrainer(
        default_root_dir=folder, accelerator="cpu", devices=1, max_epochs=EPOCHS, logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(module, DataLoader(Numbers(), batch_size=BATCH, shuffle=True))
    return {"shapes": module.model.shapes, "outside": module.outside, "updates": trainer.global_step}


if __name__ == "__main__":
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (hugging_face, lightning):
            inside.clear()
            seen.append({**part(folder), "inside": list(inside)})
    print(json.dumps(seen))
