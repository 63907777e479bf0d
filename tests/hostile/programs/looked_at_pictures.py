"""As looked_at.py, of a set of pictures: argv[1] = its folder. Exit status 77 where torchvision is not installed."""

import collections
import sys
from pathlib import Path

from torch.utils.data import DataLoader

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "knobs/programs"))
import vision  # noqa: E402

try:
    torchvision = vision.load()
except ImportError:
    sys.exit(77)

calls = collections.Counter()


def counted(name):
    def read(self):
        calls[name] += 1
        return vars(self).get(name)

    return property(read, lambda self, value: vars(self).__setitem__(name, value))


class Pictures(torchvision.datasets.ImageFolder):
    samples = counted("samples")
    loader = counted("loader")
    transform = counted("transform")
    target_transform = counted("target_transform")


class Asked(torchvision.datasets.ImageFolder):
    def __getattr__(self, name):
        calls["Asked __getattr__ " + name] += 1
        raise AttributeError(name)


class Watched(torchvision.datasets.ImageFolder):
    def __getattribute__(self, name):
        calls["Watched " + name] += 1
        return super().__getattribute__(name)


class Collate:
    def __getattr__(self, name):
        calls["Collate " + name] += 1
        raise AttributeError(name)

    def __call__(self, samples):
        return samples


class Loader(DataLoader):
    @property
    def collate_fn(self):
        calls["Loader collate_fn"] += 1
        return vars(self)["collate_fn"]

    @collate_fn.setter
    def collate_fn(self, function):
        vars(self)["collate_fn"] = function


T = torchvision.transforms
chain = T.Compose([T.Resize((8, 8)), T.ToTensor()])
pictures = torchvision.datasets.ImageFolder(sys.argv[1], chain)
loaders = [DataLoader(kind(sys.argv[1], chain), batch_size=4) for kind in (Pictures, Asked, Watched)]
loaders += [DataLoader(pictures, batch_size=4, collate_fn=Collate()), Loader(pictures, batch_size=4)]
for loader in loaders:
    for _ in loader:
        pass
for name, count in sorted(calls.items()):
    print(name, count)
