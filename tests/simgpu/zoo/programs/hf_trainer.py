"""transformers' Trainer on a dataset that takes 15 ms for a batch. What users override keeps the time."""

import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter_ns

os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from transformers import BatchEncoding, GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
from work import Waiting, finish, steps, workers

BATCH = 16
TOKENS = 64


class Tokens(Waiting):
    def __getitem__(self, index):
        super().__getitem__(index)
        return torch.full((TOKENS,), index % 256)


class InOrder(torch.utils.data.Sampler):
    """Is asked at the begin of each draw, of the one that ends the epoch, too."""

    def __init__(self, marks, dataset):
        self.marks, self.dataset, self.asked_ns = marks, dataset, None

    def __len__(self):
        return len(self.dataset)

    def __iter__(self):
        for index in range(len(self.dataset)):
            if index % BATCH == 0:
                self.asked_ns = perf_counter_ns()
            yield index
        self.marks.spans.append(("epoch_end", perf_counter_ns(), perf_counter_ns()))


class Batch(BatchEncoding):
    def to(self, device, non_blocking=False):
        for name, tensor in self.items():
            with marks.span("copy_async" if non_blocking else "copy"):
                self[name] = tensor.to(device, non_blocking=non_blocking)
        return self


class TimedTrainer(Trainer):
    def __init__(self, **kwargs):
        super().__init__(data_collator=self.collate, **kwargs)
        self.in_order = InOrder(marks, self.train_dataset)

    def collate(self, samples):
        ids = torch.stack(samples)
        batch = Batch({"input_ids": ids, "labels": ids})
        marks.spans.append(("data_wait", self.in_order.asked_ns, perf_counter_ns()))
        return batch

    def _get_train_sampler(self, *_args):
        return self.in_order

    def compute_loss(self, *args, **kwargs):
        with marks.span("forward"):
            return super().compute_loss(*args, **kwargs)

    def training_step(self, *args, **kwargs):
        loss = super().training_step(*args, **kwargs)
        forward_end_ns = next(end for name, _, end in reversed(marks.spans) if name == "forward")
        marks.spans.append(("backward", forward_end_ns, perf_counter_ns()))
        return loss


class TimedAdamW(torch.optim.AdamW):
    def step(self, closure=None):
        with marks.span("optimizer"):
            return super().step(closure)


def train(folder):
    model = GPT2LMHeadModel(GPT2Config(vocab_size=256, n_positions=TOKENS, n_embd=256, n_layer=2, n_head=4))
    arguments = TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=BATCH,
        num_train_epochs=1,
        dataloader_num_workers=workers(0),
        save_strategy="no",
        logging_steps=10,
        report_to=[],
        disable_tqdm=True,
    )
    optimizer = TimedAdamW(model.parameters())
    TimedTrainer(model=model, args=arguments, train_dataset=Tokens(steps(200), BATCH, 0.015), optimizers=(optimizer, None)).train()


if __name__ == "__main__":
    marks = Marks()
    marks.loader = workers(0) == 0  # what a worker draws is not seen here: then forwards close the steps
    with tempfile.TemporaryDirectory() as folder:
        train(folder)
    finish(marks)
