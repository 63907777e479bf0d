"""What the fault tests share: the programs, rings left behind, small file systems."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

PROGRAMS = Path(__file__).resolve().parent / "programs"


def python(name, *arguments):
    return [harness.PYTHON, PROGRAMS / name, *arguments]


def library():
    """libflatout.so of the release under test, for programs that mark their steps themselves."""
    return harness.flatout_bin().resolve().parents[1] / "lib/libflatout.so.0"


def announced(file: Path):
    """(steps that the program called complete, steps it had begun)."""
    data = file.read_bytes() if file.exists() else b""
    return struct.unpack("qq", data) if len(data) == 16 else (0, 0)


def children(pid):
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def has_ended(pid):
    """True once it is a zombie or gone. Its command line is empty some time earlier,
    while the kernel still takes its memory down."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


def wait_until_ended(pid, seconds=60):
    harness.wait_for(lambda: has_ended(pid), seconds, f"process {pid} does not end")


def rings_left(outcome):
    """Folders of shared memory that this run left behind; other runs go on beside it."""
    name = f"flatout-{os.getuid()}-{outcome.report['run']['id']}"
    return [root / name for root in (Path("/dev/shm"), Path("/tmp")) if (root / name).exists()]


def in_namespace(*mounts, keep=None):
    """A command prefix with file systems of its own: (folder, tmpfs options). The folder to
    `keep` stays what it is also below one of them, as a checkout in /tmp has to. Skips where
    this user may not mount."""
    steps = [f"mount -t tmpfs -o {options} tmpfs {folder}" for folder, options in mounts]
    if keep and any(Path(keep).is_relative_to(folder) for folder, _ in mounts):
        # Its name is covered in between: a descriptor of the shell leads there.
        back = f"mkdir -p {keep} && mount -c --bind /proc/$$/fd/9 {keep} && exec 9<&-"
        steps = [f"exec 9<{keep}", *steps, back]
    script = " && ".join(steps)
    trial = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True)
    if trial.returncode != 0:
        pytest.skip(f"may not mount a tmpfs here: {trial.stderr.decode().strip()}")
    return ["unshare", "-m", "sh", "-c", f'{script} && exec "$@"', "sh"]
