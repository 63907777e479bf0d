"""transformers.Trainer, unmodified, with a dataset that waits and no workers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from feed import Feed
from hf import TinyLM, tokens, train
from truth import Truth
from work import steps, workers

BATCH = 4

if __name__ == "__main__":
    truth = Truth()
    feed = Feed(truth, steps(90), BATCH, 0.030, tokens)
    train(truth, TinyLM(0.004, 0.008), feed, num_train_epochs=1, dataloader_num_workers=workers(0))
