#!/usr/bin/env python3
"""Train a GPT-2 of transformers as a first script would: float32, batch 4, tokens made in the training process.

    gpt2.py [--steps 100000] [--device cuda] [--hand-tuned] [--tiny]

The text is random tokens, since what a step costs does not depend on them. --hand-tuned is what an engineer
would make of it for one large GPU at the same batch. It stands here before anything was measured, as the mark
that `flatout tune` is held against. --tiny is for trying the script without a GPU.
"""

import argparse

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import GPT2Config, GPT2LMHeadModel

CONTEXT = 1024


class RandomTokens(Dataset):
    """As if a document were read, cut and tokenised: some Python for each sample."""

    def __init__(self, vocabulary, context, count=1_000_000):
        self.vocabulary, self.context, self.count = vocabulary, context, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        value, tokens = index + 1, []
        for _ in range(self.context):
            value = (value * 1103515245 + 12345) % 2147483648
            tokens.append(value % self.vocabulary)
        return torch.tensor(tokens)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--hand-tuned", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()

    torch.manual_seed(0)
    tuned = options.hand_tuned
    config = GPT2Config(n_layer=2, n_head=2, n_embd=64, n_positions=128, vocab_size=512) if options.tiny else GPT2Config()
    config._attn_implementation = "sdpa" if tuned else "eager"
    model = GPT2LMHeadModel(config).to(options.device)
    context = min(CONTEXT, config.n_positions)
    loading = {"num_workers": 8, "prefetch_factor": 4, "pin_memory": True, "persistent_workers": True} if tuned else {}
    loader = DataLoader(RandomTokens(config.vocab_size, context), batch_size=options.batch_size, shuffle=True, **loading)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True if tuned else None)
    if tuned:
        torch.set_float32_matmul_precision("high")
        model.compile()
    step = 0
    for tokens in loader:
        tokens = tokens.to(options.device, non_blocking=tuned)
        with torch.autocast(torch.device(options.device).type, torch.bfloat16, enabled=tuned):
            loss = model(input_ids=tokens, labels=tokens).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step == options.steps:
            break


if __name__ == "__main__":
    main()
