"""PyTorch under the hooks with a C extension's marks inside (here through ctypes, which releases the GIL).

beside_hooks.py LIBRARY STEPS WHAT   WHAT: `marks` marks the reader and the ends of steps, `none` does not.
"""

import ctypes
import sys
import threading

import eager  # noqa: F401
import torch

library = ctypes.CDLL(sys.argv[1])
library.flatout_step_end.argtypes = [ctypes.c_uint64]
library.flatout_log.argtypes = [ctypes.c_char_p, ctypes.c_double, ctypes.c_int64]
steps, marks = int(sys.argv[2]), sys.argv[3] == "marks"
DATA_WAIT = 1
codes = set()


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 4 * steps

    def __getitem__(self, index):
        if marks:
            codes.add(library.flatout_phase_begin(DATA_WAIT))
        row = torch.full((8,), float(index % 5)), torch.ones(1)
        if marks:
            codes.add(library.flatout_phase_end(DATA_WAIT))
        return row


def beside():
    """Another thread of C writes at the same time."""
    for i in range(2000):
        library.flatout_log(b"beside", i, i)


torch.manual_seed(0)
model, loss_of = torch.nn.Linear(8, 1), torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
thread = threading.Thread(target=beside)
thread.start()
for x, y in torch.utils.data.DataLoader(Rows(), batch_size=4):
    optimizer.zero_grad()
    loss = loss_of(model(x), y)
    loss.backward()
    optimizer.step()
    if marks:
        codes.add(library.flatout_step_end(len(x)))
thread.join()
print(sorted(codes), f"{loss.item():.6f}")
