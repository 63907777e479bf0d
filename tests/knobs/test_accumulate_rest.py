"""batch.accumulate that is refused in the middle of a batch: an epoch has as many batches as without it."""

import pytest
import torch
from held import Plan
from torch.utils.data import DataLoader, TensorDataset

ID = "batch.accumulate"


def train(workers, parts=8):
    """OneCycleLR raises where it is stepped more often than it was told."""
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.arange(384.0).view(64, 6)), batch_size=parts, num_workers=workers)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=3 * 64 // parts)
    shapes = []
    for _ in range(3):
        for (x,) in loader:
            shapes.append(len(x))

            def closure():
                optimizer.zero_grad()
                loss = model(x).square().mean()
                loss.backward()
                return loss

            optimizer.step(closure)
            scheduler.step()
    return shapes, scheduler.get_last_lr()


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_schedule_that_ends_with_the_last_batch_still_does(knobs, workers):
    bare, rate = train(workers)
    plan = Plan(knobs, {ID: 4})
    with plan.held():
        shapes, with_plan = train(workers)
        assert not plan.word["applied"] and "closure" in plan.word["reason"]
    assert len(shapes) == len(bare) and with_plan == rate
    assert shapes[0] == 2 and set(shapes[3:]) == {8}, "of batches that were cut, by workers ahead as well, one part is trained"
