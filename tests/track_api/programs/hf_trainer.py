"""Trains a tiny model with Hugging Face's Trainer, which reports to wandb by its own callback."""

import sys

import fake_recording  # noqa: F401
import torch
import transformers
from transformers import Trainer, TrainingArguments
from transformers.integrations import WandbCallback, is_wandb_available


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 2)

    def forward(self, x, labels):
        out = self.inner(x)
        return {"loss": torch.nn.functional.cross_entropy(out, labels), "logits": out}


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, at):
        return {"x": torch.ones(4) * at, "labels": torch.tensor(at % 2)}


assert is_wandb_available()
transformers.logging.set_verbosity_error()
arguments = TrainingArguments(sys.argv[1], per_device_train_batch_size=4, num_train_epochs=2, logging_steps=2, eval_strategy="epoch",
                              report_to=["wandb"], run_name="digits", save_strategy="no", use_cpu=True, disable_tqdm=True)
trainer = Trainer(Model(), arguments, train_dataset=Data(), eval_dataset=Data())
assert any(type(callback) is WandbCallback for callback in trainer.callback_handler.callbacks)
trainer.train()
print("trained", trainer.state.global_step)
