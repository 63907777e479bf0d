"""A tiny language model and a Trainer that keeps its own time, for the programs
that train with transformers. Nothing is downloaded: the model is made from its
configuration."""

import os
import tempfile
from time import perf_counter

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
from feed import Feed, InOrder
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
from work import Burn, TimedSGD

TOKENS = 8


class TinyLM(GPT2LMHeadModel):
    """Its forward and backward also burn a known time."""

    def __init__(self, forward_s, backward_s):
        torch.manual_seed(1)
        torch.set_num_threads(1)
        super().__init__(GPT2Config(vocab_size=32, n_positions=TOKENS, n_embd=16, n_layer=1, n_head=2))
        self.forward_s, self.backward_s = forward_s, backward_s

    def forward(self, input_ids=None, labels=None, **kwargs):
        out = super().forward(input_ids=input_ids, labels=labels, **kwargs)
        out.loss = Burn.apply(out.loss, self.forward_s, self.backward_s)
        return out


def tokens(index):
    ids = torch.full((TOKENS,), index % 32)
    return {"input_ids": ids, "labels": ids}


class TimedTrainer(Trainer):
    """Overrides what users override, to time what the base class does."""

    def __init__(self, truth, **kwargs):
        super().__init__(**kwargs)
        self.truth = truth

    def _get_train_sampler(self, *_args):
        return InOrder(self.train_dataset)

    def compute_loss(self, *args, **kwargs):
        start = perf_counter()
        result = super().compute_loss(*args, **kwargs)
        self.forward_end = perf_counter()
        if self.model.training:
            self.truth.add("forward", self.forward_end - start)
        return result

    def training_step(self, *args, **kwargs):
        loss = super().training_step(*args, **kwargs)
        self.truth.add("backward", perf_counter() - self.forward_end)
        return loss

    def evaluate(self, *args, **kwargs):
        with self.truth.interval("eval"):
            return super().evaluate(*args, **kwargs)

    def _save_checkpoint(self, *args, **kwargs):
        with self.truth.phase("checkpoint"):
            return super()._save_checkpoint(*args, **kwargs)


    def get_eval_dataloader(self, *_args):
        # The collate function of training keeps training's time.
        return self.accelerator.prepare(
            torch.utils.data.DataLoader(self.eval_dataset, batch_size=self.args.eval_batch_size)
        )


def train(truth, model, feed: Feed, held_out=None, **arguments):
    each_epoch = "epoch" if held_out is not None else "no"
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_DISK", "/var/tmp")) as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=feed.batch,
            per_device_eval_batch_size=feed.batch,
            eval_strategy=each_epoch,
            save_strategy=each_epoch,
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            **arguments,
        )
        trainer = TimedTrainer(
            truth,
            model=model,
            args=arguments,
            train_dataset=feed,
            eval_dataset=held_out,
            data_collator=feed.timed(torch.utils.data.default_collate),
            optimizers=(TimedSGD(truth, model.parameters(), lr=0.001), None),
        )
        trainer.train()
        truth.finish()
