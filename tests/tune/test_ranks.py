"""Programs of several ranks: torchrun and gloo, two of them."""

import json
import sys

import pytest

TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--max-restarts", "2", "--nproc-per-node", "2"]


def ranks(tune, *args):
    command = tune.command("ddp.py", *args)
    return [command[0], *TORCHRUN, *command[1:]]


@pytest.mark.beside
def test_a_trial_of_two_ranks_ends_in_all_of_them_and_counts_their_samples(tune):
    document = tune(ranks(tune, "--late-ms", 20), "--steps", 24, "--budget", "1s")
    written = " ".join(note for note in document["notes"] if "thrown away" in note)
    assert "started.0.0 started.1.0" in written
    assert ".1.1" not in written and ".0.1" not in written, "the launcher has started ranks again"
    assert "finally" not in written, "a rank went on after its last step"
    run = document["baseline"]["runs"][0]
    report = json.loads(tune.flatout("report", run, "--format", "json").stdout)
    steps_per_s = 1e3 / report["steps"]["mean_ms"]
    # A batch is 4 samples, in each of two ranks.
    assert document["baseline"]["samples_per_s"] / steps_per_s > 6, (document["baseline"], report["steps"])


@pytest.mark.beside
def test_what_one_rank_cannot_do_no_rank_does(tune):
    tune.plan.write_text("[knobs]\ndataloader.num_workers = 1\n")
    for handle, applied, workers in ((1, False, 0), (-1, True, 1)):
        command = ranks(tune, "--steps", 16, "--handle", handle)
        done = tune.flatout("run", "--plan", tune.plan, "--json", "r.json", "--", *command)
        assert done.returncode == 0, done.stderr
        outcome = json.loads((tune.folder / "r.json").read_text())["plan"][0]
        assert outcome["applied"] == applied, outcome
        assert outcome.get("reason", "").startswith("" if applied else "rank 1: the dataset holds an open")
        for rank in range(2):
            assert f"rank {rank} had {workers} workers" in done.stdout


def test_a_rank_gets_the_interrupt_of_stop_after_once(tune):
    tune.command("two_trainers.py")
    done = tune.flatout("run", "--stop-after", 20, "--", sys.executable, "two_trainers.py")
    assert done.returncode == 0, done.stderr
    assert [(tune.folder / f"interrupts.{number}").read_text() for number in range(2)] == ["1", "1"]
