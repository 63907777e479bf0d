"""Interpreter options that switch the hooks off, and a site's own customization."""

import os
import shutil
import subprocess

import harness
import pytest
from compare import PROGRAMS, assert_same, both, steps_seen


@pytest.mark.parametrize("option", ["-I", "-E", "-S", "-Es", "-sS"])
def test_hooks_are_lost_and_one_line_says_so(flatout, tmp_path, option):
    plain, observed = both([harness.PYTHON, option, PROGRAMS / "bare.py", "x"], tmp_path)
    assert observed.out == plain.out
    assert observed.code == plain.code == 0
    lines = observed.err.splitlines(keepends=True)
    ours = [line for line in lines if line.startswith(b"flatout")]
    assert b"".join(line for line in lines if line not in ours) == plain.err
    assert len(ours) <= 1
    letter = next(c for c in "IES" if c in option)
    assert f"-{letter}" in b"".join(ours).decode() + observed.said
    assert observed.report["verdict"]["finding"] == "no_steps"


def test_options_that_keep_the_hooks(flatout, tmp_path):
    for options in (("-s", "-u", "-B"), ("-O", "-Xutf8", "-Wdefault")):  # together: each start of torch takes seconds
        plain, observed = both([harness.PYTHON, *options, PROGRAMS / "bare.py", "x"], tmp_path)
        assert_same(plain, observed)
        assert steps_seen(observed) == 3, options


def test_without_hooks(flatout, tmp_path):
    command = [harness.PYTHON, PROGRAMS / "bare.py"]
    plain, observed = both(command, tmp_path, options=["--no-hooks"])
    assert_same(plain, observed)
    assert steps_seen(observed) == 0


CUSTOMIZATIONS = {
    "prints": "import sys\nMARK = 'site'\nprint('hello')\nprint('to stderr', file=sys.stderr)\n",
    "changes_path": "import sys\nMARK = 'site'\nsys.path.append('/nowhere/appended')\nimport wave\n",
    "raises": "raise ValueError('a broken site')\n",
    "lacks_a_module": "import no_such_module_anywhere\n",
    "imports_torch": "MARK = 'torch'\nimport torch\n",
    "clears_itself": "import sys\nMARK = 'gone'\ndel sys.modules['sitecustomize']\n",
}


@pytest.mark.parametrize("kind", list(CUSTOMIZATIONS))
@pytest.mark.every_change("imports_torch", "raises", "changes_path")
def test_existing_sitecustomize(flatout, tmp_path, kind):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(CUSTOMIZATIONS[kind])
    env = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    plain, observed = both([harness.PYTHON, PROGRAMS / "customized.py"], tmp_path, env=env)
    assert plain.out
    assert_same(plain, observed)
    plain, observed = both([harness.PYTHON, PROGRAMS / "bare.py"], tmp_path, env=env)
    assert observed.out.splitlines()[1:] == plain.out.splitlines()[1:]
    assert observed.err == plain.err
    assert steps_seen(observed) == 3


def test_existing_usercustomize(flatout, tmp_path):
    """User sites are off in a virtual environment, so the system's Python is asked."""
    system = shutil.which("python3", path="/usr/bin:/bin")
    if system is None:
        pytest.skip("no python3 in /usr/bin: a virtual environment has no user site")
    env = {"PYTHONUSERBASE": str(tmp_path / "base"), "PYTHONDONTWRITEBYTECODE": "1"}
    asked = subprocess.run(
        [system, "-c", "import site; print(site.getusersitepackages())"],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    user_site = asked.stdout.strip()
    os.makedirs(user_site)
    with open(os.path.join(user_site, "usercustomize.py"), "w") as out:
        out.write("MARK = 'user'\nprint('user site runs')\n")
    plain, observed = both([system, PROGRAMS / "customized.py"], tmp_path, env=env)
    assert b"user site runs" in plain.out
    assert_same(plain, observed)


def test_nested_run_records_once(flatout, tmp_path):
    command = [harness.PYTHON, PROGRAMS / "bare.py", "x"]
    plain, observed = both(command, tmp_path)
    env = harness.environment(FLATOUT_HOME=tmp_path / "nested")
    inner = [flatout, "run", "--report-to", tmp_path / "inner.txt", "--", *command]
    nested = harness.run_observed(inner, tmp_path / "outer", env=env)
    assert nested.out == plain.out
    assert nested.code == 0
    assert steps_seen(nested) == 3
    runs = list((tmp_path / "nested/runs").iterdir())
    assert len(runs) == 1, runs
