"""What a program can see of its surroundings, after training, as JSON."""

import atexit
import json
import os
import resource
import signal
import sys
import threading
import warnings

import torch
from tiny import Rows, set_up, train


def descriptors():
    seen = {}
    for fd in sorted(int(name) for name in os.listdir("/proc/self/fd")):
        try:
            target = os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            continue  # the one that listed the folder
        seen[fd] = target.split(":")[0]  # pipe:[123] -> pipe
    return seen


model, loss_of, optimizer = set_up()
train(model, loss_of, optimizer, torch.utils.data.DataLoader(Rows(16), batch_size=4))
print(
    json.dumps(
        {
            "path": sys.path,
            "argv": sys.argv,
            "orig_argv": sys.orig_argv,
            "flags": str(sys.flags),
            "executable": sys.executable,
            "meta_path": [getattr(f, "__name__", type(f).__name__) for f in sys.meta_path],
            "path_hooks": [getattr(h, "__qualname__", repr(h)) for h in sys.path_hooks],
            "modules": sorted(sys.modules),
            "environ": dict(os.environ),
            "descriptors": descriptors(),
            "threads": [t.name for t in threading.enumerate()],
            "tasks": len(os.listdir("/proc/self/task")),
            "children": open(f"/proc/self/task/{os.getpid()}/children").read().split(),
            "signals": {s.name: str(signal.getsignal(s)) for s in sorted(signal.valid_signals()) if hasattr(s, "name")},
            "blocked": sorted(int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])),
            "wakeup_fd": signal.set_wakeup_fd(-1),
            "excepthook": sys.excepthook is sys.__excepthook__,
            "displayhook": sys.displayhook is sys.__displayhook__,
            "breakpointhook": sys.breakpointhook is sys.__breakpointhook__,
            "unraisablehook": sys.unraisablehook is sys.__unraisablehook__,
            "trace": [str(sys.gettrace()), str(sys.getprofile()), str(threading.gettrace())],
            "atexit": atexit._ncallbacks(),
            "warnings": len(warnings.filters),
            "import": __import__.__module__ if hasattr(__import__, "__module__") else "builtins",
            "recursion": sys.getrecursionlimit(),
            "switch_interval": sys.getswitchinterval(),
            "umask": os.umask(0o022),
            "cwd": os.getcwd(),
            "group_is_parents": os.getpgrp() == os.getpgid(os.getppid()),
            "session_is_parents": os.getsid(0) == os.getsid(os.getppid()),
            "nice": os.nice(0),
            "affinity": sorted(os.sched_getaffinity(0)),
            "limits": {n: resource.getrlimit(getattr(resource, n)) for n in dir(resource) if n.startswith("RLIMIT_")},
            "torch_threads": [torch.get_num_threads(), torch.get_num_interop_threads()],
            "dumpable": open("/proc/self/coredump_filter").read(),
        }
    )
)
