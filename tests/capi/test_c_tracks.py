"""What C and C++ programs track through flatout.h: in the list, in the HTTP API, and what becomes of it in a killed or forked program."""

import json
import re
import subprocess
import sys
from pathlib import Path

import build
import harness
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "ui"))
from ui_server import UiServer

EXAMPLES = build.ROOT / "examples"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    return {name: build.program(EXAMPLES / name, folder / Path(name).parent) for name in ("c/track.c", "cpp/track.cc")
            if (folder / Path(name).parent).mkdir() is None}


def test_the_example_in_c(made, tmp_path):
    plain = harness.run_plain([made["c/track.c"], tmp_path / "plain.txt"])
    seen = harness.run_observed([made["c/track.c"], tmp_path / "line.txt"], tmp_path)
    assert (seen.code, seen.out, seen.err) == (plain.code, plain.out, plain.err) == (0, plain.out, b"")
    (row,) = harness.runs(tmp_path / "home")
    tracked = row["tracked"]
    assert (tracked["project"], tracked["name"], tracked["tags"]) == ("lines", "least squares", ["example", "c"])
    assert re.fullmatch("[a-z0-9]{8}", tracked["id"])
    assert tracked["config"] == {"rate": 0.5, "optimizer": "plain descent", "data": {"points": 256, "noise": 0.01}}
    assert tracked["summary"]["slope"] == pytest.approx(2, abs=0.1) and tracked["summary"]["train/loss"] < 0.01
    done = subprocess.run([harness.flatout_bin(), "show", row["id"], "--format", "json"], env=harness.environment(FLATOUT_HOME=tmp_path / "home"),
                          capture_output=True, timeout=60)
    (shown,) = json.loads(done.stdout)["tracked"]
    assert shown["config"] == tracked["config"] and shown["counts"]["files"] == 1 and shown["counts"]["lost_values"] == 0 and shown["exit_code"] == 0
    (reported,) = seen.report["tracked"]
    assert (reported["points"], reported["texts"], reported["files"], reported["values"][0]["last_step"]) == (100, 1, 1, 99)
    with UiServer(tmp_path / "home") as ui:
        run = ui.get(f"/runs/{row['id']}")
        (one,) = run["tracked"]
        (series,) = [series for series in run["series"] if series["name"] == "train/loss"]
        assert (series["count"], series["first_step"], series["last_step"]) == (100, 0, 99)
        (kept,) = one["files"]
        status, _, body = ui.ask(f"/api/v1/runs/{row['id']}/files/{kept['file']}")
        assert (status, body) == (200, (tmp_path / "line.txt").read_bytes())
    assert kept["artifact"]["name"] == "line" and kept["file"].startswith(kept["artifact"]["version"])
    assert seen.report["steps"]["count"] >= 99 and seen.report["overhead"]["dropped"] == 0


def test_the_example_in_cpp_fails_by_its_exception(made, tmp_path):
    program = made["cpp/track.cc"]
    assert harness.run_observed([program], tmp_path).code == 0
    seen = harness.run_observed([program, "-1"], tmp_path)
    assert (seen.code, seen.err) == (1, harness.run_plain([program, "-1"]).err)
    failed, done = sorted((row["tracked"] for row in harness.runs(tmp_path / "home")), key=lambda tracked: tracked["config"]["square"])
    assert done["summary"]["root"] == pytest.approx(2**0.5) and done["tags"] == ["example", "c++"] and done["config"]["method"] == "Newton"
    assert "root" not in failed["summary"]


HOSTILE = r"""
#include <flatout/flatout.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int track;
static void* log_all(void* unused) {
  for (int i = 0; i < 1000; ++i) flatout_track_log(track, "thread", i, i);
  return unused;
}
int main(void) {
  static char text[100000];
  pthread_t threads[4];
  struct flatout_track_options about = {0};
  about.name = "\x1b[31mred</script>";
  about.id = "one";
  track = flatout_track_open(&about);
  memset(text, 'y', sizeof text - 1);
  flatout_track_config_text(track, "long", text);
  flatout_track_config_text(track, "\xff", "\x1b]0;title\x07");
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, log_all, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  const pid_t child = fork();
  if (child == 0) {
    flatout_track_log(track, "child", 7, 0);
    flatout_track_finish(track, 4);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  raise(SIGKILL);
  return 0;
}
"""


def test_threads_a_child_a_long_text_and_a_kill(tmp_path):
    (tmp_path / "hostile.c").write_text(HOSTILE)
    seen = harness.run_observed([build.program(tmp_path / "hostile.c", tmp_path)], tmp_path)
    assert seen.code == -9 and seen.err == b""
    (row,) = harness.runs(tmp_path / "home")
    assert row["tracked"]["name"] == "\x1b[31mred</script>" and row["tracked"]["summary"] == {"child": 7.0, "thread": 999.0}
    assert row["tracked"]["config"]["long"] == "y" * 1024 + "..." and row["tracked"]["config"]["\ufffd"] == "\x1b]0;title\x07"
    with UiServer(tmp_path / "home") as ui:
        run = ui.get(f"/runs/{row['id']}")
        assert sorted((s["name"], s["count"]) for s in run["series"] if s["kind"] == "value") == [("child", 1), ("thread", 4000)]
        (one,) = run["tracked"]
        assert one["exit_code"] == 4 and one["config"]["long"] == "y" * 99999


def test_the_header_is_c99_and_cpp11_without_a_warning(tmp_path):
    for compiler, name, header in (("cc -std=c99", "x.c", "flatout.h"), ("c++ -std=c++11", "x.cc", "flatout.hpp"), ("c++ -std=c++20", "x.cc", "flatout.hpp")):
        (tmp_path / name).write_text(f"#include <flatout/{header}>\nint main(void) {{ return flatout_track_open(0); }}\n")
        words = [*compiler.split(), "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-I{build.prefix()}/include", tmp_path / name]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
