"""The wheel, installed in every way that people install wheels: one training under each, and what stays behind.

`make test` has the two that differ most; `make test-slow` has all, with the installers that it fetches.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "capi")]
import build
import harness
import installers
from installers import ROOT, TORCH, run
from test_wheel import make_wheel, wheel  # noqa: F401

STEPS = 12
TRAINS = ROOT / "tests/faults/programs/steps.py"


def case(how, *marks, needs=None):
    return pytest.param(how, needs, id=how.__name__, marks=marks)


CASES = [
    case(installers.by_target),
    case(installers.in_a_venv_that_was_moved),
    *(case(how, pytest.mark.slow) for how in (installers.in_venv, installers.of_a_user, installers.by_target_alone, installers.by_prefix, installers.by_a_link,
                                              installers.read_only)),
    *(case(how, pytest.mark.slow, needs=name) for name, how in (
        ("uv", installers.by_uv), ("uv", installers.by_uv_as_links), ("uv", installers.by_uv_target), ("uv", installers.by_uv_tool), ("uv", installers.by_uvx),
        ("pipx", installers.by_pipx), ("shiv", installers.by_shiv), ("pex", installers.by_pex))),
]  # fmt: skip


@pytest.fixture
def place(tmp_path_factory):
    """A folder that other users may enter."""
    folder = tmp_path_factory.mktemp("place")
    for path in (folder, *folder.parents[:-2]):
        path.chmod(path.stat().st_mode | 0o055)
    yield folder
    subprocess.run(["chmod", "-R", "u+w", folder], check=True)


def torch_beside(made):
    """Folders that the Python that trains needs to find PyTorch of the tests behind what it has itself."""
    own = made.env.get("PYTHONPATH")
    return {**made.env, "PYTHONPATH": os.pathsep.join(filter(None, [own and str(own), str(TORCH)]))}


def train(made, folder):
    """The report of a training; what is said goes to a file, so that nothing of it can be missed in the program's output."""
    folder.mkdir(exist_ok=True)
    if made.as_user is not None:
        folder.chmod(0o777)
    files = [folder / name for name in ("report.json", "said.txt", "announced")]
    words = [*made.flatout, "run", "--no-bench", "--json", files[0], "--report-to", files[1], "--", made.python, TRAINS, files[2], STEPS]
    done = run(*words, cwd=folder, as_user=made.as_user, **{**torch_beside(made), "FLATOUT_HOME": folder / "home", "HOME": folder})
    assert done.stderr == "", done.stderr
    return json.loads(files[0].read_text())


@pytest.mark.parametrize("how, needs", CASES)
def test_a_training_has_its_steps(wheel, place, how, needs):  # noqa: F811
    if needs and not (installers.TOOLS / "bin" / needs).exists():
        pytest.skip(f"{needs} is not in build/installers (make test-slow fetches it)")
    if how is installers.read_only and os.geteuid() == 0:
        if not installers.others_python() or not all(map(installers.reachable_by_others, (TORCH, TRAINS))):
            pytest.skip(f"an ordinary user may not come to this Python, to {TORCH} or to {TRAINS}")
    made = how(wheel, place)
    report = train(made, place / "trained")
    assert report["steps"]["count"] == STEPS and "hooks_off" not in report["run"]
    assert [note for note in report.get("notes", []) if "hook" in note] == []
    assert make_wheel.version() in run(*made.flatout, "--version", as_user=made.as_user, **made.env).stdout
    doctor = run(*made.flatout, "doctor", "--format", "json", "--home", place / "trained/home", as_user=made.as_user, **made.env)
    hooks = next(check for check in json.loads(doctor.stdout)["checks"] if check["name"] == "hooks")
    if made.prefix:
        where = hooks["text"].split(",")[0].removesuffix(" loads")
        assert Path(where).resolve().is_relative_to(made.prefix) or how is installers.by_uv_as_links, hooks


def test_the_package_works_where_it_was_put(wheel, place):  # noqa: F811
    """Python's own half: the engine, the tracker, the program's folder, the headers."""
    made = installers.by_target(wheel, place)
    look = ("import flatout.data, flatout.program as p, flatout.native_form.library as l, flatout.track._recording as r\n"
            "print(p.find_program(), p.find_prefix(), l._paths()[0], r._load_native().__spec__.origin, sep='\\n')")
    told = run(made.python, "-c", look, **torch_beside(made)).stdout.split("\n")
    inside = made.prefix / "flatout/_prefix"
    assert told[:4] == [str(one) for one in (inside / "bin/flatout", inside, inside / "lib/libflatout_data.so.0", inside / "lib/flatout/_track.abi3.so")]
    assert shutil.which("cc") is None or build.program(ROOT / "examples/c/train.c", place, root=inside).is_file()


def test_two_installations_have_each_their_own(wheel, place):  # noqa: F811
    first, second = installers.in_venv(wheel, place / "one"), installers.by_target(wheel, place / "two")
    for made in (first, second):
        said = run(*made.flatout, "doctor", "--home", place / "home", **{**second.env, "PATH": f"{first.prefix}/bin:{os.environ['PATH']}"}).stdout
        assert f"{made.prefix}/" in said


