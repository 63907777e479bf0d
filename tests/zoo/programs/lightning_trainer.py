"""lightning's Trainer, unmodified and healthy: sanity checking, two micro-batches
to an update, evaluation and a checkpoint after each epoch."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from feed import Feed
from lit import Lit, train
from truth import Truth
from work import steps

BATCH = 4
EPOCHS = 2
MICRO = 2

if __name__ == "__main__":
    truth = Truth()
    feed = Feed(truth, MICRO * (steps(80) // EPOCHS), BATCH, 0.001)
    held_out = Feed(truth, 16, BATCH, 0.020)
    train(truth, Lit(truth, 0.010, 0.020), feed, held_out, max_epochs=EPOCHS, accumulate_grad_batches=MICRO)
