"""Artifacts of flatout.track beside wandb's own: names of entries, what is copied and when, and what a download does to what stands there."""

import copy
import json
import os
import pickle
import shutil
import subprocess
import sys

import pytest

import harness

TRACKERS = harness.ROOT / "build/trackers"

NAMES = ["/abs/p.txt", "//x", "../p.txt", "..", "a/..", "a/../b", "a/../../x", "C:/x", "C:x", "a:b", "\\x", "..\\x", ".", "/", "./a", "a//b", "a/", "a/./b",
         "A.txt", "a\\b", "~/x", " ", "a/...", "..a", "a..", "a\nb", "a\0b", "\udcff", "\ud800", "x" * 300, "con", "plain.bin", "deep/er/plain.bin"]
CALLS = ("add_file", "add_dir", "new_file", "add_reference", "add")


@pytest.fixture
def files(kept, tmp_path):
    (tmp_path / "d/sub").mkdir(parents=True)
    for name, text in (("p.txt", "one"), ("q.txt", "two"), ("d/a.txt", "a"), ("d/sub/b.txt", "b")):
        (tmp_path / name).write_text(text)
    return tmp_path


# In the real wandb's process and in ours: what a name becomes.
ENTRIES = """
import json, os, sys, tempfile
def entries(Artifact, Table, names, calls):
    out = []
    for name in names:
        for call in calls:
            one = Artifact("n", "t")
            try:
                if call == "new_file":
                    with one.new_file(name) as file:
                        file.write("new")
                else:
                    given = {"add_file": "p.txt", "add_dir": "d", "add_reference": "file://" + os.path.abspath("p.txt")}
                    getattr(one, call)(given[call] if call in given else Table(columns=["a"], data=[[1]]), name=name)
                out.append([name, call, sorted(one.manifest.entries)])
            except (ValueError, TypeError) as error:
                out.append([name, call, type(error).__name__])
            except OSError as error:
                out.append([name, call, "OSError"])
    return out
"""


def test_a_name_becomes_what_it_becomes_in_wandb_or_is_refused_as_there(wandb, files):
    if not (TRACKERS / "wandb").is_dir():
        pytest.skip("wandb is not in build/trackers; `make test` fetches it")
    code = ENTRIES + "import wandb\nprint(json.dumps(entries(wandb.Artifact, wandb.Table, *json.loads(sys.argv[1]))))"
    env = harness.environment(PYTHONPATH=TRACKERS, WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=files)
    done = subprocess.run([sys.executable, "-c", code, json.dumps([NAMES, CALLS])], cwd=files, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout.splitlines()[-1])
    space = {}
    exec(ENTRIES, space)
    ours = json.loads(json.dumps(space["entries"](wandb.Artifact, wandb.Table, NAMES, CALLS)))
    # wandb opens a file "a/" and finds a folder; here it is "a". Objects are no entries here before they are logged, and there
    # they are written at once, under the name that they are given.
    differ = [(mine, real) for mine, real in zip(ours, theirs) if mine[1:] != real[1:] and (mine[0], mine[1]) != ("a/", "new_file")
              and not (mine[1] == "add" and isinstance(real[2], list) and mine[2] == [])
              and not (mine[1] == "add" and real[2] == "OSError")
              and not (mine[1] == "add" and mine[2] == [] and mine[0] in ("a\0b", "\ud800"))]
    assert differ == []
    assert sum(isinstance(one[2], str) for one in ours) > 50


@pytest.mark.parametrize("call", [
    lambda a, p: a.add_file(p, name=p), lambda a, p: a.add_file(p, name=os.path.relpath(p)), lambda a, p: a.add_file(p, name="../" * 30 + p[1:]),
    lambda a, p: a.add_dir(os.path.dirname(p), name=os.path.dirname(p)), lambda a, p: a.new_file(p).__enter__(), lambda a, p: a.new_file(p, "w").__enter__(),
], ids=["absolute", "relative", "climbing", "add_dir", "new_file", "new_file w"])
def test_a_file_under_its_own_path_stays_as_it_is(wandb, tmp_path, monkeypatch, call):
    (tmp_path / "user").mkdir()
    file = tmp_path / "user/model.bin"
    file.write_text("weights")
    before = os.lstat(file)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with pytest.raises(ValueError, match="Invalid artifact path"):
        call(wandb.Artifact("a", "t"), str(file))
    after = os.lstat(file)
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns, after.st_nlink) == (before.st_ino, before.st_mtime_ns, before.st_ctime_ns, 1)
    assert file.read_text() == "weights" and os.listdir(tmp_path / "user") == ["model.bin"]


