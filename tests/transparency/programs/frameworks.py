"""A training of transformers.Trainer or of Lightning: losses, weights, files,
order of the samples and random streams."""

import hashlib
import os
import random
import sys
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
import numpy as np
import torch
from tiny import Rows, set_up

warnings.filterwarnings("ignore")
ORDER = []


class Ordered(Rows):
    def __getitem__(self, index):
        ORDER.append(index)
        return super().__getitem__(index)


def transformers_trainer():
    import transformers

    transformers.utils.logging.disable_progress_bar()

    class Regression(transformers.PreTrainedModel):
        config_class = transformers.PretrainedConfig

        def __init__(self, config):
            super().__init__(config)
            self.model, self.loss_of, _ = set_up()
            self.post_init()

        def forward(self, x, labels=None):
            return {"loss": self.loss_of(self.model(x), labels)}

    arguments = transformers.TrainingArguments(
        "out", num_train_epochs=2, per_device_train_batch_size=4, gradient_accumulation_steps=2,
        logging_steps=2, eval_strategy="epoch", save_strategy="epoch", report_to=[], disable_tqdm=True,
        use_cpu=True, bf16=True, seed=5, prediction_loss_only=True)  # fmt: skip
    model = Regression(transformers.PretrainedConfig())
    trainer = transformers.Trainer(
        model=model, args=arguments, train_dataset=Ordered(), eval_dataset=Rows(8),
        data_collator=lambda rows: dict(zip(("x", "labels"), torch.utils.data.default_collate(rows))))  # fmt: skip
    trainer.remove_callback(transformers.PrinterCallback)  # prints times
    trainer.train()
    for row in trainer.state.log_history:
        print({k: v for k, v in row.items() if "runtime" not in k and "per_second" not in k})
    return model


def lightning_trainer():
    from lightning.pytorch import LightningModule, Trainer, seed_everything

    class Module(LightningModule):
        def __init__(self):
            super().__init__()
            self.model, self.loss_of, _ = set_up()

        def training_step(self, batch, _index):
            x, y = batch
            loss = self.loss_of(self.model(x), y)
            print(loss.item().hex())
            return loss

        def validation_step(self, batch, _index):
            self.log("val", self.loss_of(self.model(batch[0]), batch[1]))

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters())

    seed_everything(5)
    module = Module()
    trainer = Trainer(
        accelerator="cpu", devices=1, max_epochs=2, logger=False, enable_progress_bar=False,
        enable_model_summary=False, accumulate_grad_batches=2, default_root_dir="out", precision="bf16-mixed")  # fmt: skip
    loaders = (torch.utils.data.DataLoader(Ordered(), batch_size=4, shuffle=True),
               torch.utils.data.DataLoader(Rows(8), batch_size=4))  # fmt: skip
    trainer.fit(module, *loaders)
    print({k: v.item() for k, v in trainer.callback_metrics.items()})
    return module


if __name__ == "__main__":
    model = {"transformers": transformers_trainer, "lightning": lightning_trainer}[sys.argv[1]]()
    for name, value in model.state_dict().items():
        print(name, hashlib.sha256(value.numpy().tobytes()).hexdigest())
    print(ORDER)
    for folder, _, names in sorted(os.walk("out")):
        # Two of the files hold times of day.
        print(folder, [(n, os.path.getsize(os.path.join(folder, n))) for n in sorted(names) if n != "trainer_state.json"])
    print(random.random(), np.random.rand(), torch.rand(2).tolist())
    ours = [name for name in sys.modules if "flatout" in name]
    print(ours, [type(f).__name__ for f in sys.meta_path], sorted(vars(model)))
