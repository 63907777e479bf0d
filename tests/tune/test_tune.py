"""flatout tune on real programs, from the command line."""

import json
import signal
import socketserver
import subprocess
import threading

import harness
import ledger
import pytest
from folders import fingerprint
from trials import processes_with


def rows(document):
    return {row["knob"]: row for row in document["trials"]}


def test_waiting_samples_get_workers_and_the_folder_stays_as_it_is(tune):
    command = tune.command("train.py", "--wait-ms", 10, "--draws", "--write")
    before = fingerprint(tune.folder)
    document = tune(command, "--steps", 40, "--knobs", "num_workers")
    assert fingerprint(tune.folder) == before
    kept = [row for row in document["trials"] if row["kept"]]
    assert kept, tune.out
    assert kept[0]["knob"] == "dataloader.num_workers" and kept[0]["from"] == 0
    assert kept[0]["interval"][0] > 1.3
    assert kept[0]["loss_gate"] == "passed"  # it draws, so other seeds were tried
    assert document["final"]["confirmed"] and document["final"]["speedup"] > 1.5
    assert document["final"]["interval"][0] > 1.2
    workers = document["knobs"]["dataloader.num_workers"]
    assert document["plan"] == str(tune.plan)
    assert f"dataloader.num_workers = {workers}" in tune.plan.read_text()
    assert "confirmed against the baseline" in tune.out and "predicted x" in tune.out
    assert "train.log" in tune.out  # what was written and thrown away
    # Each trial is a run, tied to the first.
    listed = harness.runs(tune.home)
    family = {run["id"] for run in listed if run.get("parent") == document["id"]}
    tried = set(document["baseline"]["runs"]) | {r for row in document["trials"] for r in row["runs"]}
    assert tried - {document["id"]} <= family
    tree = tune.flatout("ls", "--tree").stdout.splitlines()
    assert tree[1].startswith(document["id"]) and tree[2].startswith("  ")
    assert f"num_workers={workers}" in "\n".join(tree)
    ledger.assert_shown(tune, document)
    # The plan does it again, without an edit, and says so.
    again = tune.flatout("run", "--plan", tune.plan, "--stop-after", 20, "--json", "r.json", "--", *command)
    report = json.loads((tune.folder / "r.json").read_text())
    assert report["loader"]["workers"] == workers, again.stderr
    assert report["plan"][0]["applied"] and report["plan"][0]["from"] == 0
    assert f"dataloader.num_workers={workers} (was 0)" in again.stderr
    by_hand = tune.flatout("tune", "--explain", tune.plan).stdout
    assert f"num_workers={workers})" in by_hand and f"dataloader_num_workers={workers}" in by_hand


def test_long_epochs_are_compared_inside_one_process(tune):
    command = tune.command("train.py", "--wait-ms", 10, "--samples", 100000, "--write")
    before = fingerprint(tune.folder)
    document = tune(command, "--steps", 40, "--knobs", "num_workers,fused", "--budget", "100s")
    assert fingerprint(tune.folder) == before
    kept = [row for row in document["trials"] if row["kept"]]
    assert kept, tune.out
    assert kept[0]["knob"] == "dataloader.num_workers" and kept[0]["interval"][0] > 1.3
    assert kept[0]["block_pairs"] >= 4 and len(kept[0]["runs"]) == 2, "the process that was driven, and one trial"
    assert kept[0]["runs"][0] == document["id"], "the first look goes on"
    listed = {run["id"]: run for run in harness.runs(tune.home)}
    assert {run["state"] for run in listed.values()} == {"finished"}
    assert all(run["parent"] == document["id"] for run in listed.values() if run["id"] != document["id"])
    assert document["final"]["confirmed"] and document["final"]["interval"][0] > 1.2, tune.out
    assert "train.log" in tune.out  # what it wrote was thrown away as well
    assert not processes_with("--samples"), "workers that were parked have ended, too"
    ledger.assert_shown(tune, document)


class Listener:
    """Lines of all processes that connect, by connection. What trials write to files is thrown away."""

    def __init__(self):
        self.heard = []
        outer = self

        class One(socketserver.StreamRequestHandler):
            def handle(self):
                lines = []
                outer.heard.append(lines)
                lines.extend(line.decode().split() for line in self.rfile)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), One)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def test_the_trial_of_what_blocks_kept_has_it_in_each_step(tune):
    """Its process goes on to be driven, and is asked for a block meanwhile."""
    listener = Listener()
    with listener.server:
        document = tune(tune.command("says_settings.py", listener.port), "--steps", 40, "--knobs", "num_workers", "--budget", "100s")
        listener.server.shutdown()
    kept = {row["knob"]: row for row in document["trials"] if row["kept"]}
    assert "dataloader.num_workers" in kept and kept["dataloader.num_workers"]["block_pairs"], tune.out
    begun = [[int(worker) for worker, _fused in lines[:40]] for lines in listener.heard]
    with_workers = [workers for workers in begun if workers and workers[0] >= 0]
    assert with_workers and all(min(workers) >= 0 for workers in with_workers), begun


