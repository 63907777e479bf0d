"""Counts the signals that reach it, and says so at the end.

signals.py HANDLED,... SECONDS soon|late [train]
"""

import signal
import sys
import time

counts = {}
handled = sys.argv[1].split(",")


def count(number, frame):
    name = signal.Signals(number).name
    counts[name] = counts.get(name, 0) + 1


for name in handled:
    signal.signal(getattr(signal, name), count)
if "train" in sys.argv:
    import torch
    from tiny import set_up, train

    train(*set_up(), [(torch.ones(2, 4), torch.ones(2, 1))] * 3)
print("ready", flush=True)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    time.sleep(0.05)
    if sum(counts.values()) and sys.argv[3] == "soon":
        time.sleep(0.5)  # a second delivery would arrive in this time
        break
print(sorted(counts.items()))
sys.exit(5)
