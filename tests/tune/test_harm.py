"""Trials of a tune leave what lies outside the working directory as it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from folders import fingerprint

import harness

# Each line of it is one event; {0} is a folder that is told, {0}/unlisted one that is not.
WRITER = """
import os, pathlib, shutil, subprocess, sys
folder = pathlib.Path(sys.argv[1])
os.chdir(folder)
(folder / "made").mkdir()
(folder / "made/a").write_text("x")
(folder / "made/a").read_text()
open("old").close()
open(b"bytes", "wb").close()
os.replace("bytes", "replaced")
os.symlink("nowhere", "link")
os.link("replaced", "hard")
fd = os.open("made", os.O_RDONLY)
os.mkdir("at-fd", dir_fd=fd)
os.remove("a", dir_fd=fd)
os.close(fd)
shutil.copyfile("replaced", "copied")
os.makedirs("x/y", exist_ok=True)
open("x/../dots", "a").close()
open("through/new", "w").close()
os.truncate("old", 0)
shutil.rmtree("gone")
open("unlisted/no", "w").close()
try:
    open("no/such/folder", "w")
except FileNotFoundError:
    pass
if not os.fork():
    open("forked", "w").close()
    os._exit(0)
os.wait()
subprocess.run([sys.executable, "-c", "open('child', 'w')"], check=True)
assert sys.flags.dont_write_bytecode
"""


@pytest.mark.beside
def test_each_write_of_a_python_process_is_told_once(tmp_path):
    folder = tmp_path / "folder"
    for name in ("unlisted", "gone/deep", "elsewhere"):
        (folder / name).mkdir(parents=True)
    (folder / "old").write_text("x")
    (folder / "through").symlink_to("elsewhere")
    told = tmp_path / "told"
    site = harness.flatout_bin().resolve().parent.parent / "lib/flatout/site"
    rules = f"-/dev\n-{tmp_path}\n+{folder}\n-{folder}/unlisted\n"
    command = [sys.executable, "-B", "-c", WRITER, folder]
    env = dict(os.environ, PYTHONPATH=str(site), FLATOUT_RING_DIR=str(tmp_path), PYTHONDONTWRITEBYTECODE="1",
               FLATOUT_TRIAL_WRITES=str(told), FLATOUT_TRIAL_RULES=rules)  # fmt: skip
    done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lines = [line.split("\t") for line in told.read_text().splitlines()]
    assert len(lines) == len({path for _, path in lines})
    assert {(what, path[len(str(folder)) + 1 :]) for what, path in lines} == {
        ("made", "made"), ("wrote", "made/a"), ("wrote", "bytes"), ("renamed", "replaced"), ("made", "link"),
        ("made", "hard"), ("made", "made/at-fd"), ("wrote", "copied"), ("made", "x"), ("made", "x/y"),
        ("wrote", "dots"), ("wrote", "elsewhere/new"), ("wrote", "old"), ("removed", "gone"), ("removed", "gone/deep"),
        ("wrote", "no/such/folder"), ("wrote", "forked"), ("wrote", "child"),
    }  # fmt: skip
    # Without a trial nothing of it is there.
    told.unlink()
    del env["FLATOUT_TRIAL_WRITES"]
    (folder / "later").mkdir()
    command[3:] = ["open('x', 'w')"]
    subprocess.run([str(word) for word in command], env=env, check=True, cwd=folder / "later", timeout=60)
    assert not told.exists()


NO_NAMESPACES = [sys.executable, Path(__file__).resolve().parent / "no_namespaces.py"]


@pytest.fixture(params=["as it is", "no namespaces"])
def place(request, tune, monkeypatch):
    if request.param == "no namespaces":
        if subprocess.run([*NO_NAMESPACES, "true"]).returncode == 77:
            pytest.skip("system calls cannot be filtered here")
        words = tune.words
        monkeypatch.setattr(tune, "words", lambda *options: [*NO_NAMESPACES, *words(*options)])
    return request.param


@pytest.mark.beside
@pytest.mark.every_change("as it is")
def test_checkpoints_of_four_libraries_leave_the_older_ones_alone(tune, tmp_path, place):
    """torch.save with a rename, safetensors, Lightning and a Trainer that both remove older ones."""
    out = tmp_path / "outside"
    for name in ("hf/checkpoint-1", "hf/checkpoint-500", "by-hand/old"):
        (out / name).mkdir(parents=True)
        (out / name / "weights").write_bytes(name.encode())
    for name in ("by-hand/last.pt", "lightning/last.ckpt"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    before = fingerprint(tmp_path / "outside"), (out / "hf").stat().st_mtime_ns
    command = tune.command("checkpoints.py", out)
    document = tune(command, "--steps", 24, "--budget", "1s")
    assert document["baseline"]["runs"]
    after = fingerprint(tmp_path / "outside"), (out / "hf").stat().st_mtime_ns
    if "throwaway overlay" in tune.out:
        assert after == before
        assert "wrote_outside" not in document, document["wrote_outside"]
        thrown = next(note for note in document["notes"] if "outside" in note)
        for name in ("hf/checkpoint-500", "by-hand/old", "by-hand/last.safetensors", "by-hand/log.txt"):
            assert str(out / name) in thrown
        assert place == "as it is"
        return
    # Without an overlay checkpoints are diverted, and what open() writes is listed.
    lasting = {str(out / "by-hand/log.txt")}
    assert {path for path in after[0] if after[0][path] != before[0].get(path)} == {"by-hand", "by-hand/log.txt"}
    assert before[0].keys() <= after[0].keys()
    assert lasting <= set(document["wrote_outside"])
    assert str(out / "by-hand/log.txt") in tune.out and "it lasts" in tune.out
    # The command may not name the folder that a copy does not cover.
    named = [command[0], tune.folder / command[1], *command[2:]]
    assert tune(named, code=1) == document and "--in-place" in tune.err
