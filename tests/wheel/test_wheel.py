"""The wheel: what is in it, and that it works in environments of other Pythons than the build's."""

import base64
import csv
import hashlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "capi")]
import build
import harness
import pythons


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_wheel, check_binary = tool("make_wheel"), tool("check_binary")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return make_wheel.make(build.prefix(), tmp_path_factory.mktemp("wheel"))


def read(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: (entry, archive.read(entry)) for entry in archive.infolist()}


def test_the_same_bytes_twice(wheel, tmp_path, monkeypatch):
    assert make_wheel.make(build.prefix(), tmp_path / "again").read_bytes() == wheel.read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first = make_wheel.make(build.prefix(), tmp_path / "first").read_bytes()
    assert make_wheel.make(build.prefix(), tmp_path / "second").read_bytes() == first
    assert first != wheel.read_bytes()


def test_the_record_names_every_file_with_its_hash(wheel):
    assert wheel.name == f"flatout-{make_wheel.version()}-py3-none-manylinux_2_34_x86_64.whl"
    files = read(wheel)
    (record,) = [name for name in files if name.endswith(".dist-info/RECORD")]
    rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(files[record][1].decode()))}
    assert rows.keys() == files.keys() and rows.pop(record) == ("", "")
    for name, (digest, size) in rows.items():
        content = files[name][1]
        expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert (digest, int(size)) == (f"sha256={expected}", len(content)), name


def test_what_is_in_it(wheel):
    files = read(wheel)
    names = {name.split("/", 1)[1] for name in files}
    own = {"bin/flatout", "lib/libflatout.so.0", "lib/libflatout.so", "lib/flatout/_native.abi3.so", "lib/flatout/libflatout_inject.so",
           "lib/flatout/site/sitecustomize.py", "lib/flatout/hooks/__init__.py", "lib/pkgconfig/flatout.pc",
           "include/flatout/flatout.h", "include/flatout/flatout.hpp", "include/flatout/data.h", "include/flatout/data.hpp", "lib/pkgconfig/flatout-data.pc",
           "lib/libflatout_data.so.0", "lib/libflatout_data.so", "lib/libflatout_jpeg.so.0", "lib/flatout/packages/flatout/track/_run.py",
           "lib/flatout/shims/wandb/wandb/__init__.py", "lib/flatout/shims/wandb/wandb-0.31.0.dist-info/METADATA"}
    assert {f"_prefix/{name}" for name in own} <= names
    assert {"scripts/flatout", "data/share/man/man1/flatout.1", "data/share/bash-completion/completions/flatout.bash", "data/share/zsh/site-functions/_flatout",
            "py.typed", "__init__.py", "__main__.py", "program.py", "notebook.py", "cell_program.py",
            "data.py", "data_arrays.py", "data_arguments.py", "data_device.py", "data_images.py", "data_library.py", "data_loader.py", "data_shown.py", "torch/loader.py", "track/__init__.py",
            "track/_recording.py", "capture/__init__.py", "METADATA", "WHEEL", "LICENSE", "NOTICE"} <= names  # fmt: skip
    source = ROOT / "python/flatout"
    form = {str(path.relative_to(source)) for path in (source / "native_form").glob("*.py")}
    assert form and form <= names, "flatout.torch imports it too"
    hooks = {str(path.relative_to(source / "hooks")) for path in (source / "hooks").rglob("*.py")} | form
    inside = "_prefix/lib/flatout/hooks/"
    assert hooks == {name.removeprefix(inside) for name in names if name.startswith(inside)}
    for name, (entry, content) in files.items():
        assert str(ROOT).encode() not in content, f"{name} names the build machine's folder"
        assert bool(entry.external_attr >> 16 & 0o111) == name.endswith(("/flatout", ".so.0", ".abi3.so", "/libflatout_inject.so")), name
    metadata = next(content for name, (_, content) in files.items() if name.startswith(f"flatout-{make_wheel.version()}.dist-info/METADATA")).decode()
    assert f"\nVersion: {make_wheel.version()}\n" in metadata and "\nRequires-Python: >=3.9\n" in metadata


