"""What the hooks write for a plain training loop on real PyTorch."""

import signal
from pathlib import Path

import pytest
from hooked import main_ring, run
from ring import EXHAUSTED, GRAD, TRAINING

LOOP = Path(__file__).parent / "programs/loop.py"
STEP = ["+data_wait", "-data_wait", "+forward", "-forward", "+forward", "-forward"] + [
    "+backward", "-backward", "+optimizer", "-optimizer"]  # fmt: skip
EVAL = ["+data_wait", "-data_wait", "+forward", "-forward"]
BUILD, END = ["+iter_build", "-iter_build"], ["+data_wait", "-data_wait"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    done, rings = run(LOOP, 0, "none", rings=tmp_path_factory.mktemp("rings"))
    assert done.returncode == 0, done.stderr
    return main_ring(rings)


def test_every_phase_of_the_loop_in_order(plain):
    epoch = BUILD + 3 * STEP + END + BUILD + 3 * EVAL + END
    assert plain.sequence() == 2 * epoch + ["+checkpoint", "-checkpoint"]


def test_backward_begins_with_its_first_gradient(tmp_path):
    done, rings = run(LOOP.with_name("slow_first_gradient.py"), rings=tmp_path)
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    assert ring.sequence() == 3 * ["+forward", "-forward", "+backward", "-backward", "+optimizer", "-optimizer"]
    backwards = [p.t_ns for p in ring.phases if p.phase == "backward"]
    assert min(end - begin for begin, end in zip(backwards[::2], backwards[1::2])) >= 20e6


def test_flags_tell_training_from_evaluation(plain):
    forwards = [p.flags for p in plain.phases if p.begin and p.phase == "forward"]
    assert forwards == 2 * (6 * [GRAD | TRAINING] + 3 * [TRAINING])
    draws = [p.flags for p in plain.phases if p.begin and p.phase == "data_wait"]
    assert draws == 2 * (4 * [GRAD] + 4 * [0])


def test_draws_carry_their_iterator_and_their_samples(plain):
    ends = [p for p in plain.phases if not p.begin and p.phase == "data_wait"]
    assert [p.value for p in ends] == 4 * [8, 8, 8, 0]
    assert [p.id for p in ends] == [i for i in (1, 2, 3, 4) for _ in range(4)]
    assert [bool(p.flags & EXHAUSTED) for p in ends] == 4 * [False, False, False, True]


def test_one_batch_record_a_batch_with_its_stages(plain):
    assert [(b.iterator, b.sequence, b.samples) for b in plain.batches] == [
        (i, k, 8) for i in (1, 2, 3, 4) for k in range(3)
    ]
    for batch in plain.batches:
        assert set(batch.stages) == {"Image.open", "JPEG decode", "Half", "to_tensor"}
        assert batch.stages["Half"][0] == 8
        wall = batch.end_ns - batch.begin_ns
        parts = sum(wall for _, wall in batch.stages.values()) + batch.collate_ns
        assert 0 < batch.collate_ns and parts <= wall


def test_facts_name_the_lines(plain):
    # Repeated once PyTorch has asked the dataset for its length.
    loader, held_out = {fact["loader"]: fact for fact in plain.fact("loader")}.values()
    text = LOOP.read_text().splitlines()
    line = 1 + next(i for i, row in enumerate(text) if "loader = DataLoader" in row)
    assert loader["built_at"] == f"{LOOP}:{line}"
    assert (loader["workers"], loader["batch_size"], loader["dataset_len"]) == (0, 8, 24)
    assert held_out["loader"] == 2
    (model,) = [m for m in plain.fact("model") if m["class"] == "Sequential"]
    assert (model["parameters"], model["dtypes"], model["device"]) == (782, {"float32": 782}, "cpu")
    assert plain.fact("optimizer")[0]["class"] == "SGD"
    assert plain.fact("environment")[0]["device"] == "cpu"
    assert not plain.fact("problem")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.every_change("fork", "spawn")
def test_workers_write_their_own_rings(tmp_path, method):
    done, rings = run(LOOP, 2, method, rings=tmp_path)
    assert done.returncode == 0, done.stderr
    workers = [r for r in rings if r.role == 1]
    assert sorted(r.worker_id for r in workers) == [0, 0, 1, 1]
    assert all(not r.phases for r in workers)
    assert sum(len(r.batches) for r in workers) == 6
    assert all(set(b.stages) == {"Image.open", "JPEG decode", "Half", "to_tensor"} for r in workers for b in r.batches)
    main = main_ring(rings)
    pids = [len(f["worker_pids"]) for f in main.fact("iterator")]
    assert pids == [2, 0, 2, 0]


def test_stop_after_interrupts_at_the_close_of_that_step(tmp_path):
    done, rings = run(LOOP, 0, "none", rings=tmp_path, FLATOUT_STOP_AFTER=4)
    assert done.stdout.split() == 4 * ["step"]
    assert done.returncode == -signal.SIGINT and not done.stderr, "it was asked for: no traceback"
    assert main_ring(rings).stops == 1


def test_stop_after_counts_backwards_where_no_optimizer_was_built(tmp_path):
    done, rings = run(LOOP.with_name("by_hand.py"), rings=tmp_path, FLATOUT_STOP_AFTER=4)
    assert done.stdout.split() == 4 * ["step"]
    assert done.returncode == -signal.SIGINT and not done.stderr, "it was asked for: no traceback"
    assert main_ring(rings).stops == 1


def test_a_ring_directory_that_is_gone_costs_one_line_and_nothing_else(tmp_path):
    done, rings = run(LOOP, 2, "fork", rings=tmp_path / "gone")
    assert done.returncode == 0
    assert done.stdout.split() == 6 * ["step"]
    (line,) = done.stderr.splitlines()
    assert line.startswith("flatout: ") and "No such file or directory" in line
