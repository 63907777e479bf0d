"""Imports that the start-up is made of, and some that it is not; prints the seconds of the former."""

import sys
import threading
import time

sys.path.insert(0, sys.argv[1])
begun = time.perf_counter()
import outer  # noqa: E402, F401  it imports another
import torch  # noqa: E402

took = time.perf_counter() - begun
time.sleep(0.3)  # the program's own work
try:
    import broken  # noqa: F401
except ZeroDivisionError:
    pass
aside = threading.Thread(target=__import__, args=("aside",))
aside.start()
aside.join()
begun = time.perf_counter()
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

took += time.perf_counter() - begun
list(DataLoader(TensorDataset(torch.zeros(4, 1)), batch_size=2))
import late  # noqa: E402, F401

model = torch.nn.Linear(1, 1)
model(torch.zeros(2, 1)).sum().backward()
print(took)
