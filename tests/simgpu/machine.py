"""A simulated machine: the environment in which PyTorch's CUDA build finds simulated devices, and programs run in it."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

from truth import Truth

BUILT = pathlib.Path(__file__).resolve().parents[2] / "build" / "simgpu"


@dataclasses.dataclass
class Result:
    status: int
    output: str  # standard output and error
    truth: Truth


class Machine:
    """Each run gets devices of its own, unless `machine` names the folder that several share."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.runs = 0

    def environment(self, scratch, device="h100", devices=1, slower=1, env=None):
        """For any program; what is measured lies below `scratch` afterwards."""
        scratch = pathlib.Path(scratch)
        made = {name: value for name, value in os.environ.items() if not name.startswith(("SIMGPU_", "CUDA_", "FLATOUT_"))}
        made.update(
            LD_LIBRARY_PATH=os.pathsep.join(filter(None, [str(BUILT / "lib"), os.environ.get("LD_LIBRARY_PATH")])),
            PYTHONPATH=str(BUILT / "site"),
            SIMGPU_DEVICE=device,
            SIMGPU_DEVICES=str(devices),
            SIMGPU_SLOWER=str(slower),
            SIMGPU_TRUTH=str(scratch / "truth"),
            SIMGPU_MACHINE=str(scratch / "machine"),
            TRITON_LIBCUDA_PATH=str(BUILT / "lib"),
            OMP_NUM_THREADS="1",
        )
        made.update({name: str(value) for name, value in (env or {}).items()})
        return made

    def scratch(self):
        self.runs += 1
        return pathlib.Path(tempfile.mkdtemp(prefix="%d-" % self.runs, dir=self.folder))

    def run(self, program, *arguments, timeout=180, cwd=None, own_modules=False, **machine):
        """`program`: a file, or the text of one; with own_modules it can import what lies beside this file."""
        scratch = self.scratch()
        if "\n" in program:
            (scratch / "program.py").write_text(program)
            program = str(scratch / "program.py")
        environment = self.environment(scratch, **machine)
        if own_modules:
            environment["PYTHONPATH"] = str(pathlib.Path(__file__).resolve().parent)
        done = subprocess.run(
            [sys.executable, program, *map(str, arguments)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            cwd=cwd,
        )
        return Result(done.returncode, done.stdout, Truth(scratch / "truth"))
