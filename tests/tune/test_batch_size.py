"""The search for a batch size by `flatout tune`, on real programs."""

import re

RISK = ("--risk", "changes_training", "--knobs", "batch.size")


def note(document, words):
    (found,) = [note for note in document["notes"] if words in note]
    return found


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


def test_it_is_not_tried_unless_asked_for(tune):
    document = tune(tune.command("batch.py"), "--knobs", "batch.size", "--steps", 24)
    assert document["trials"] == []
    (row,) = [row for row in document["skipped"] if row["knob"] == "batch.size"]
    assert row["reason"] == "its risk is above --risk"