def test_what_it_asks_of_the_system(wheel, tmp_path):
    """As auditwheel would: only libraries that every manylinux_2_34 system has, and no newer symbol."""
    may_need = {"bin/flatout": check_binary.PROGRAM_MAY_NEED, "scripts/flatout": check_binary.MODULE_MAY_NEED, "_native.abi3.so": check_binary.MODULE_MAY_NEED,
                "_track.abi3.so": check_binary.MODULE_MAY_NEED,
                "libflatout_inject.so": check_binary.MODULE_MAY_NEED,
                "libflatout.so.0": check_binary.MODULE_MAY_NEED, "libflatout_jpeg.so.0": check_binary.MODULE_MAY_NEED,
                "libflatout_data.so.0": check_binary.DATA_MAY_NEED}  # fmt: skip
    seen = 0
    for name, (_, content) in read(wheel).items():
        if content[:4] != b"\x7fELF":
            continue
        path = tmp_path / Path(name).name
        path.write_bytes(content)
        seen += 1
        needs = may_need.get("/".join(Path(name).parts[-2:])) or may_need[path.name]
        assert check_binary.dynamic_problems(check_binary.tool_output("readelf", "-dW", str(path)), needs) == []
        if check_binary.host_glibc() <= check_binary.BUILD_GLIBC:
            assert check_binary.symbol_problems(check_binary.tool_output("objdump", "-T", str(path))) == []
    assert seen == len(may_need)


def test_batches_of_what_it_installs(wheel, tmp_path):
    """As pip lays it out; one file is progressive, which the library that is shipped along decodes."""
    packages = tmp_path / "lib/python3/site-packages"
    for name, (_, content) in read(wheel).items():
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    folder = tmp_path / "images/a"
    folder.mkdir(parents=True)
    for number in range(4):
        Image.new("RGB", (40, 30), (60 * number, 20, 200)).save(folder / f"{number}.jpg", progressive=number == 1)
    words = [sys.executable, "-c", "import sys, flatout.data as data\n"
             "images, labels = next(iter(data.images(sys.argv[1]).resize(20).center_crop(16).dtype('uint8').batch(4)))\n"
             "print(images.shape, images[:, 0].mean(axis=(1, 2)).round(-1).tolist())", folder.parent]
    done = subprocess.run([str(word) for word in words], env=harness.environment(PYTHONPATH=packages), cwd=tmp_path,
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "(4, 3, 16, 16) [0.0, 60.0, 120.0, 180.0]", done.stderr


def test_a_package_of_another_version_is_not_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(make_wheel, "package_version", lambda: "0.0.9")
    with pytest.raises(SystemExit, match=r"__init__.py says version 0\.0\.9"):
        make_wheel.make(build.prefix(), tmp_path)


def test_a_build_that_is_not_there(tmp_path):
    with pytest.raises(SystemExit, match="make build"):
        make_wheel.make(tmp_path, tmp_path)


# `flatout run` as its program sees it: the process that was started, and its file.
BECOMES = """
import os, subprocess, sys
look = "import os; print(os.getppid(), os.readlink('/proc/%d/exe' % os.getppid()))"
started = subprocess.Popen([sys.argv[1], "run", "--quiet", "--", sys.executable, "-c", look], stdout=subprocess.PIPE, text=True)
parent, file = started.communicate()[0].split()
print(int(parent) == started.pid, file)
"""


class Installed:
    """The wheel in an empty virtual environment."""

    def __init__(self, wheel, python, folder):
        self.prefix = folder / "env"
        self.run([python, "-m", "venv", "--without-pip", self.prefix])
        self.python = self.prefix / "bin/python"
        self.run([sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet", "--no-index", "--no-deps",
                  "--disable-pip-version-check", "--no-compile", wheel])  # fmt: skip
        self.flatout = self.prefix / "bin/flatout"
        (self.program,) = self.prefix.glob("lib/python3.*/site-packages/flatout/_prefix/bin/flatout")
        self.inside = self.program.parents[1]
        self.folder = folder

    def run(self, command, code=0, **extra):
        # Nothing of the build may help: no variable of ours, and nothing of flatout on PATH but the environment's.
        env = harness.environment(**{"FLATOUT_HOME": getattr(self, "folder", Path("/nowhere")) / "home", **extra})
        env["PATH"] = f"{self.prefix}/bin:{env['PATH']}"
        done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, timeout=180)
        assert done.returncode == code, (command, done.returncode, done.stderr[-2000:])
        return done

    def observe(self, *command, code=0):
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        done = self.run(["flatout", "run", "--quiet", "--json", report, "--", *command], code)
        return done, json.loads(report.read_text())


