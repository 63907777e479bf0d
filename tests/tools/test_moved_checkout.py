"""A checkout that was moved together with its build folder."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import make_wheel

PRESETS = {"version": 3, "configurePresets": [{"name": "release", "generator": "Unix Makefiles", "binaryDir": "${sourceDir}/build/release"}]}


def configured(folder):
    return subprocess.run([ROOT / "tools/setup/configure.sh", "release"], cwd=folder, capture_output=True, text=True, timeout=60)


def test_it_is_configured_anew_once(tmp_path):
    first, moved = tmp_path / "first", tmp_path / "moved here"
    first.mkdir()
    (first / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.23)\nproject(made_up NONE)\nadd_custom_target(all_of_it ALL)\n")
    (first / "CMakePresets.json").write_text(json.dumps(PRESETS))
    for _ in range(2):
        done = configured(first)
        assert (done.returncode, "checkout was moved" in done.stderr) == (0, False), done.stderr
    shutil.move(first, moved)
    plain = subprocess.run(["cmake", "--preset", "release"], cwd=moved, capture_output=True, text=True)
    assert plain.returncode != 0, "CMake takes it by now: the script is not needed"
    done = configured(moved)
    assert done.returncode == 0 and "this checkout was moved; build/release is configured anew" in done.stderr, done.stderr
    assert subprocess.run(["cmake", "--build", "build/release"], cwd=moved, capture_output=True).returncode == 0
    assert "checkout was moved" not in configured(moved).stderr


def test_a_folder_named_as_what_is_shipped_is_not_taken_for_the_machines():
    """/flatout is a part of lib/flatout, which files of the wheel name."""
    files = {"ours": (b"lib/flatout/hooks and ../flatout/x and https://a.org/flatout/y", False), "theirs": (b"built in /flatout/src", False)}
    assert make_wheel.leftovers(files, Path("/flatout")) == ["theirs"]
    assert make_wheel.leftovers({"map": (b"\0/flatout\0", False), "more": (b"/flatouts/x", False)}, Path("/flatout")) == ["map"]
