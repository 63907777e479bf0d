"""The search for a batch size by `flatout tune`, on real programs."""

import re
import subprocess
import sys

import pytest

RISK = ("--risk", "changes_training", "--knobs", "batch.size")


def note(document, words):
    (found,) = [note for note in document["notes"] if words in note]
    return found


@pytest.mark.slow
def test_tiny_batches_grow_to_the_knee_where_the_user_asks_for_it(tune):
    document = tune(tune.command("batch.py", "--samples", 256), *RISK, "--steps", 300)
    row = document["trials"][0]
    assert row["knob"] == "batch.size" and row["from"] == 16, tune.out
    # A step takes 1.5 ms and 0.25 ms a sample, and what torch itself needs.
    assert 60 <= row["to"] <= 256 and row["to"] % 8 == 0, tune.out
    assert row["kept"] and row["loss_gate"] == "passed" and row["interval"][0] > 1.01, tune.out
    assert document["final"]["confirmed"] and document["knobs"] == {"batch.size": row["to"]}
    assert f"effective batch grows from 16 to {row['to']}" in note(document, "effective batch")
    assert "square root rule, Adam" in note(document, "effective batch")
    search = note(document, "peak memory")
    assert re.search(r"peak memory [\d.]+ MB \+ \S+ .B a sample \(host", search)
    assert "the largest that fits is 256, which a trial ran" in search and f"the knee is at {row['to']}" in search


@pytest.fixture(scope="module")
def torch_peak_mb():
    """What a process holds that has imported torch and trained on next to nothing."""
    code = "import resource, torch; torch.ones(8, 8).exp(); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout) // 1024


def pretend_a_cgroup(root, room_mb):
    """The kernel's files of a machine with much memory, and of a job with a limit."""
    job = root / "sys/fs/cgroup/job"
    (root / "proc/self").mkdir(parents=True)
    job.mkdir(parents=True)
    (root / "proc/meminfo").write_text("MemTotal: 64000000 kB\nMemAvailable: 60000000 kB\n")
    (root / "proc/self/cgroup").write_text("0::/job\n")
    (root / "proc/self/mountinfo").write_text("35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
    (job / "cgroup.controllers").write_text("memory\n")
    (job / "memory.max").write_text(f"{(room_mb + 1000) << 20}\n")
    (job / "memory.current").write_text(f"{1000 << 20}\n")
    (job / "memory.events").write_text("oom_kill 0\n")


def sizes_that_did_not_fit(document):
    found = [note for note in document["notes"] if "does not fit" in note]
    assert all("exit status 1 (RuntimeError:" in note and "DefaultCPUAllocator" in note for note in found), found
    return [int(re.match(r"batch size (\d+) does not fit", note)[1]) for note in found]


@pytest.mark.slow
def test_a_size_that_does_not_fit_is_found_out_and_the_search_goes_on(tune, tmp_path, torch_peak_mb):
    # Twice the program's batch fits below the limit, four times as much does not.
    pretend_a_cgroup(tmp_path / "kernel", torch_peak_mb + 420)
    env = tune.env
    tune.env = lambda: {**env(), "FLATOUT_HOST_FILES": str(tmp_path / "kernel")}
    command = tune.command("batch.py", "--samples", 512, "--sample-mb", 4, "--sample-ms", 0.05, "--step-ms", 8)
    document = tune(command, *RISK, "--steps", 60)
    search = note(document, "peak memory")
    limit, fits = re.search(r"of ([\d.]+) MB; the largest that fits is (\d+), which a trial ran", search).groups()
    assert abs(float(limit) - (torch_peak_mb + 420) * 1.048576) < 1, search
    failed = sizes_that_did_not_fit(document)
    assert failed[0] == 64 and 32 <= int(fits) < min(failed), tune.out
    # A larger size may gain here, or not: the memory that each sample takes has to be written.
    assert all(row["to"] <= int(fits) for row in document["trials"]), tune.out

    # All that it decided by stands in the recordings: told again, it needs neither trial nor kernel.
    tune.env = env
    told = tune(command, "--resume", document["id"])
    for key in ("baseline", "trials", "skipped", "knobs"):
        assert told[key] == document[key]
    assert told.get("final") == document.get("final") and set(document["notes"]) <= set(told["notes"])


@pytest.mark.slow
def test_what_a_framework_accumulates_is_joined(tune):
    # It divides each loss by the four: joined, losses must not look four times as large.
    document = tune(tune.command("accumulates.py"), "--risk", "changes_training", "--knobs", "batch.accumulate", "--budget", "120s")
    row = document["trials"][0]
    assert (row["knob"], row["from"], row["to"]) == ("batch.accumulate", 1, "1/4"), tune.out
    assert row["kept"] and row["loss_gate"] == "passed" and row["interval"][0] > 1.2, tune.out
    assert document["final"]["confirmed"], tune.out
