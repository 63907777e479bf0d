"""Programs whose output and end must not change. Where a count of steps is given,
the hooks were there: without it an absent hook would pass every comparison."""

import pytest
from compare import assert_same, both, python, steps_seen

SOME = -1  # at least one step

# program, arguments, steps that flatout must have seen
PROGRAMS = [
    ("numerics.py", [], 24),
    ("streams.py", ["0"], 24),
    ("streams.py", ["2"], 24),
    ("pickles.py", [], 24),
    ("compiled.py", [], 30),
    ("compiled_step.py", [], SOME),
    ("precision.py", [], SOME),
    ("frameworks.py", ["transformers"], 12),
    ("frameworks.py", ["lightning"], 12),
    ("transforms.py", [], 4),
    ("introspection.py", [], 4),
    ("lifetimes.py", [], 5),
    ("everyday.py", [], SOME),
    ("children.py", ["one", "two words"], SOME),
    ("start_methods.py", ["fork"], 12),
    ("start_methods.py", ["spawn"], 12),
    ("start_methods.py", ["forkserver"], 12),
    ("raises.py", ["none"], 12),
    ("raises.py", ["getitem", "0"], SOME),
    ("raises.py", ["getitem", "2"], SOME),
    ("raises.py", ["iterable", "0"], SOME),
    ("raises.py", ["iterable", "2"], SOME),
    ("raises.py", ["collate", "0"], SOME),
    ("raises.py", ["collate", "2"], SOME),
    ("raises.py", ["forward"], SOME),
    ("raises.py", ["shape"], SOME),
    ("raises.py", ["backward"], SOME),
    ("raises.py", ["optimizer"], SOME),
    ("raises.py", ["save"], SOME),
]

# Near relatives of others above, for make test-slow.
SLOW = [("start_methods.py", ["fork"]), ("raises.py", ["getitem", "0"]), ("raises.py", ["iterable", "0"]), ("raises.py", ["collate", "0"]),
        ("raises.py", ["shape"]), ("raises.py", ["save"]), ("raises.py", ["none"]), ("raises.py", ["getitem", "2"]), ("raises.py", ["iterable", "2"]),
        ("raises.py", ["backward"]), ("raises.py", ["optimizer"]), ("compiled.py", []), ("frameworks.py", ["lightning"]), ("start_methods.py", ["forkserver"]),
        ("streams.py", ["0"])]


@pytest.mark.parametrize(
    ("name", "arguments", "steps"),
    [pytest.param(*p, id=" ".join([p[0][:-3], *p[1]]), marks=pytest.mark.slow if p[:2] in SLOW else ()) for p in PROGRAMS],
)
def test_same(flatout, tmp_path, name, arguments, steps):
    plain, observed = both(python(name, *arguments), tmp_path)
    assert plain.out, f"the plain program printed nothing: {plain.err.decode()}"
    assert_same(plain, observed)
    seen = steps_seen(observed)
    assert seen >= 1 if steps == SOME else seen == steps


def test_raw_bytes(flatout, tmp_path):
    data = bytes(range(255, -1, -1)) * 400
    plain, observed = both(python("raw_bytes.py"), tmp_path, stdin=data)
    assert data[::-1] in plain.out
    assert_same(plain, observed)


ENDS = ["exit0", "exit7", "exit255", "exit_message", "uncaught", "os_exit"]
ENDS += ["SIGKILL", "SIGTERM", "SIGABRT", "SIGSEGV", "SIGINT", "SIGPIPE", "SIGHUP", "SIGQUIT", "SIGUSR1"]


@pytest.mark.parametrize("how", ENDS)
def test_end(flatout, tmp_path, how):
    plain, observed = both(python("ends.py", how), tmp_path)
    assert_same(plain, observed)
    run = observed.report["run"]
    if plain.code >= 0:
        assert run["exit_code"] == plain.code
        assert run["state"] == ("finished" if plain.code == 0 else "failed")
    else:
        assert (run["state"], run["signal"]) == ("killed", how)


def test_command_not_found_and_not_executable(flatout, tmp_path):
    import harness

    missing = harness.run_plain([flatout, "run", "--", "no-such-command-here"])
    assert missing.code == 127 and missing.out == b""
    assert missing.err.startswith(b"flatout") and b"no-such-command-here" in missing.err
    (tmp_path / "data").write_text("not a program")
    refused = harness.run_plain([flatout, "run", "--", tmp_path / "data"])
    assert refused.code == 126 and refused.out == b""
    assert refused.err.startswith(b"flatout")


def test_other_ways_to_start_python(flatout, tmp_path):
    """-c, -m, a script on stdin, a shell script, a folder with __main__."""
    import harness

    source = (python("bare.py")[1]).read_text()
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__main__.py").write_text(source)
    (folder / "bare_module.py").write_text(source)
    shell = 'echo before; "$1" "$0/bare_module.py" a "b c"; echo after $?'
    commands = [
        ([harness.PYTHON, "-c", source, "x"], b"", 3),
        ([harness.PYTHON, "-m", "bare_module", "x"], b"", 3),
        ([harness.PYTHON, "-", "x"], source.encode(), 3),
        ([harness.PYTHON, folder, "x"], b"", 3),
        (["sh", "-c", shell, folder, harness.PYTHON], b"", 3),
    ]
    for command, stdin, steps in commands:
        plain, observed = both(command, tmp_path, stdin=stdin, env={"PYTHONPATH": str(folder)})
        assert b"0x" in plain.out, plain.err
        assert_same(plain, observed)
        assert steps_seen(observed) == steps, command
