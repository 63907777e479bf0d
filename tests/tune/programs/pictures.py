"""A small training on torchvision's ImageFolder, which decodes large pictures in its own process: argv[1] = where vision.py lies, argv[2] = the pictures."""

import sys
import time
import types

sys.path.insert(0, sys.argv[1])
import eager  # noqa: E402, F401
import torch  # noqa: E402
import vision  # noqa: E402

sys.modules["torch._dynamo.utils"] = types.ModuleType("torch._dynamo.utils")  # torchvision's operators ask for it
sys.modules["torch._dynamo.utils"].is_compile_supported = lambda device: False
torchvision = vision.load()
T = torchvision.transforms


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    dataset = torchvision.datasets.ImageFolder(sys.argv[2], T.Compose([T.RandomResizedCrop(32), T.RandomHorizontalFlip(), T.ToTensor()]))
    loader = torch.utils.data.DataLoader(dataset, batch_size=4, shuffle=True)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for _ in range(100):
        for pictures, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(pictures), labels)
            end = time.thread_time() + 0.004
            while time.thread_time() < end:  # stands for a larger model
                pass
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
