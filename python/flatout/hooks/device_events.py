"""CUDA events with times, kept for use again. An event belongs to one device for good."""


class DeviceEvents:
    def __init__(self, cuda, most):
        self.cuda = cuda
        self.most = most  # of each device
        self.spare = {}
        self.made = {}

    def take(self, device):
        """An event of `device`, which is the current one; None where all are out."""
        spare = self.spare.get(device)
        if spare:
            return spare.pop()
        made = self.made.get(device, 0)
        if made >= self.most:
            return None
        self.made[device] = made + 1
        return self.cuda.Event(enable_timing=True)

    def give_back(self, device, event):
        self.spare.setdefault(device, []).append(event)
