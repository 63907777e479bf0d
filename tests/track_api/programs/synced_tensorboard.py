"""As reinforcement learning often has it: a SummaryWriter logs, wandb takes it."""

import sys

import fake_recording  # noqa: F401
import wandb
from tensorboardX import SummaryWriter

run = wandb.init(project="cleanrl", sync_tensorboard=True, config={"seed": 1})
writer = SummaryWriter(sys.argv[1] + "/events")
writer.add_scalar("charts/return", 1.0, 100)
wandb.log({"own": 5})
writer.add_scalar("charts/return", 2.0, 200)
other = SummaryWriter(sys.argv[1] + "/eval")
other.add_scalar("charts/return", 3.0, 200)
wandb.log({"own": 6})
other.close()
writer.close()
run.finish()
print("done")
