"""What may change while a program trains, one change an epoch; argv[1] = an empty folder."""

import sys

import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(torch.nn.Sequential):
    cast = False

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.cast):
            return super().forward(x).float()


class Other(torch.nn.Sequential):
    pass


loader = DataLoader(TensorDataset(torch.ones(8, 4), torch.ones(8, 1)), batch_size=2)
net = Net(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
net[0].bias.requires_grad_(False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss_of = torch.nn.MSELoss()


def epoch(around=False):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16, enabled=around):
            loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()


epoch()  # off
epoch()  # the same: not repeated
net.cast = True
epoch()  # bfloat16, inside
net.cast = False
epoch(around=True)  # float16, around
torch.set_float32_matmul_precision("high")
epoch()
torch.set_float32_matmul_precision("highest")
scaler = torch.amp.GradScaler("cpu")
epoch()
del scaler
if hasattr(torch.backends.cuda.matmul, "fp32_precision"):
    torch.backends.cuda.matmul.fp32_precision = "tf32"  # from now on the old names refuse to answer
torch.backends.cudnn.benchmark = True
torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}/store", rank=0, world_size=1)
epoch()
torch.distributed.destroy_process_group()

parameters = list(net.parameters())
torch.optim.Adam(parameters, foreach=True)
torch.optim.AdamW([{"params": parameters[:1]}, {"params": parameters[1:]}], fused=True)
lbfgs = torch.optim.LBFGS(parameters, max_iter=1)


def closure():
    lbfgs.zero_grad()
    loss = loss_of(net(torch.ones(2, 4)), torch.ones(2, 1))
    loss.backward()
    return loss


lbfgs.step(closure)
lbfgs.step(closure=closure)
compiled = torch.compile(Other(torch.nn.Linear(4, 1)), backend="eager")
compiled(torch.ones(2, 4)).sum().backward()
