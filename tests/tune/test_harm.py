"""Trials of a tune leave what lies outside the working directory as it is."""

import os
import subprocess
import sys

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


def overlaid(tune):
    return "throwaway overlay" in tune.out


def test_checkpoints_of_four_libraries_leave_the_older_ones_alone(tune, tmp_path):
    """torch.save with a rename, safetensors, Lightning and a Trainer that both remove older ones."""
    out = tmp_path / "outside"
    for name in ("hf/checkpoint-1", "hf/checkpoint-500", "by-hand/old"):
        (out / name).mkdir(parents=True)
        (out / name / "weights").write_bytes(name.encode())
    (out / "by-hand/last.pt").write_text("mine")
    (out / "by-hand/log.txt").write_text("mine\n")
    (out / "lightning").mkdir()
    (out / "lightning/last.ckpt").write_text("mine")
    before = fingerprint(tmp_path / "outside"), (out / "hf").stat().st_mtime_ns
    document = tune(tune.command("checkpoints.py", out), "--steps", 24, "--budget", "1s")
    assert (fingerprint(tmp_path / "outside"), (out / "hf").stat().st_mtime_ns) == before
    assert document["baseline"]["runs"]
    assert "wrote_outside" not in document, document["wrote_outside"]
    if overlaid(tune):
        thrown = next(note for note in document["notes"] if "outside" in note)
        for name in ("hf/checkpoint-500", "by-hand/old", "by-hand/last.safetensors"):
            assert str(out / name) in thrown