def contents(artifact, root):
    artifact.download(root)
    return {os.path.relpath(os.path.join(folder, name), root): open(os.path.join(folder, name)).read() for folder, _, names in os.walk(root) for name in names}


def test_a_second_file_of_a_name_is_refused_unless_it_may_take_its_place(wandb, files):
    one = wandb.Artifact("a", "t")
    one.add_file("p.txt", name="x")
    one.add_file("p.txt", name="./x")  # the same content
    for again in (lambda: one.add_file("q.txt", name="x"), lambda: one.add_file("q.txt", name="x", policy="immutable"), lambda: _made(one, "x", "x")):
        with pytest.raises(ValueError, match="Cannot add the same path twice: 'x'"):
            again()
    assert contents(one, files / "first") == {"x": "one"}
    one.add_file("q.txt", name="x", overwrite=True)
    one.add_file("p.txt", name="X")
    assert contents(one, files / "second") == {"x": "two", "X": "one"}
    with pytest.raises(ValueError, match="Invalid policy 'odd'"):
        one.add_file("p.txt", policy="odd")


def _made(artifact, name, mode, text="made"):
    with artifact.new_file(name, mode) as file:
        file.write(text)
        return file.name


def test_a_folder_may_be_added_again_where_it_is_the_same_or_is_merged(wandb, files):
    one = wandb.Artifact("a", "t")
    one.add_dir("d")
    one.add_dir("d")
    (files / "d/a.txt").write_text("changed")
    with pytest.raises(ValueError, match="twice: 'a.txt'"):
        one.add_dir("d")
    one.add_dir("d", merge=True)
    assert contents(one, files / "out") == {"a.txt": "changed", "sub/b.txt": "b"}


def test_a_file_and_a_folder_of_one_name(wandb, files, capsys):
    one = wandb.Artifact("a", "t")
    one.add_file("p.txt", name="x")
    one.add_file("q.txt", name="x/y")
    assert sorted(one.entries) == ["x", "x/y"]
    assert contents(one, files / "out") == {"x": "one"}
    assert "x/y is not put below" in capsys.readouterr().err
    other = wandb.Artifact("b", "t")
    other.add_file("q.txt", name="x/y")
    other.add_file("p.txt", name="x")
    assert contents(other, files / "other") == {"x/y": "two"}
    with pytest.raises(IsADirectoryError):
        other.get_entry("x").download(files / "other")


def test_new_files_follow_their_mode_as_in_wandb(wandb, files):
    one = wandb.Artifact("a", "t")
    assert os.path.basename(_made(one, "deep/x.txt", "x")) == "x.txt"
    with pytest.raises(ValueError, match="already exists"):
        _made(one, "deep/x.txt", "x")
    _made(one, "deep/x.txt", "a", " and more")
    with pytest.raises(FileNotFoundError):
        _made(one, "other.txt", "r")
    with pytest.raises(RuntimeError), one.new_file("half.txt"):
        raise RuntimeError("in the middle")
    assert contents(one, files / "out") == {"deep/x.txt": "made and more"}
    _made(one, "deep/x.txt", "w", "anew")
    assert contents(one, files / "out") == {"deep/x.txt": "anew"}


def test_what_is_added_is_what_is_logged_whatever_becomes_of_the_file(wandb, kept, files):
    run = wandb.init()
    one = wandb.Artifact("a", "t")
    one.add_file("p.txt")
    one.add_dir("d", name="d")
    assert os.stat("p.txt").st_nlink == 1  # a copy: a link would change with it
    with open("p.txt", "r+") as file:  # in place
        file.write("ONE")
    (files / "d/a.txt").unlink()
    shutil.rmtree(files / "d/sub")
    one.add_file("p.txt", name="later.txt")
    run.log_artifact(one)
    found = {fact["path"]: kept.files[fact["file"]] for fact in kept.facts("track_file")}
    assert found == {"p.txt": b"one", "d/a.txt": b"a", "d/sub/b.txt": b"b", "later.txt": b"ONE"}
    assert contents(one, files / "out") == {"p.txt": "one", "d/a.txt": "a", "d/sub/b.txt": "b", "later.txt": "ONE"}


def test_an_immutable_file_is_read_when_it_is_logged_and_never_touched(wandb, kept, files):
    run = wandb.init()
    before = os.stat("p.txt")
    one = wandb.Artifact("a", "t")
    one.add_file("p.txt", policy="immutable")
    run.log_artifact(one)
    one.download(files)  # onto itself
    assert os.stat("p.txt").st_ctime_ns == before.st_ctime_ns
    assert [kept.files[fact["file"]] for fact in kept.facts("track_file")] == [b"one"]


