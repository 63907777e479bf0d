"""Logs through a SummaryWriter: tensorboardX's, or torch's with the argument `torch`."""

import sys

import fake_recording  # noqa: F401
import numpy

if sys.argv[2:] == ["torch"]:
    from torch.utils.tensorboard import SummaryWriter
else:
    from tensorboardX import SummaryWriter

writer = SummaryWriter(sys.argv[1] + "/events")
for step in range(3):
    writer.add_scalar("loss", 1.0 / (step + 1), step)
writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 3)
writer.add_text("said", "hello", 3)
writer.add_image("picture", numpy.zeros((3, 4, 5), dtype=numpy.uint8), 3)
writer.add_histogram("weights", numpy.arange(100.0), 3)
writer.add_hparams({"lr": 0.1, "depth": 18}, {"best": 0.9})
writer.close()
print("done")