def test_a_checkout_has_its_own_program_beside_an_installation(wheel, place):  # noqa: F811
    made = installers.in_venv(wheel, place)
    ask = "from flatout.program import find_program; print(find_program())"
    assert run(made.python, "-c", ask).stdout.strip() == str(next(made.prefix.glob("lib/python3*/site-packages/flatout/_prefix/bin/flatout")))
    told = run(made.python, "-c", ask, PYTHONPATH=ROOT / "python", code=None)
    assert told.stdout.strip() in ("", str(ROOT / "build/release/bin/flatout")), "a checkout that was not built has none"


def test_pip_takes_away_all_that_was_there(wheel, place):  # noqa: F811
    """Also what Python has compiled of the hooks since."""
    prefix = installers.environment(place / "env")
    before = set(files(prefix))
    installers.install(prefix / "bin/python", wheel, "--no-compile")
    made = installers.Installation([prefix / "bin/flatout"], prefix / "bin/python", prefix=prefix)
    train(made, place / "trained")
    assert list(prefix.rglob("_prefix/**/*.pyc")), "the hooks were compiled"
    assert "No broken requirements" in installers.pip(made.python, "check").stdout
    installers.pip(made.python, "uninstall", "--quiet", "--yes", "flatout")
    assert set(files(prefix)) - before == set()  # pip leaves empty folders below share/


def files(folder):
    return [path for path in folder.rglob("*") if not path.is_dir()]


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):  # noqa: F811
    return installers.by_target(wheel, tmp_path_factory.mktemp("installed"))


@pytest.fixture
def target(installed, place):
    """`pip install --target`, to be broken."""
    prefix = place / "target"
    shutil.copytree(installed.prefix, prefix)
    return installers.Installation([prefix / "bin/flatout"], installed.python, {"PYTHONPATH": prefix}, prefix)


def archive(target, place):
    path = place / "app.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for file in sorted(target.prefix.rglob("*")):
            packed.write(file, file.relative_to(target.prefix))
    shutil.rmtree(target.prefix)
    return path


def test_out_of_a_zip_file_a_line_says_what_to_do(target, place):
    path = archive(target, place)
    for words in (["-m", "flatout", "run", "--", "true"], ["-c", "import flatout.program; flatout.program.find_program()"]):
        done = run(installers.BASE, *words, code=1, PYTHONPATH=path)
        last = done.stderr.splitlines()[-1]
        assert f"the program flatout lies in the file {path}, from where no program can be started; " in last and "pip install --target DIR" in last
    assert len(run(installers.BASE, "-m", "flatout", "ls", code=1, PYTHONPATH=path).stderr.splitlines()) == 1
    done = run(sys.executable, "-c", "import flatout.data", code=1, PYTHONPATH=path)
    assert "from within a zip file; install flatout's wheel into a folder" in done.stderr.splitlines()[-1]


def test_a_tracker_out_of_a_zip_file_keeps_nothing_and_says_so(target, place):
    path = archive(target, place)
    program = "import flatout.track as t\nt.init(project='p').log({'loss': 1.0})\nprint('went on')"
    done = run(sys.executable, "-c", program, PYTHONPATH=path, FLATOUT_HOME=place / "home")
    assert done.stdout == "went on\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("flatout: what the program logs is not kept: ProgramMissing: the program flatout lies in the file ") and line.endswith("the program goes on")


def test_a_file_that_lost_its_mode_is_said(target, place):
    program = target.prefix / "flatout/_prefix/bin/flatout"
    program.chmod(0o644)
    done = run(*target.flatout, "ls", code=126)
    assert done.stderr.startswith(f"flatout: cannot start {program}: Permission denied; ") and "chmod +x" in done.stderr
    done = run(target.python, "-m", "flatout", "ls", code=1, **target.env)
    assert done.stderr.startswith(f"flatout: the program {program} may not be executed; chmod +x it, ")


def test_a_command_without_its_package_is_said(target, place):
    shutil.rmtree(target.prefix / "flatout")
    done = run(*target.flatout, "ls", code=1)
    assert done.stderr.startswith("flatout: the package flatout is not beside this command: no flatout/_prefix/bin/flatout in the folder above ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["hooks/__init__.py", "_native.abi3.so", "site/sitecustomize.py"])
def test_hooks_that_are_not_there_are_said_at_once_and_by_doctor(target, place, name):
    missing = target.prefix / "flatout/_prefix/lib/flatout" / name
    missing.unlink()
    done = run(*target.flatout, "run", "--home", place / "home", "--", "true")
    why = f"{missing} is missing; install flatout's wheel again"
    assert f"flatout: hooks are off: {why}" in done.stderr.replace("\n", " ")
    told = run(*target.flatout, "doctor", "--home", place / "home", code=1)
    assert why in " ".join(told.stdout.split())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start it as somebody else")
def test_a_package_that_another_user_may_not_read_is_said(target, place):
    (target.prefix / "flatout").chmod(0o700)
    done = run(*target.flatout, "ls", code=126, as_user=65534)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"flatout: cannot start {target.prefix}/flatout/_prefix/bin/flatout: Permission denied; its folder must be readable")
