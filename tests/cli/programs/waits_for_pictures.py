"""Trains 40 steps on pictures that it decodes itself: argv[1] = JSON of choices. Says what it trained, and ends with their exit status."""

import json
import pathlib
import shutil
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import eager  # noqa: E402, F401
import torch  # noqa: E402
from PIL import Image  # noqa: E402

CHOICES = json.loads(sys.argv[1])


class Own(torch.utils.data.Dataset):
    """As people write it; `names` is one of its own attributes."""

    def __init__(self, folder):
        self.names = [(path, "ab".index(path.parent.name)) for path in sorted(pathlib.Path(folder).glob("*/*.jpg"))]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        path, label = self.names[index]
        picture = Image.open(path).convert("RGB").resize((32, 32))
        return torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8).reshape(32, 32, 3).permute(2, 0, 1) / 255, label


def dataset(folder):
    if CHOICES.get("own"):
        return Own(folder)
    sys.path.insert(0, CHOICES["vision"])
    import vision

    sys.modules["torch._dynamo.utils"] = types.ModuleType("torch._dynamo.utils")  # torchvision's operators ask for it
    sys.modules["torch._dynamo.utils"].is_compile_supported = lambda device: False
    torchvision = vision.load()
    T = torchvision.transforms
    steps = [T.RandomResizedCrop(32), T.RandomHorizontalFlip(), T.ToTensor()]
    if CHOICES.get("refused"):
        steps.append(T.Lambda(lambda picture: picture))
    return torchvision.datasets.ImageFolder(folder, T.Compose(steps))


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    loader = torch.utils.data.DataLoader(dataset(CHOICES["folder"]), batch_size=4, shuffle=True, **CHOICES.get("loader", {}))
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    labels, steps = [], 0
    while steps < 40:
        for pictures, batch in loader:
            loss = torch.nn.functional.cross_entropy(model(pictures), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            labels += batch.tolist()
            steps += 1
    print(json.dumps({"labels": labels, "loss": loss.item().hex()}))
    if CHOICES.get("remove"):
        shutil.rmtree(CHOICES["folder"])
    sys.exit(CHOICES.get("status", 0))


if __name__ == "__main__":
    main()
