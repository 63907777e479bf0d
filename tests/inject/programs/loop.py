"""A plain training loop: argv = number of workers, start method."""

import io
import sys

import numpy
import eager  # noqa: F401
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Half:
    def __call__(self, image):
        return image.resize((image.width // 2, image.height // 2))


def to_tensor(image):
    return torch.from_numpy(numpy.array(image)).flatten().float()


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image


def jpeg():
    out = io.BytesIO()
    Image.fromarray(numpy.zeros((16, 16, 3), "uint8")).save(out, "JPEG")
    return out.getvalue()


class Images(Dataset):
    def __init__(self):
        self.data = jpeg()
        self.transform = Compose([Half(), to_tensor])

    def __len__(self):
        return 24

    def __getitem__(self, index):
        return self.transform(Image.open(io.BytesIO(self.data)).convert("RGB")), index % 2


def main():
    workers = int(sys.argv[1])
    context = sys.argv[2] if workers else None
    model = torch.nn.Sequential(torch.nn.Linear(192, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_of = torch.nn.CrossEntropyLoss()
    loader = DataLoader(Images(), batch_size=8, num_workers=workers, multiprocessing_context=context)
    held_out = DataLoader(Images(), batch_size=8)
    for _ in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(model(x), y).backward()
            optimizer.step()
            print("step", flush=True)
        with torch.no_grad():
            for x, _ in held_out:
                model(x)
    torch.save(model.state_dict(), io.BytesIO())


if __name__ == "__main__":
    main()
