"""Children that are Python, a shell, a thread pool's processes, and a re-exec."""

import concurrent.futures
import os
import subprocess
import sys

import eager  # noqa: F401
import torch
from tiny import Rows, set_up, train

print("argv", sys.argv[1:], flush=True)
if "again" in sys.argv:
    sys.exit(11)
for command in (
    [sys.executable, "-c", "import sys; print('child', sys.argv, sys.path[1:])"],
    [sys.executable, "-I", "-c", "print('isolated child')"],
    [sys.executable, "-c", "import sys; sys.exit('child message')"],
    ["sh", "-c", "echo shell; echo shell error >&2; exit 4"],
):
    done = subprocess.run(command, capture_output=True)
    print(done, flush=True)
pid = os.fork()
if pid == 0:
    model, loss_of, optimizer = set_up()
    print("forked", train(model, loss_of, optimizer, [(torch.ones(2, 4), torch.ones(2, 1))]))
    sys.stdout.flush()
    os._exit(6)
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
with concurrent.futures.ProcessPoolExecutor(2) as pool:
    print(list(pool.map(abs, [-1, -2, -3])))
model, loss_of, optimizer = set_up()
print(train(model, loss_of, optimizer, torch.utils.data.DataLoader(Rows(16), batch_size=4)))
sys.stdout.flush()
os.execv(sys.executable, [sys.executable, *sys.argv, "again"])
