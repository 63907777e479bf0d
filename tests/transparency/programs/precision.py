"""Autocast around the model and inside its forward, a GradScaler, closures, and
the TF32 switches in the old and the new way: reading them must leave no trace."""

import hashlib
import io
import sys
import traceback
import warnings

import torch
from tiny import Rows, set_up

warnings.simplefilter("always")


class CastInside(torch.nn.Sequential):
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return super().forward(x).float()


def digest(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    return hashlib.sha256(buffer.getvalue()).hexdigest()


def ask(function):
    try:
        return function()
    except RuntimeError as refused:
        return str(refused)


def plain(model, loss_of, optimizer, scaler, x, y):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=type(model) is not CastInside):
        loss = loss_of(model(x).float(), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss


def with_closure(model, loss_of, optimizer, x, y, by_name):
    def closure():
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        return loss

    return optimizer.step(closure=closure) if by_name else optimizer.step(closure)


def raising():
    raise KeyError("the program's own")


loader = torch.utils.data.DataLoader(Rows(16), batch_size=4, shuffle=True)
for kind in (torch.nn.Sequential, CastInside):
    model, loss_of, optimizer = set_up()
    model = kind(*model)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    for x, y in loader:
        print(plain(model, loss_of, optimizer, scaler, x, y).item().hex())
    print(digest(model), digest(optimizer), digest(scaler), sorted(vars(scaler)), sorted(vars(optimizer)))
    lbfgs = torch.optim.LBFGS(model.parameters(), lr=0.01, max_iter=3)
    for number, (x, y) in enumerate(loader):
        print(with_closure(model, loss_of, lbfgs, x, y, number % 2).item().hex())
    try:
        lbfgs.step(raising)
    except KeyError:
        traceback.print_exc(file=sys.stdout)
    print(digest(lbfgs), sys.getrefcount(lbfgs), sys.getrefcount(scaler))
print(torch.rand(2).tolist())

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    torch.backends.cudnn.conv.fp32_precision = "ieee"
    model, loss_of, optimizer = set_up()
    for x, y in loader:
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()
    print(ask(lambda: torch.backends.cuda.matmul.allow_tf32), ask(torch.get_float32_matmul_precision))
    print([str(w.message) for w in said])
