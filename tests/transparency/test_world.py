"""What a program can look at: the same, but for the differences that are allowed."""

import json

from compare import both, python, steps_seen


def test_surroundings(flatout, tmp_path):
    env = {"PYTHONPATH": "/nowhere/first:/nowhere/second"}
    plain, observed = both(python("world.py", "an argument"), tmp_path, env=env)
    assert (plain.code, observed.code) == (0, 0), observed.err
    assert steps_seen(observed) == 4
    without, under = json.loads(plain.out), json.loads(observed.out)
    differing = {key for key in without if under[key] != without[key]}
    assert differing <= {"environ", "modules"}, {
        key: (without[key], under[key]) for key in differing - {"environ", "modules"}
    }
    assert set(without["modules"]) - set(under["modules"]) == set()
    assert set(under["modules"]) - set(without["modules"]) <= {"sitecustomize"}
    _check_environment(without["environ"], under["environ"])


def _check_environment(without, under):
    def is_allowed(name):
        return name.startswith("FLATOUT_") or name == "PYTHONPATH"

    assert {k: v for k, v in under.items() if not is_allowed(k)} == {
        k: v for k, v in without.items() if not is_allowed(k)
    }
    ours, _, theirs = under["PYTHONPATH"].partition(":")
    assert theirs == without["PYTHONPATH"]
    assert ours not in without["PYTHONPATH"]


def test_standard_streams_that_are_closed(flatout, tmp_path):
    import harness

    look = (
        "import os, sys\n"
        "def there(fd):\n"
        "    try: os.fstat(fd); return True\n"
        "    except OSError: return False\n"
        "text = str([there(fd) for fd in range(3)] + [sys.stdin is None, sys.stdout is None])\n"
        "open('seen', 'w').write(text)\n"
    )
    for closing in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        seen = []
        for run in (harness.run_plain, None):
            command = ["sh", "-c", f'exec "$@" {closing}', "sh"]
            inner = [harness.PYTHON, "-c", look]
            if run is None:
                inner = [str(flatout), "run", "--report-to", str(tmp_path / "said"), "--", *inner]
            env = harness.environment(FLATOUT_HOME=tmp_path / "home")
            outcome = harness.run_plain([*command, *inner], env=env, cwd=tmp_path)
            assert outcome.code == 0, (closing, outcome.err)
            seen.append((tmp_path / "seen").read_text())
            (tmp_path / "seen").unlink()
        assert seen[0] == seen[1], closing