def test_a_full_disk_leaves_the_file_to_be_read_later(wandb, kept, files, monkeypatch, capsys):
    from flatout.track import _staging

    def full(folder, size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_staging, "_check_room", full)
    run = wandb.init()
    one = wandb.Artifact("a", "t")
    one.add_file("p.txt")
    assert "could not be copied (No space left on device): it is read when its artifact is logged" in capsys.readouterr().err
    run.log_artifact(one)
    assert [kept.files[fact["file"]] for fact in kept.facts("track_file")] == [b"one"]


def test_a_reference_of_a_folder_names_each_file(wandb, files):
    """As wandb does. They are not copied: it may be a data set."""
    def made(name=None):
        one = wandb.Artifact("n", "t")
        one.add_reference(f"file://{files / 'd'}", name=name)
        return one

    assert sorted(made().entries) == ["a.txt", "sub/b.txt"] and sorted(made("pre").entries) == ["pre/a.txt", "pre/sub/b.txt"]
    assert made().size == 2 and made().get_entry("sub/b.txt").ref == f"file://{files / 'd/sub/b.txt'}"
    before = made().digest
    assert made().digest == before
    (files / "d/sub/b.txt").write_text("another")
    assert made().digest != before
    with pytest.raises(ValueError, match="max_objects"):
        wandb.Artifact("n", "t").add_reference(f"file://{files / 'd'}", max_objects=1)
    with pytest.raises(ValueError, match="is not there"):
        wandb.Artifact("n", "t").add_reference(f"file://{files / 'gone'}")


def test_staged_files_go_with_the_last_that_needs_them(wandb, files, monkeypatch):
    (files / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(files / "tmp"))
    one = wandb.Artifact("a", "t")
    one.add_file("p.txt")
    _made(one, "new.txt", "x")
    draft, twin, sent = one.new_draft(), copy.deepcopy(one), pickle.loads(pickle.dumps(one))
    assert contents(sent, files / "sent") == {"p.txt": "one", "new.txt": "made"}
    del sent
    del one
    assert contents(draft, files / "draft") == {"p.txt": "one", "new.txt": "made"}
    del draft
    assert contents(twin, files / "twin") == {"p.txt": "one", "new.txt": "made"}
    (folder,) = os.listdir(files / "tmp")
    assert folder.startswith("flatout-artifact-")
    twin.remove("new.txt")
    del twin
    assert os.listdir(files / "tmp") == []


# A download: what stands below its root.

@pytest.fixture
def logged(wandb, files):
    one = wandb.Artifact("a", "t")
    one.add_file("p.txt", name="p.txt")
    one.add_file("q.txt", name="in/q.txt")
    (files / "out").mkdir()
    (files / "user").mkdir()
    return one


def test_a_download_follows_no_link_below_its_root(logged, files, capsys):
    (files / "out/in").symlink_to(files / "user")
    (files / "user/p.txt").write_text("precious")
    (files / "out/p.txt").symlink_to(files / "user/p.txt")
    logged.download(files / "out")
    assert os.listdir(files / "user") == ["p.txt"] and (files / "user/p.txt").read_text() == "precious"
    assert not (files / "out/p.txt").is_symlink() and (files / "out/p.txt").read_text() == "one"
    assert "in/q.txt is not put below" in capsys.readouterr().err
    with pytest.raises(OSError, match="a link"):
        logged.get_entry("in/q.txt").download(files / "out")


def test_a_download_may_have_a_root_that_is_a_link(logged, files):
    (files / "root").symlink_to(files / "out")
    assert contents(logged, files / "root") == {"p.txt": "one", "in/q.txt": "two"}


def test_a_download_writes_into_no_file_that_has_another_name(logged, files):
    (files / "user/p.txt").write_text("precious")
    os.link(files / "user/p.txt", files / "out/p.txt")
    logged.download(files / "out")
    assert (files / "user/p.txt").read_text() == "precious" and (files / "out/p.txt").read_text() == "one"


def test_a_download_leaves_a_file_of_the_same_content(logged, files):
    logged.download(files / "out")
    before = os.lstat(files / "out/p.txt")
    logged.download(files / "out")
    assert os.lstat(files / "out/p.txt") == before
    assert sorted(os.listdir(files / "out")) == ["in", "p.txt"]


@pytest.mark.parametrize("name", ["a\0b", "x" * 256, "half \ud800"])
def test_a_name_that_no_file_can_have_costs_that_file_alone(wandb, files, capsys, name):
    one = wandb.Artifact("n", "t")
    for at in (name, "ok"):
        one.add_file("p.txt", name=at)
    wandb.init().log_artifact(one)
    assert os.listdir(one.download(files / "out")) == ["ok"]
    assert "is not put below" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../user/x", "/{files}/user/x", "a/../../user/x", "..", ""])
