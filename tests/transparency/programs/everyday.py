"""Ordinary things around a training loop: schedulers, hooks, wraps, doctest, threads, profiler."""

import doctest
import functools
import threading
import warnings

import torch
from tiny import Rows, set_up, train


def twice(value):
    """
    >>> twice(2)
    4
    """
    return 2 * value


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print("calls", function.__name__)
        return function(*args, **kwargs)

    return wrapper


print(doctest.testmod())
model, loss_of, optimizer = set_up()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    scheduler.step()  # before the optimizer: a warning that must stay
    train(model, loss_of, optimizer, torch.utils.data.DataLoader(Rows(16), batch_size=4))
    scheduler.step()
print([str(w.message) for w in caught], scheduler.get_last_lr())
optimizer.step = logged(optimizer.step)
model.forward = logged(model.forward)
handle = model.register_forward_hook(lambda m, i, o: print("hook", tuple(o.shape)))
optimizer.register_step_post_hook(lambda *a: print("post step"))
train(model, loss_of, optimizer, torch.utils.data.DataLoader(Rows(8), batch_size=4))
handle.remove()
del optimizer.step, model.forward
losses = []
thread = threading.Thread(
    target=lambda: losses.extend(
        train(model, loss_of, optimizer, torch.utils.data.DataLoader(Rows(8), batch_size=4))
    )
)
thread.start()
thread.join()
print(losses)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
    train(model, loss_of, optimizer, torch.utils.data.DataLoader(Rows(8), batch_size=4))
print(sorted((e.key, e.count) for e in profiler.key_averages()))
closure_optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)


def closure():
    closure_optimizer.zero_grad()
    loss = loss_of(model(torch.ones(4, 4)), torch.ones(4, 1))
    loss.backward()
    return loss


print(closure_optimizer.step(closure).item().hex())
