"""lightning's Trainer, unmodified, with a dataset that waits and no workers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from feed import Feed
from lit import Lit, train
from truth import Truth
from work import steps

BATCH = 4

if __name__ == "__main__":
    truth = Truth()
    train(truth, Lit(truth, 0.004, 0.008), Feed(truth, steps(90), BATCH, 0.030), max_epochs=1)