def test_an_entry_that_leads_elsewhere_is_not_put_there(logged, files, name):
    entry = logged.get_entry("p.txt")
    entry.path = name.format(files=str(files).lstrip("/"))
    for download in (lambda: logged.download(files / "out"), lambda: entry.download(files / "out"), lambda: entry.download(str(files / "out"))):
        with pytest.raises(ValueError, match="Invalid artifact path"):
            download()
    assert os.listdir(files / "user") == []


def test_an_artifact_of_any_name_is_downloaded_below_artifacts(wandb, files):
    for name in ("../../up", "/abs", "..", "a/b", "plain"):
        one = wandb.Artifact(name, "t")
        one.add_file("p.txt")
        place = one.download()
        assert os.path.dirname(place) == "artifacts" and os.listdir(place) == ["p.txt"]
        assert os.path.dirname(os.path.dirname(one.file())) == "artifacts"
    assert not (files.parent / "up").exists()


def test_what_a_model_is_used_from_is_a_copy_under_its_own_name(wandb, files):
    run = wandb.init()
    run.log_model("p.txt", name="m")
    place = run.use_model("m")
    assert os.path.basename(place) == "p.txt" and open(place).read() == "one"
    os.remove(place)  # the script's own: neither the store's nor what it was logged from
    assert (files / "p.txt").read_text() == "one" and open(run.use_model("m")).read() == "one"


# The folder in which files are staged, at the end of its process.

STAGES = "import os, sys, flatout.track as t\na = t.Artifact('a', 't')\na.add_file('p.txt')\n" \
         "with a.new_file('x/new.txt') as f: f.write('new')\nassert os.listdir(os.environ['TMPDIR'])\n"
ENDS = {
    "returns": STAGES,
    "raises": STAGES + "raise RuntimeError('x')",
    "sys.exit": STAGES + "sys.exit(3)",
    "in a cycle": STAGES + "a.me = a\nb = [a]\nb.append(b)",
    "at exit": STAGES + "import atexit\natexit.register(lambda: a.add_file('p.txt', name='late'))",
    "later than at exit": "import atexit\natexit.register(lambda: (a.add_file('p.txt', name='late'), print(a.entries['late'].size)))\n" + STAGES,
    "interrupted": STAGES + "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nos.kill(os.getpid(), signal.SIGINT)\nimport time; time.sleep(60)",
    "a thread": "import threading\n" + STAGES + "kept = []\ndef f():\n  b = t.Artifact('b', 't'); b.add_file('p.txt'); kept.append(b)\n"
                "w = [threading.Thread(target=f) for _ in range(8)]\n[x.start() for x in w]; [x.join() for x in w]",
    "all closed": STAGES + "os.closerange(3, 256)\nopened = [os.open('p.txt', os.O_RDONLY) for _ in range(20)]\ndel a\n"
                  "assert all(os.fstat(x) for x in opened)",
    "a fork": STAGES + "pid = os.fork()\nif pid == 0:\n  del a\n  sys.exit(0)\nos.waitpid(pid, 0)\nassert open(a.get_entry('x/new.txt')._local).read() == 'new'",
    "a fork that adds": STAGES + "pid = os.fork()\nif pid == 0:\n  a.add_file('p.txt', name='more')\n  assert len(os.listdir(os.environ['TMPDIR'])) == 2\n"
                        "  sys.exit(0)\nassert os.waitpid(pid, 0)[1] == 0\na.download('out')",
    **{f"a worker by {how}": f"import multiprocessing as m\ndef work():\n  global kept\n  import os, flatout.track as t\n  kept = t.Artifact('a', 't')\n"
                             f"  kept.add_file('p.txt')\n  assert os.listdir(os.environ['TMPDIR'])\nif __name__ == '__main__':\n  p = m.get_context('{how}').Process(target=work)\n"
                             "  p.start(); p.join(); assert p.exitcode == 0" for how in ("fork", "spawn", "forkserver")},
}


@pytest.mark.parametrize("how", ENDS)
def test_nothing_is_left_behind(files, how, tmp_path_factory):
    temporary = tmp_path_factory.mktemp("t")  # short: a server of forks has a socket there, whose path may have 107 bytes
    (files / "program.py").write_text(ENDS[how])
    env = harness.environment(PYTHONPATH=harness.ROOT / "python", TMPDIR=temporary)
    done = subprocess.run([sys.executable, "program.py"], cwd=files, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == {"raises": 1, "sys.exit": 3, "interrupted": -2}.get(how, 0), done.stderr
    assert [one for one in os.listdir(temporary) if one.startswith("flatout")] == []
    assert (files / "p.txt").read_text() == "one"
