"""Limits that the program's user set: flatout wants things of its own, and must not cost the program any."""

import os
import resource
import shlex
import signal
import subprocess

import harness
import pytest
from scene import library, python

NOBODY = 65534


def outcome_of(command, tmp_path, limits, *options, observed=True, user=None, verb=(), **settings):
    """(exit status, stdout, stderr) under these limits: {RLIMIT_...: soft and hard}."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    home.chmod(0o777)

    def enter():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, value))
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

    if verb:
        command = [harness.flatout_bin(), *verb]
    elif observed:
        command = [harness.flatout_bin(), "run", *options, "--", *command]
    done = subprocess.run(
        [str(c) for c in command],
        env=harness.environment(FLATOUT_HOME=home, **settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=enter,
        cwd="/",
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


LIMITS = [
    {"RLIMIT_FSIZE": 0},
    {"RLIMIT_FSIZE": 512},
    {"RLIMIT_FSIZE": 4096},
    {"RLIMIT_FSIZE": 1 << 20},
    {"RLIMIT_FSIZE": 4 << 20},
    {"RLIMIT_NOFILE": 12},
    {"RLIMIT_NOFILE": 20},
    {"RLIMIT_AS": 80 << 20},
    {"RLIMIT_DATA": 20 << 20},
    {"RLIMIT_CORE": 0},
    {"RLIMIT_CPU": 20},
    {"RLIMIT_STACK": 256 << 10},
    {"RLIMIT_MEMLOCK": 0},
]


@pytest.mark.parametrize("segments", ["", "off"], ids=["segment", "file"])
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: " ".join(f"{k}={v}" for k, v in limit.items()))
def test_a_limit_costs_the_program_nothing(flatout, tmp_path, limit, segments):
    """sh leaves SIGXFSZ as it is, Python ignores it: both must end as they do without flatout."""
    program = shlex.join(str(c) for c in python("marked.py", library(), "steps", 50))
    for command in (["sh", "-c", f"{program}; exit 9"], ["sh", "-c", "exit 3"], ["sh", "-c", "kill -TERM $$"]):
        plain = outcome_of(command, tmp_path, limit, observed=False)
        for options in ((), ("--no-hooks",)):
            seen = outcome_of(command, tmp_path, limit, *options, FLATOUT_RING_IPC=segments)
            assert seen[:2] == plain[:2], (options, seen)


def test_a_program_that_meets_its_file_size_limit_ends_of_it(flatout, tmp_path):
    command = ["sh", "-c", f"head -c 100000 /dev/zero > {tmp_path}/out"]
    command = ["dd", "if=/dev/zero", f"of={tmp_path}/out", "bs=100000", "count=1"]
    plain = outcome_of(command, tmp_path, {"RLIMIT_FSIZE": 4096}, observed=False)
    assert plain[0] == -signal.SIGXFSZ
    assert outcome_of(command, tmp_path, {"RLIMIT_FSIZE": 4096})[0] == plain[0]


VERBS = {  # what it says where nothing can be written; None: there is nothing to write
    "ls": None,
    "report latest": None,
    "show latest": None,
    "doctor": None,
    "accuracy": None,
    "report latest --format html --out {}/page.html": b"page.html: File too large",
    "export latest --out {}/tables": b"File too large",
    "tag latest kept": b"meta.json: File too large",
    "note latest kept": b"meta.json: File too large",
    "tune --budget 30s -- /bin/true": b"flatout: ",
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_may_write_no_file_says_so(flatout, tmp_path, verb):
    assert outcome_of(python("marked.py", library(), "steps", 50), tmp_path, {})[0] == 7, "as it ends without flatout"
    code, _, err = outcome_of((), tmp_path, {"RLIMIT_FSIZE": 0}, verb=verb.format(tmp_path).split())
    said = VERBS[verb]
    assert code == (0 if said is None else 1), err
    assert said is None or said in err


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 8])
def test_few_processes(flatout, tmp_path, most):
    """Threads count, too. Users but root meet the limit, so the program is nobody's."""
    if os.getuid() != 0:
        pytest.skip("only root may start a process as another user")
    if subprocess.run(["pgrep", "-u", str(NOBODY)], capture_output=True).returncode == 0:
        pytest.skip("processes of nobody are running, and count towards the limit")
    command = ["/bin/sh", "-c", "echo here; exit 5"]
    limit = {"RLIMIT_NPROC": most}
    assert outcome_of(command, tmp_path, limit, observed=False, user=NOBODY)[:2] == (5, b"here\n")
    code, out, err = outcome_of(command, tmp_path, limit, user=NOBODY)
    if b"Permission denied" in err and code == 126:
        pytest.skip("nobody may not read this checkout")
    assert (code, out) == (5, b"here\n"), err
    forks = ["/bin/sh", "-c", "true & wait; /bin/true; exit $?"]
    plain = outcome_of(forks, tmp_path, limit, observed=False, user=NOBODY)
    seen = outcome_of(forks, tmp_path, limit, user=NOBODY)
    assert seen[:2] == plain[:2], seen[2]
