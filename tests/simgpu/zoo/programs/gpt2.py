"""transformers' GPT-2, made from its configuration, in bf16 autocast: healthy."""

import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from transformers import GPT2Config, GPT2LMHeadModel
from work import finish, steps

BATCH = 4
TOKENS = 512

if __name__ == "__main__":
    marks = Marks()
    model = GPT2LMHeadModel(GPT2Config(vocab_size=8192, n_positions=TOKENS, n_embd=512, n_layer=4, n_head=8)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = torch.zeros(BATCH, TOKENS, dtype=torch.long, device="cuda")
    for _ in range(steps(80)):
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16), marks.span("forward"):
            loss = model(input_ids=ids, labels=ids).loss
        with marks.span("backward"):
            loss.backward()
        with marks.span("optimizer"):
            optimizer.step()
    finish(marks)