def _cases():
    found = pythons.others()
    if found:
        return [pytest.param(python, id=".".join(map(str, version))) for version, python in found.items()]
    reason = "no other CPython from 3.9 on was found: put one on PATH, or name it in FLATOUT_TEST_PYTHONS"
    return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="none")]


@pytest.fixture(scope="module", params=_cases())
def installed(request, wheel, tmp_path_factory):
    return Installed(wheel, request.param, tmp_path_factory.mktemp("installed"))


def test_the_program_on_path_becomes_the_binary(installed):
    """No process, no interpreter and no shell stands in front of it."""
    assert installed.flatout.read_bytes()[:4] == b"\x7fELF" and os.access(installed.flatout, os.X_OK)
    assert installed.flatout.stat().st_size < 40_000
    shown = installed.run([sys.executable, "-c", BECOMES, installed.flatout], FLATOUT_HOME=installed.folder / "home").stdout
    assert shown.split() == ["True", str(installed.program)]
    assert make_wheel.version() in installed.run(["flatout", "--version"]).stdout
    done, report = installed.observe("sh", "-c", "kill -TERM $$", code=-signal.SIGTERM)
    assert report["run"]["signal"] == "SIGTERM"
    installed.observe("sh", "-c", "exit 3", code=3)


def test_the_package_is_of_this_python(installed):
    """Everything that needs neither NumPy nor torch is imported; `python -m flatout` is the program beside it."""
    told = installed.run([installed.python, "-c", "import flatout, flatout.notebook, flatout.program as program\n"
                          "print(flatout.__version__, program.find_program())"]).stdout
    assert told.split() == [make_wheel.version(), str(installed.program)]
    assert installed.run([installed.python, "-m", "flatout", "--version"]).stdout == installed.run(["flatout", "--version"]).stdout
    files = sorted(installed.prefix.glob("lib/python3.*/site-packages/flatout/**/*.py"))
    assert len(files) > 50
    installed.run([installed.python, "-c", "import sys\nfor f in sys.argv[1:]: compile(open(f).read(), f, 'exec')", *files])


def test_it_finds_its_hooks(installed):
    said = installed.run(["flatout", "doctor"]).stdout
    assert str(installed.inside / "lib/flatout/_native.abi3.so") in " ".join(said.split()), said
    _, report = installed.observe(installed.python, "-c", "import os; print(os.environ['PYTHONPATH'])")
    assert not any("hooks" in note for note in report.get("notes", []))


def test_the_hooks_are_code_of_this_python(installed):
    """Nothing is executed: most of it needs torch."""
    files = sorted((installed.inside / "lib/flatout").rglob("*.py"))
    assert len(files) > 5
    installed.run([installed.python, "-c", "import sys\nfor f in sys.argv[1:]: compile(open(f).read(), f, 'exec')", *files])


def test_the_native_hooks_work_in_this_python(installed):
    spans = ROOT / "tests/inject/programs/spans.py"
    done = installed.run([installed.python, spans], FLATOUT_BIN=installed.program)
    assert done.stdout.split()[0] == "ok", done.stdout


def test_a_program_of_this_python_has_steps(installed):
    library = installed.inside / "lib/libflatout.so.0"
    done, report = installed.observe(installed.python, HERE / "marks.py", library, 30)
    assert done.stdout.strip() != str(sys.version_info[:2])
    assert report["steps"]["count"] == 30
    assert "input_bound" in [finding["id"] for finding in report["findings"]]
    # It sleeps two to one; how exact shares are is tests/capi's to hold, with the program's own clock.
    assert 0.4 < report["steps"]["phases"]["data_wait"] < 0.9


def test_a_torch_program_of_this_python_has_steps(installed):
    ask = "import sys; print('%s/bin/python%d.%d' % (sys.base_prefix, *sys.version_info[:2]))"
    base = installed.run([installed.python, "-c", ask]).stdout.strip()
    if subprocess.run([base, "-c", "import torch"], capture_output=True).returncode != 0:
        pytest.skip(f"{base} has no torch")
    announced = installed.folder / "announced"
    _, report = installed.observe(base, ROOT / "tests/faults/programs/steps.py", announced, 30)
    assert report["steps"]["count"] == 30


def test_a_c_program_is_built_against_it(installed, tmp_path):
    program = build.program(ROOT / "examples/c/train.c", tmp_path, root=installed.inside)
    assert installed.run([program, "--steps", 50]).returncode == 0
    _, report = installed.observe(program, "--steps", 120)
    assert report["steps"]["count"] == 120
    assert report["values"][0]["name"] == "loss"
