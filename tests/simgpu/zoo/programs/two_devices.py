"""Two models that have nothing to do with each other, on a device each, trained on the same batches: healthy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Waiting, finish, network, steps, workers

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    loss_of = torch.nn.CrossEntropyLoss()
    models = [network(layers=layers).to(f"cuda:{number}") for number, layers in enumerate((4, 2))]
    optimizers = [torch.optim.AdamW(model.parameters()) for model in models]
    loader = torch.utils.data.DataLoader(Waiting(steps(200), BATCH), batch_size=BATCH, num_workers=workers(0), pin_memory=True)
    for x, y in marks.draws(loader):
        for number, (model, optimizer) in enumerate(zip(models, optimizers)):
            with marks.span("copy_async"):
                x_there, y_there = (part.to(f"cuda:{number}", non_blocking=True) for part in (x, y))
            optimizer.zero_grad()
            with marks.span("forward"):
                loss = loss_of(model(x_there), y_there)
            with marks.span("backward"):
                loss.backward()
            with marks.span("optimizer"):
                optimizer.step()
    for number in range(len(models)):
        with marks.span("wait"):
            torch.cuda.synchronize(number)
    finish(marks)
