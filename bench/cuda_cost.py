"""Measures what flatout's hooks take of a step on CUDA: prints, as JSON, CPU time of the thread that trains, in microseconds a step.

tests/simgpu/programs/cost.py runs alone and under `flatout run`, in turns; what differs is flatout's. CPU time of the simulated
calls, which is not a real driver's, is in it. Needs build/simgpu (tests/simgpu/prepare.py).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "simgpu")]
import harness  # noqa: E402
import machine  # noqa: E402

PROGRAM = ROOT / "tests" / "simgpu" / "programs" / "cost.py"


def told(simulated, *prefix):
    """The figures that cost.py prints of its loops."""
    scratch = simulated.scratch()
    environment = simulated.environment(scratch, env={"FLATOUT_HOME": scratch / "home"})
    done = subprocess.run([*prefix, sys.executable, PROGRAM, "times"], env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def pair(simulated):
    """Microseconds a step: what CUDA adds to the hooks of the phases, within the same two runs; and all hooks, two blocking copies included."""
    alone, observed = told(simulated), told(simulated, harness.flatout_bin(), "run", "--quiet", "--no-bench", "--")

    def added(loop, name="cpu_ns"):
        return (observed[loop][name] - alone[loop][name]) / 1e3

    return {"device_time_us": added("phases") - added("phases", "cpu_ns_without_cuda"), "all_hooks_us": added("phases") + added("blocking")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=7)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory(prefix="flatout-cuda-cost-") as folder:
        measured = [pair(machine.Machine(folder)) for _ in range(pairs)]
    values = {name: sorted(one[name] for one in measured) for name in measured[0]}
    print(json.dumps({"pairs": pairs, **{name: {"least": row[0], "median": statistics.median(row), "most": row[-1]} for name, row in values.items()}}))


if __name__ == "__main__":
    main()
