"""A stand-in for c10d with NCCL, on that for torch.cuda: its streams wait, the host does not."""

import types

from cuda_stand_in import NOW


def device_works(ms):
    NOW["device_done_ms"] = max(NOW["device_done_ms"], NOW["host_ms"]) + ms


class Work:
    def __init__(self, left_ms):
        self.left_ms = left_ms

    def wait(self):
        device_works(self.left_ms)


class ProcessGroup:
    def allreduce(self, tensors, asynchronous):
        if not tensors[0].is_cuda:
            NOW["host_ms"] += 3
            return Work(0)
        if not asynchronous:
            device_works(5)  # on the current stream
        return Work(4 if asynchronous else 0)


class Logger:
    """What PyTorch's own says of iterations that it measures."""

    def __init__(self):
        self.ints_map = {"iteration": 0}

    def measured(self, iteration):
        self.ints_map = {
            "iteration": iteration,
            "backward_comm_time": 7_000_000,
            "backward_compute_comm_overlap_time": 5_000_000,
        }

    def _get_ddp_logging_data(self):
        return types.SimpleNamespace(ints_map=dict(self.ints_map))


class DistributedDataParallel:
    def __init__(self):
        self.logger = Logger()
