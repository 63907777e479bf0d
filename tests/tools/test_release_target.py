"""`make build` makes the target flatout alone: what the program loads or ships must come with it."""

import importlib.util
import os
import shlex
import subprocess

import harness

BUILD = harness.ROOT / "build/release"


def wheel_files():
    spec = importlib.util.spec_from_file_location("make_wheel", harness.ROOT / "tools/make_wheel.py")
    make_wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_wheel)
    return make_wheel.build_files(BUILD)


def test_every_library_of_the_wheel_is_made_with_the_program():
    printed = subprocess.run(["ninja", "-C", BUILD, "-t", "inputs", "flatout"], capture_output=True, text=True, check=True).stdout
    # As a shell takes them; some below a folder whose name has a blank stand there with all of their path.
    inputs = {os.path.relpath(BUILD / name, BUILD) for name in shlex.split(printed)}
    libraries = {name for name, (_, executable) in wheel_files().items() if executable and name.startswith("lib/")}
    assert len(libraries) >= 5
    assert libraries <= inputs, libraries - inputs
