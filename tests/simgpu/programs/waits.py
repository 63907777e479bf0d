"""Waits for its device at lines that bear a mark, so that a test can ask for them."""

import sys
import threading

import torch


def loss_of(model, x):
    return model(x).square().mean()


def read(loss):
    return loss.item()  # item


def main(count):
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(8)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.ones(64, 256, device="cuda")
    seen = 0.0
    for _ in range(count):
        optimizer.zero_grad()
        loss = loss_of(model, x)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)  # clip
        optimizer.step()
        seen += read(loss)
        if loss > 1e9:  # bool
            break
        seen += sum(x[0, :4].cpu().tolist())  # cpu
        torch.cuda.synchronize()  # synchronize
    print("seen %.6f" % seen, [one.name for one in threading.enumerate()])


if __name__ == "__main__":
    main(int(sys.argv[1]))
