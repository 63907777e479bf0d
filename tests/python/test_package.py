"""What `import flatout` gives and costs, and `python -m flatout`."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import harness
import pytest

import flatout
from flatout.program import ProgramMissing, find_program

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "python"


def python(*words, cwd=None, stdin=None, **env):
    """This Python with the package; its own environment, but for `env`."""
    return subprocess.run([sys.executable, *map(str, words)], env=harness.environment(PYTHONPATH=PACKAGES, **env), cwd=cwd, stdin=stdin,
                          capture_output=True, text=True, timeout=60)


def test_the_version_is_the_programs():
    stated = re.search(r"project\(flatout VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert flatout.__version__ == stated
    said = subprocess.run([harness.flatout_bin(), "--version"], capture_output=True, text=True, check=True).stdout
    assert flatout.__version__ in said


def test_importing_it_brings_in_nothing_else():
    """Neither what it is for nor anything of the standard library that Python has not loaded by then."""
    told = python("-c", "import sys; before = set(sys.modules); import flatout; print(*sorted(set(sys.modules) - before))")
    assert told.stdout.split() == ["__future__", "flatout"], told.stderr


def test_the_data_module_imports_no_torch_and_no_ipython():
    told = python("-c", "import sys, flatout.data; print('torch' in sys.modules, 'IPython' in sys.modules, 'flatout.notebook' in sys.modules)")
    assert told.stdout.split() == ["False"] * 3, told.stderr


def test_python_m_is_the_program(tmp_path):
    """Arguments, output, exit status and signals."""
    binary = harness.flatout_bin()
    with_m = python("-m", "flatout", "--version", FLATOUT_BIN=binary)
    assert (with_m.returncode, with_m.stdout, with_m.stderr) == (0, subprocess.run([binary, "--version"], capture_output=True, text=True).stdout, "")
    for words in (["frob"], ["report", "--nothing"], ["help", "run"]):
        asked = subprocess.run([binary, *words], env=harness.environment(FLATOUT_HOME=tmp_path), capture_output=True, text=True)
        told = python("-m", "flatout", *words, FLATOUT_BIN=binary, FLATOUT_HOME=tmp_path)
        assert (told.returncode, told.stdout, told.stderr) == (asked.returncode, asked.stdout, asked.stderr), words
    ended = python("-m", "flatout", "run", "--quiet", "--", "sh", "-c", "exit 7", FLATOUT_BIN=binary, FLATOUT_HOME=tmp_path)
    assert ended.returncode == 7


def test_the_program_is_started_as_without_python(tmp_path):
    """Signals that Python ignores for itself, and the locale that it chooses in the C locale, are not passed on."""
    binary = harness.flatout_bin()
    look = "grep SigIgn /proc/self/status; env | grep -c LC_CTYPE || true"
    words = ["run", "--quiet", "--", "sh", "-c", look]
    env = {name: value for name, value in harness.environment(FLATOUT_HOME=tmp_path, FLATOUT_BIN=binary, PYTHONPATH=PACKAGES).items()
           if name not in ("LANG", "LC_CTYPE") and not name.startswith("LC_")}
    plain = subprocess.run([binary, *words], env=env, capture_output=True, text=True)
    told = subprocess.run([sys.executable, "-m", "flatout", *words], env=env, capture_output=True, text=True)
    assert plain.returncode == 0 and (told.stdout, told.stderr) == (plain.stdout, plain.stderr)


def test_a_program_that_is_not_there_is_said(tmp_path, monkeypatch):
    told = python("-m", "flatout", "ls", FLATOUT_BIN=tmp_path / "none")
    assert told.returncode == 1 and told.stdout == "" and told.stderr == f"flatout: FLATOUT_BIN='{tmp_path}/none' is no program that can be run\n"
    monkeypatch.setenv("FLATOUT_BIN", str(tmp_path))
    with pytest.raises(ProgramMissing, match="is no program that can be run"):
        find_program()
    assert issubclass(ProgramMissing, FileNotFoundError)


def copy_of_the_package(folder, program=None, mode=0o755):
    package = folder / "flatout"
    package.mkdir(parents=True)
    for name in ("program.py", "__init__.py", "__main__.py"):
        (package / name).write_text((PACKAGES / "flatout" / name).read_text())
    if program:
        (package / program).parent.mkdir(parents=True, exist_ok=True)
        (package / program).write_text("#!/bin/sh\n")
        (package / program).chmod(mode)
    return package


def test_it_is_found_in_the_package_and_nowhere_else(tmp_path):
    """Where wheels have it; a program in bin/ of the same environment may be of another version."""
    package = copy_of_the_package(tmp_path / "lib/python3.9/site-packages", "_prefix/bin/flatout")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/flatout").symlink_to("/bin/true")
    (package / "_prefix/lib/flatout").mkdir(parents=True)
    ask = ["-c", "from flatout.program import find_prefix, find_program; print(find_program(), find_prefix())"]
    told = subprocess.run([sys.executable, *ask], env=harness.environment(PYTHONPATH=package.parent), capture_output=True, text=True)
    assert told.stdout.split() == [str(package / "_prefix/bin/flatout"), str(package / "_prefix")], told.stderr
    (package / "_prefix/bin/flatout").unlink()
    told = subprocess.run([sys.executable, "-m", "flatout"], env=harness.environment(PYTHONPATH=package.parent), capture_output=True, text=True)
    assert told.returncode == 1 and told.stderr.startswith(f"flatout: the program flatout is not there: looked for {package}/_prefix/bin/flatout, ")


def test_a_command_without_anything_beside_it_has_the_packages_folder(tmp_path):
    package = copy_of_the_package(tmp_path, "_prefix/bin/flatout")
    (package / "_prefix/lib/flatout").mkdir(parents=True)
    ask = ["-c", "from flatout.program import find_prefix, find_program; print(find_program(), find_prefix())"]
    told = subprocess.run([sys.executable, *ask], env=harness.environment(PYTHONPATH=tmp_path, FLATOUT_BIN="/bin/true"), capture_output=True, text=True)
    assert told.stdout.split() == ["/bin/true", str(package / "_prefix")], told.stderr
    (package / "_prefix/lib/flatout").rmdir()
    told = subprocess.run([sys.executable, *ask], env=harness.environment(PYTHONPATH=tmp_path, FLATOUT_BIN="/bin/true"), capture_output=True, text=True)
    assert "ProgramMissing: /bin/true has no lib/flatout beside its bin/; " in told.stderr


def test_one_that_may_not_be_executed_is_said(tmp_path):
    package = copy_of_the_package(tmp_path, "_prefix/bin/flatout", mode=0o644)
    told = subprocess.run([sys.executable, "-m", "flatout"], env=harness.environment(PYTHONPATH=tmp_path), capture_output=True, text=True)
    assert told.returncode == 1
    assert told.stderr.startswith(f"flatout: the program {package}/_prefix/bin/flatout may not be executed; chmod +x it, ")


def every_module():
    return sorted(path.relative_to(PACKAGES) for path in (PACKAGES / "flatout").rglob("*.py"))


@pytest.mark.parametrize("path", every_module(), ids=str)
def test_it_parses_as_python_3_9(path):
    ast.parse((PACKAGES / path).read_text(), feature_version=(3, 9))


def test_public_names_are_documented():
    """Every public function, class and method of the public modules."""
    missing = []
    for name in ("__init__", "__main__", "program", "notebook", "cell_program", "data", "data_images", "data_loader", "data_arrays",
                 "data_device", "data_library", "data_arguments", "data_files", "data_shown", "torch/__init__", "torch/loader"):
        tree = ast.parse((PACKAGES / "flatout" / f"{name}.py").read_text())
        for owner in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))]:
            for node in [owner, *owner.body]:
                is_public = isinstance(node, ast.Module) or isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
                is_setter = any(isinstance(one, ast.Attribute) and one.attr == "setter" for one in getattr(node, "decorator_list", []))
                if is_public and not is_setter and not ast.get_docstring(node):
                    missing.append(f"{name}: {getattr(node, 'name', 'the module')}")
    assert missing == []


def test_the_package_is_marked_as_typed():
    assert (PACKAGES / "flatout/py.typed").is_file()
