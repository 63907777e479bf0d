"""comm: the host blocked in a collective.

The Python functions of torch.distributed stay untouched, because torch.compile
knows them by identity; what blocks is the wait on their Work.
"""

PHASE = 0
COMM = 6


def install(native, torch):
    if not torch.distributed.is_available():
        return
    from torch._C._distributed_c10d import Work

    native.hook(Work, "wait", PHASE, COMM)
