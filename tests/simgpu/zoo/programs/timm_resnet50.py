"""timm's ResNet-50 on pictures that lie in pinned memory: healthy."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[3] / "knobs" / "programs")]
import torch
import vision
from marks import Marks
from work import finish, steps, train_epoch

BATCH = 8


def resnet50():
    vision.load()
    sys.path.append(str(Path(vision.__file__).resolve().parents[3] / "build" / "timm"))
    import timm

    return timm.create_model("resnet50")


if __name__ == "__main__":
    marks = Marks()
    model, loss_of = resnet50().cuda().to(memory_format=torch.channels_last), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    images = torch.zeros(BATCH, 3, 224, 224).to(memory_format=torch.channels_last).pin_memory()
    labels = torch.zeros(BATCH, dtype=torch.long).pin_memory()
    train_epoch(marks, ((images, labels) for _ in range(steps(60))), model, loss_of, optimizer, non_blocking=True)
    finish(marks)
