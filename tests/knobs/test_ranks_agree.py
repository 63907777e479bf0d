"""Two ranks on gloo: what one of them cannot set, neither does, whatever knob it is."""

import json
import os
import socket
import subprocess
import sys

import pytest
from hooked import environment
from planned import PROGRAMS
from ring import read_rings

BF16, FUSED, LAYOUT, SIZE = "precision.bf16", "optimizer.fused", "layout.channels_last", "batch.size"
PARTS = "batch.accumulate"
PLAN = json.dumps({BF16: True, FUSED: True, LAYOUT: True, SIZE: 3})


def two_ranks(folder, own, program="two_ranks.py", plan=PLAN):
    """What the ranks say of themselves, and the last word of each on each knob."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "OMP_NUM_THREADS": 1}
    ranks = [
        subprocess.Popen(
            [sys.executable, str(PROGRAMS / program), "--own", str(own)],
            env=environment(folder, FLATOUT_PLAN=plan, RANK=rank, LOCAL_RANK=rank, **said),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in range(2)
    ]  # fmt: skip
    saw = []
    for rank in ranks:
        out, err = rank.communicate(timeout=120)
        assert rank.returncode == 0, err
        saw.append(json.loads(out.splitlines()[-1]))
    words = {}
    for ring in read_rings(folder):
        for fact in ring.fact("rank"):
            words[fact["rank"]] = {word["knob"]: word for word in ring.fact("knob")}
    return saw, words


@pytest.mark.parametrize("own", [1, -1])
@pytest.mark.every_change("1")
def test_knobs_of_forwards_and_of_updates_are_set_by_all_ranks_or_none(tmp_path, own):
    saw, words = two_ranks(tmp_path, own)
    assert sorted(words) == [0, 1]
    for rank in range(2):
        # What all can do, all do.
        assert words[rank][LAYOUT]["applied"] and saw[rank]["channels_last"]
        for knob in (BF16, FUSED, SIZE):
            assert words[rank][knob]["applied"] == (own == -1), (rank, words)
        assert saw[rank]["fused"] == (own == -1)
        assert saw[rank]["batches"] == ([3, 3] if own == -1 else [2, 2, 2])
        assert saw[rank]["dtype"] == ("torch.bfloat16" if own in (-1, rank) else "torch.float32")
    if own != -1:
        other = words[1 - own]
        assert other[BF16]["reason"] == "rank %d: the program uses autocast itself" % own
        assert other[SIZE]["reason"] == "rank %d: the batch sampler Pairs is the program's own" % own
        assert other[FUSED]["reason"] == "rank %d: the program chooses fused or foreach itself" % own
    leftover = [name for name in os.listdir(tmp_path) if name.startswith("knob.") and name.count(".") > 3]
    assert not leftover, "a vote was not put in its place"


def test_ranks_train_their_batches_in_parts_together(tmp_path):
    runs = {}
    for name, plan in (("whole", {}), ("parts", {PARTS: 4})):
        (tmp_path / name).mkdir()
        runs[name] = two_ranks(tmp_path / name, -1, "accumulated_ranks.py", json.dumps(plan))
    (first, second), words = runs["parts"]
    assert first["shapes"] == second["shapes"] == [2] * 30, "20 samples a rank and epoch, the last batch has 4"
    assert all(words[rank][PARTS]["applied"] for rank in range(2)), words
    assert first["weights"] == second["weights"] == pytest.approx(runs["whole"][0][0]["weights"], rel=1e-4, abs=1e-5)
