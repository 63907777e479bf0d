"""Checkpoints of four libraries into the folder that is given, with the rotation of those that rotate."""

import os
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file
from torch import nn

out = sys.argv[1]


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        x = torch.full((8,), index / 400)
        return {"x": x, "labels": x[:1]}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 1)

    def forward(self, x, labels=None):
        y = self.linear(x)
        return {"loss": nn.functional.mse_loss(y, labels), "logits": y}


def by_hand():
    """As scripts do: a temporary file that takes the place of the last one."""
    folder = os.path.join(out, "by-hand")
    os.makedirs(folder, exist_ok=True)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(torch.utils.data.DataLoader(Samples(), batch_size=4)):
        loss = model(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 8:
            return
        if step % 4 == 0:
            torch.save(model.state_dict(), os.path.join(folder, "new.pt"))
            os.replace(os.path.join(folder, "new.pt"), os.path.join(folder, "last.pt"))
            model.load_state_dict(torch.load(os.path.join(folder, "last.pt")))
            save_file(model.state_dict(), os.path.join(folder, "last.safetensors"))
            model.load_state_dict(load_file(os.path.join(folder, "last.safetensors")))
            if os.path.isdir(os.path.join(folder, "old")):
                shutil.rmtree(os.path.join(folder, "old"))
            with open(os.path.join(folder, "log.txt"), "a") as log:
                log.write("%d\n" % step)


def lightning():
    import lightning as L

    class Module(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = Net()

        def training_step(self, batch, _index):
            return self.net(**batch)["loss"]

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    keep = L.pytorch.callbacks.ModelCheckpoint(
        dirpath=os.path.join(out, "lightning"), filename="{step}", every_n_train_steps=2, save_top_k=1,
        monitor="step", mode="max", save_last=True)  # fmt: skip
    L.Trainer(max_steps=6, accelerator="cpu", logger=False, callbacks=[keep], enable_progress_bar=False,
              enable_model_summary=False).fit(Module(), torch.utils.data.DataLoader(Samples(), batch_size=4))  # fmt: skip


def huggingface():
    import transformers

    transformers.Trainer(
        model=Net(), train_dataset=Samples(),
        args=transformers.TrainingArguments(
            output_dir=os.path.join(out, "hf"), per_device_train_batch_size=4, max_steps=60, save_steps=2,
            save_total_limit=1, report_to=[], use_cpu=True, disable_tqdm=True, logging_steps=1000),
    ).train()  # fmt: skip


by_hand()
lightning()
huggingface()