def test_a_healthy_program_keeps_nothing(tune):
    command = tune.command("train.py", "--compute-ms", 40)
    document = tune(command, "--steps", 40)
    assert not any(row["kept"] for row in document["trials"])
    assert document["knobs"] == {} and "plan" not in document and "final" not in document
    assert not tune.plan.exists()
    assert all(row["reason"] for row in document["skipped"])
    assert "nothing to change" in tune.out


def test_workers_that_spoil_the_samples_fail_the_loss_gate(tune):
    document = tune(tune.command("train.py", "--wait-ms", 10, "--harm"), "--steps", 40, "--knobs", "num_workers")
    row = document["trials"][0]
    assert row["speedup"] > 1.3 and row["loss_gate"] == "failed" and not row["kept"]
    assert "loss" in row["reason"]
    assert document["knobs"] == {}


@pytest.mark.slow  # two minutes of waiting for it; how trials are ended is src/trial/end_test.cc's
def test_a_trial_that_hangs_is_ended_and_fewer_workers_are_tried(tune):
    # Three workers would do; four hang, which no look from outside tells beforehand.
    document = tune(tune.command("train.py", "--wait-ms", 10, "--hang-above", 3), "--steps", 24, "--knobs", "num_workers",
                    "--budget", "100s")
    hung = [row for row in document["trials"] if row["to"] > 3]
    assert hung and all(row["reason"].startswith("failed: hung") and not row["kept"] for row in hung)
    first = document["trials"].index(hung[0])
    assert all(row["to"] < hung[0]["to"] for row in document["trials"][first + 1:])
    assert document["knobs"].get("dataloader.num_workers") in (2, 3), tune.out
    assert not processes_with("--hang-above")


@pytest.mark.slow  # four trials of a stream that hardly gains; refusals have tests of their own
def test_a_stream_that_workers_would_repeat_gets_one_at_most(tune):
    # Two would deliver every sample twice. One does not, and whether it is worth keeping is for the clock to say.
    document = tune(tune.command("train.py", "--wait-ms", 10, "--iterable"), "--steps", 24, "--knobs", "num_workers")
    more = [row for row in document["trials"] if row["to"] > 1]
    assert more and all(row["reason"].startswith("not applied") and not row["kept"] for row in more)
    assert any(row["to"] == 1 and not row["reason"].startswith("not applied") for row in document["trials"])
    assert document["knobs"].get("dataloader.num_workers", 0) <= 1


@pytest.mark.beside
def test_a_program_that_fails_is_an_error_that_says_why(tune):
    assert tune(tune.command("train.py", "--fail"), code=1) is None
    assert "exit status 1" in tune.err and "there is no data" in tune.err and "flatout report" in tune.err


@pytest.mark.beside
def test_ctrl_c_ends_it_with_what_is_known(tune):
    command = tune.command("train.py", "--wait-ms", 10, "--write")
    before = fingerprint(tune.folder)
    words = [str(word) for word in [*tune.words("--steps", 40), "--", *command]]
    process = subprocess.Popen(words, env=tune.env(), cwd=tune.folder, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("baseline"):
            break
    process.send_signal(signal.SIGINT)
    out = process.stdout.read()
    assert process.wait(timeout=60) == 128 + signal.SIGINT
    assert "interrupted" in out
    assert json.loads(tune.json.read_text())["interrupted"] is True
    assert fingerprint(tune.folder) == before
    harness.wait_for(lambda: not processes_with("--write"), why="a trial lives on", pause_s=0.1)


@pytest.mark.beside
def test_what_is_wrong_is_said_before_anything_runs(tune):
    command = tune.command("train.py")
    for options, words in (
        (("--knobs", "num_wrokers"), "there is no knob 'num_wrokers'"),
        (("--budget", "ten"), "write 90s, 10m or 2h"),
        (("--risk", "any"), "--risk"),
        (("--steps", "2"), "--steps"),
    ):
        assert tune(command, *options, code=2) is None
        assert words in tune.err
    assert not (tune.home / "runs").exists() or not list((tune.home / "runs").iterdir())


@pytest.mark.beside
def test_a_plan_that_cannot_be_applied_says_so_and_the_program_runs(tune):
    command = tune.command("train.py", "--compute-ms", 1)
    tune.plan.write_text("[knobs]\ndataloader.num_workers = 1\nno.such = 3\ndataloader.pin_memory = true\n")
    done = tune.flatout("run", "--plan", tune.plan, "--stop-after", 12, "--json", "r.json", "--", *command)
    assert "no.such is not applied: this version knows no such knob" in done.stderr
    outcome = {knob["knob"]: knob for knob in json.loads((tune.folder / "r.json").read_text())["plan"]}
    assert outcome["dataloader.num_workers"]["applied"]
    assert not outcome["no.such"]["applied"]
    assert not outcome["dataloader.pin_memory"]["applied"] and outcome["dataloader.pin_memory"]["reason"]
    tune.plan.write_text("[knobs]\nx = \n")
    broken = tune.flatout("run", "--plan", tune.plan, "--", *command)
    assert broken.returncode == 2 and "line 2" in broken.stderr
