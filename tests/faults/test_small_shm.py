"""Small /dev/shm, as containers have: what a program can keep there is what it has without flatout."""

import harness
import pytest
from scene import in_namespace, library, python

# Options of a tmpfs. Each with how much of it is taken before.
SHAPES = {
    "1 MB": ("size=1m", 0),
    "8 MB": ("size=8m", 0),
    "16 MB": ("size=16m", 0),
    "20 MB": ("size=20m", 0),
    "64 MB, Docker's default": ("size=64m", 0),
    "64 MB, nearly full": ("size=64m", 60),
    "64 MB, with room for four rings": ("size=64m", 44),
    "256 MB": ("size=256m", 0),
    "few names": ("size=64m,nr_inodes=8", 0),
    "noexec": ("size=64m,noexec,nosuid,nodev", 0),
    "unwritable": ("ro", 0),
}


def taken_before(prefix, mebibytes):
    if mebibytes == 0:
        return prefix
    return [*prefix, "sh", "-c", f'head -c {mebibytes}M /dev/zero > /dev/shm/before && exec "$@"', "sh"]


def compare(prefix, command, folder, **settings):
    plain = harness.run_plain([*prefix, *command], timeout=60)
    seen = harness.run_observed(command, folder, prefix=prefix, timeout=60, env=harness.environment(**settings))
    assert (seen.code, seen.out) == (plain.code, plain.out), seen.err
    assert [line for line in seen.err.splitlines() if not line.startswith(b"flatout")] == plain.err.splitlines()
    return plain, seen


@pytest.mark.parametrize("shape", SHAPES)
def test_the_program_has_all_of_it(flatout, tmp_path, shape):
    options, before = SHAPES[shape]
    prefix = taken_before(in_namespace(("/dev/shm", options)), before)
    plain, seen = compare(prefix, python("marked.py", library(), "fill", "/dev/shm"), tmp_path)
    assert b"OSError" in plain.out
    assert seen.report["steps"]["count"] == 20


def test_shared_memory_is_absent(flatout, tmp_path):
    """A /dev of its own, without the folder."""
    devices = tmp_path / "dev"
    devices.mkdir()
    nodes = " ".join(("null", "zero", "full", "random", "urandom", "tty"))
    script = (
        f"mount -t tmpfs tmpfs {devices} && for n in {nodes}; do : > {devices}/$n && mount --bind /dev/$n {devices}/$n; done"
        f' && mount --rbind {devices} /dev && exec "$@"'
    )
    in_namespace(("/dev/shm", "size=1m"))  # skips where this user may not mount
    prefix = ["unshare", "-m", "sh", "-c", script, "sh"]
    plain, seen = compare(prefix, python("marked.py", library(), "fill", "/dev/shm"), tmp_path)
    assert b"FileNotFoundError" in plain.out
    assert seen.report["steps"]["count"] == 20


def test_rings_that_must_be_files_lie_on_the_larger_disk(flatout, tmp_path):
    """Where the system grants no segments: beside a small /dev/shm they lie elsewhere."""
    prefix = in_namespace(("/dev/shm", "size=64m"))
    command = python("marked.py", library(), "fill", "/dev/shm")
    _, seen = compare(prefix, command, tmp_path, FLATOUT_RING_IPC="off", TMPDIR=str(tmp_path))
    assert seen.report["steps"]["count"] == 20


def test_files_on_nothing_but_small_disks_take_a_small_share(flatout, tmp_path):
    room = tmp_path / "room"
    room.mkdir()
    prefix = in_namespace(("/dev/shm", "size=64m"), ("/tmp", "size=32m"), (room, "size=32m"), keep=harness.ROOT)
    command = python("marked.py", library(), "fill", "/dev/shm")
    plain = harness.run_plain([*prefix, *command], timeout=60)
    env = harness.environment(FLATOUT_RING_IPC="off", TMPDIR=str(room))
    seen = harness.run_observed(command, tmp_path, prefix=prefix, timeout=60, env=env)
    assert seen.code == plain.code == 0, seen.err
    had, has = (int(outcome.out.split()[-1]) for outcome in (plain, seen))
    assert had * 0.93 < has < had, "four rings, each at most 1/64"
    assert seen.report["steps"]["count"] == 20


def test_the_user_sizes_the_rings(flatout, tmp_path):
    """10,000 steps in a burst do not fit into 64 KiB, and do into 16 MiB."""
    command = python("marked.py", library(), "steps", 10_000)
    small = harness.run_observed(command, tmp_path, env=harness.environment(FLATOUT_RING_BYTES="64K"))
    large = harness.run_observed(command, tmp_path, env=harness.environment(FLATOUT_RING_BYTES="16M"))
    assert small.code == large.code == 7
    assert small.report["overhead"]["dropped"] > 0
    assert large.report["overhead"]["dropped"] == 0
    wrong = harness.run_observed(command, tmp_path, env=harness.environment(FLATOUT_RING_BYTES="some"))
    assert wrong.code == 7 and "FLATOUT_RING_BYTES" in wrong.said


def test_loader_workers_hand_their_tensors_through_it(flatout, tmp_path):
    """62 of 64 MiB are the program's own: a rank's ring of 4 MiB beside them, and the worker waits for ever."""
    prefix = in_namespace(("/dev/shm", "size=64m"))
    plain, _ = compare(prefix, python("through_shm.py", 7.75, 8), tmp_path)
    assert plain.code == 0 and plain.out.startswith(b"kept 8"), plain.err
