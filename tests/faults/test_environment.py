"""An environment that is nearly as large as the system allows: what flatout adds to it must not keep the program from starting."""

import errno
import subprocess

import harness

PAGE = 100_000  # of the 128 KiB that one variable may have


def padded(size):
    full, rest = divmod(size, PAGE)
    return {f"PAD_{number}": "x" * length for number, length in enumerate([PAGE] * full + [rest])}


def starts(command, env, size):
    try:
        subprocess.run(command, env={**env, **padded(size)}, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except OSError as error:
        assert error.errno == errno.E2BIG
        return False
    return True


def test_the_program_starts_where_only_flatouts_variables_are_too_much(tmp_path):
    env = harness.environment(FLATOUT_HOME=tmp_path / "home")
    program = ["/bin/sh", "-c", "echo ran ${#PAD_0} with ${FLATOUT_RUN_ID-none}; exit 3"]
    command = [str(harness.flatout_bin()), "run", "--", *program]
    least, most = 0, 64 << 20
    version = [str(harness.flatout_bin()), "--version", "-", *["x" * len(word) for word in program]]  # as long, and quick
    while most - least > 1:
        size = (least + most) // 2
        least, most = (size, most) if starts(version, env, size) else (least, size)
    done = subprocess.run(command, env={**env, **padded(least)}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith(f"ran {PAGE} with"), done.stdout
    if "with none" in done.stdout:
        assert "arguments and environment are too long; the program runs unrecorded" in done.stderr

    assert not starts(command, env, least + (1 << 20)), "else nothing was tested"
