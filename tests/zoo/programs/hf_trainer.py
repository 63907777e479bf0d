"""transformers.Trainer, unmodified and healthy: two micro-batches to an update,
evaluation and a checkpoint after each epoch."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from feed import Feed
from hf import TinyLM, tokens, train
from truth import Truth
from work import steps, workers

BATCH = 4
EPOCHS = 2
MICRO = 2

if __name__ == "__main__":
    truth = Truth()
    feed = Feed(truth, MICRO * (steps(80) // EPOCHS), BATCH, 0.001, tokens)
    held_out = Feed(truth, 16, BATCH, 0.020, tokens)
    train(truth, TinyLM(0.010, 0.020), feed, held_out, num_train_epochs=EPOCHS,
          gradient_accumulation_steps=MICRO, dataloader_num_workers=workers(0))  # fmt: skip
