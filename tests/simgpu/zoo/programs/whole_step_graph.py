"""Forward, backward and update in one CUDA graph: each replay is a step."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, steps

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), capturable=True)
    x, y = torch.ones(BATCH, 1024, device="cuda"), torch.zeros(BATCH, dtype=torch.long, device="cuda")


    def update():
        optimizer.zero_grad(set_to_none=True)
        loss_of(model(x), y).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            optimizer.zero_grad(set_to_none=True)
            with marks.span("forward"):
                loss = loss_of(model(x), y)
            with marks.span("backward"):
                loss.backward()
            with marks.span("optimizer"):
                optimizer.step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with marks.span("capture"), torch.cuda.graph(graph):
        update()
    for _ in range(steps(200)):
        with marks.span("replay"):
            graph.replay()
        with marks.span("wait"):
            torch.cuda.synchronize()
    finish(marks)
