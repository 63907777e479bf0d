"""Cases in which PyTorch compiles, traces or transforms a program, or the program watches it: one line of JSON a case.

    python matrix.py FAMILY [CASE...]        --names instead of a case: which there are

FAMILY is a module beside this one. Each case runs in a child of its own, forked once torch is imported: nothing has been
trained in it before, so that whatever hooks do at a model's first forward they do in each case. A line holds what
the case gives back, its graphs node by node, the compiler's counters, its warnings and all else that it wrote to stderr.
"""

import contextlib
import importlib
import json
import os
import re
import sys
import tempfile
import traceback
import warnings

import torch
from observed import told

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_LOGGED = re.compile(r"\b([VIWEC])\d{4} \d\d:\d\d:\d\d\.\d+ \d+ ")  # torch's logs: time and pid


def plain(text):
    """Without what differs from run to run: addresses, times, process ids."""
    return _LOGGED.sub(r"\1 ", _ADDRESS.sub("0x", text)).replace(str(os.getpid()), "PID")


def observed(case):
    """All that is to be the same: result or error of the case, and what the compiler says of it."""
    try:
        said = {"gives": case()}
    except BaseException as error:
        said = {"raises": "%s: %s" % (type(error).__name__, plain(str(error)))}
        if os.environ.get("MATRIX_TRACEBACKS"):
            traceback.print_exc()
    return {**said, **told()}


def moved(objects):
    """Fills this many slots of each size, so that objects made later have other addresses than in another run."""
    return [bytes(size) for size in range(0, 480, 16) for _ in range(objects)]


def child(name, case):
    """In the forked process: does not return."""
    held = moved(int(os.environ.get("MATRIX_MOVED", 0)))
    with tempfile.TemporaryFile() as err:
        os.dup2(err.fileno(), 2)
        warnings.simplefilter("always" if "always" in name else "default")
        said = observed(case)
        sys.stderr.flush()
        err.seek(0)
        said["stderr"] = plain(err.read().decode("utf-8", "replace"))
    sys.stdout.write(json.dumps({"case": name, **said}, default=str, sort_keys=True) + "\n")
    sys.stdout.flush()
    del held
    os._exit(0)


def run(name, case):
    pid = os.fork()
    if pid == 0:
        child(name, case)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        print(json.dumps({"case": name, "ended": status}), flush=True)


def import_early():
    """Imports the modules that compiling needs: once for all cases, for it takes seconds."""
    for name in ("torch._dynamo", "torch._dynamo.convert_frame", "torch._dynamo.backends.common", "torch._functorch.aot_autograd",
                 "functorch.compile", "torch._functorch._aot_autograd.runtime_wrappers", "torch.fx.experimental.symbolic_shapes",
                 "torch.utils._sympy.functions"):  # fmt: skip
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def main(family, *wanted):
    cases = importlib.import_module(family).cases()
    if wanted == ("--names",):
        print(json.dumps(list(cases)))
        return
    torch.set_num_threads(1)
    import_early()
    for name, case in cases.items():
        if not wanted or name in wanted:
            run(name, case)


if __name__ == "__main__":
    main(*sys.argv[1:])
