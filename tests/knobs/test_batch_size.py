"""batch.size of a plan in an unmodified program on real PyTorch: batches, epochs and
what becomes of the learning rate. Few processes, since each start of torch takes seconds."""

import importlib

import pytest
from planned import train

SIZE = "batch.size"
SHUFFLED = {"arguments": {"shuffle": True}}
PERSISTENT = {"shuffle": True, "num_workers": 1, "persistent_workers": True}
OWN = [0.1 * 0.9**n for n in range(100)]  # the program's rates
OPTIMIZERS = ["SGD", "groups", "Adam", "AdamW", "tensor", "inside", "Adagrad"]
PARTS = {
    "own sampler": {"loader": "own sampler"},
    "unbatched": {"loader": "unbatched"},
    "small": {"loader": "small"},
    "evaluate": {"evaluate": True},
    "shuffled": {**SHUFFLED, "epochs": 7},
    "drop_last": {"arguments": {"drop_last": True}},
    "torch's sampler": {"loader": "torch's sampler"},
    "stream": {"loader": "stream"},
    "workers": {"arguments": PERSISTENT, "epochs": 2},
    **{name: {"optimizer": name, "epochs": 2} for name in OPTIMIZERS},
    "positional": {"optimizer": "Adam", "closure": "positional", "raises": 2},
    "keyword": {"optimizer": "Adam", "closure": "keyword", "raises": 2},
    "scaler": {"optimizer": "Adam", "scaler": True},
    "as edited": {**SHUFFLED, "optimizer": "Adagrad", "epochs": 2},
    "kept": {"keep": True},
    "other size": {"arguments": {"batch_size": 5}, "keep": True},
}


def parts(folder, value, of, **environment):
    plan = None if value is None else {SIZE: value}
    seen = train(folder, plan, environment or None, "batches.py", parts=list(of.values()))
    seen.saw = dict(zip(of, seen.saw))
    return seen


@pytest.fixture(scope="module")
def sized(tmp_path_factory):
    """Batches of 16 where the program wants 4."""
    return parts(tmp_path_factory.mktemp("sized"), 16, PARTS)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The program as it is, and with the size in the script, in a trial."""
    edited = {**PARTS["as edited"], "arguments": {"shuffle": True, "batch_size": 16}}
    of = {"shuffled": PARTS["shuffled"], "edited": edited}
    return parts(tmp_path_factory.mktemp("plain"), None, of, FLATOUT_TRIAL=1, FLATOUT_STOP_AFTER=1000)


def close(found, wanted):
    assert found == pytest.approx(wanted)


def inside(part, group=0):
    return [rates[group] for rates in part["inside"]]


def ramp(k, updates, to):
    return [min(k, 1 + (k - 1) * n / updates) for n in range(1, to + 1)]


def test_batches_are_larger_and_an_epoch_has_the_same_samples(sized, plain):
    saw, was = sized.saw["shuffled"], plain.saw["shuffled"]
    assert was["lengths"] == [13, 13] and saw["lengths"] == [4, 4], "before the first iterator, too"
    assert saw["shapes"] == [16, 16, 16, 2] * 7 and saw["batch_size"] == 16
    assert saw["samples"] == was["samples"], "the sampler's order, cut into other batches"
    assert sized.ring.fact("loader")[4]["batch_size"] == 16, "so that samples are counted"
    assert sized.stderr == ""


def test_what_is_said_of_it(sized):
    words = [word for word in sized.words if word["knob"] == SIZE and word["applied"]]
    assert words[0] == {"knob": SIZE, "value": 16, "from": 4, "applied": True}
    # 4 batches an epoch: the ramp takes five epochs.
    assert words[1]["effect"] == "learning rate x4 (linear rule, SGD), ramped over 20 updates"
    effects = " ".join(word.get("effect", "") for word in words)
    assert "x2 (square root rule, Adam)" in effects and "as it was: no rule is known for Adagrad" in effects


def test_drop_last_stays_and_so_does_what_is_not_shuffled(sized):
    last, torchs, stream = (sized.saw[name] for name in ("drop_last", "torch's sampler", "stream"))
    assert last["shapes"] == [16] * 3 and last["drop_last"] is True
    assert last["lengths"] == [12, 3], "set with the first iterator"
    assert torchs["shapes"] == [16] * 3 and torchs["samples"] == list(range(48)) and torchs["batch_size"] is None
    assert stream["shapes"] == [16, 16, 16, 2] and stream["samples"] == list(range(50))


def test_workers_cut_the_same_batches(sized):
    saw = sized.saw["workers"]
    assert saw["shapes"] == [16, 16, 16, 2] * 2 and sorted(saw["samples"]) == sorted(2 * list(range(50)))


@pytest.mark.parametrize("kind, reason", [
    ("own sampler", "the batch sampler InHalves is the program's own"),
    ("unbatched", "the loader does not batch its samples (batch_size=None)"),
    ("small", "the loader has only 10 samples"),
])  # fmt: skip
def test_what_cannot_be_sized_says_why_and_is_left_alone(sized, kind, reason):
    said = [word["reason"] for word in sized.words if word["knob"] == SIZE and not word["applied"]]
    assert reason in said, said
    assert max(sized.saw[kind]["shapes"]) <= 4
    close(inside(sized.saw[kind]), OWN[: sized.saw[kind]["updates"]])


def test_training_loaders_of_different_sizes_are_left_out_but_one(sized):
    assert max(sized.saw["kept"]["shapes"]) == 16 and max(sized.saw["other size"]["shapes"]) == 5
    assert sized.knobs[SIZE]["applied"] and sized.knobs[SIZE]["loaders_left_out"] == 1


def test_a_shuffled_loader_that_evaluates_gets_its_own_size_back(sized):
    assert sized.saw["evaluate"] == {"shapes": [4] * 12 + [2], "batch_size": 4, "length": 13}


def test_the_rate_is_scaled_around_the_update_and_nowhere_else(sized):
    for name in OPTIMIZERS:
        part = sized.saw[name]
        # torch runs the hooks again where a step ends in its own class's.
        assert part["updates"] == (16 if name == "inside" else 8)
        close([rates[0] for rates in part["outside"]], OWN[:8])
        close(part["state"][:1], OWN[8:9])
    for name, factor in (("Adam", 2), ("AdamW", 2), ("tensor", 2), ("inside", 2), ("Adagrad", 1)):
        close(inside(sized.saw[name])[:: sized.saw[name]["updates"] // 8], [factor * own for own in OWN[:8]])
    for group, share in ((0, 1), (1, 0.1)):
        close(inside(sized.saw["groups"], group), [share * f * own for f, own in zip(ramp(4, 20, 8), OWN)])
    assert sized.saw["tensor"]["same_tensor"]


def test_a_grad_scaler_changes_nothing_of_it(sized):
    close(inside(sized.saw["scaler"]), [2 * own for own in OWN[:4]])
    close([rates[0] for rates in sized.saw["scaler"]["outside"]], OWN[:4])


def test_the_ramp_ends_at_the_full_rate(sized):
    close(inside(sized.saw["shuffled"]), [f * own for f, own in zip(ramp(4, 20, 28), OWN)])


def test_smaller_batches_have_a_smaller_rate_without_a_ramp(tmp_path):
    saw = parts(tmp_path, 2, {"": {}}).saw[""]
    assert saw["shapes"] == [2] * 25
    close(inside(saw), [own / 2 for own in OWN[:25]])


@pytest.mark.parametrize("way", ["positional", "keyword"])
def test_a_closure_sees_the_programs_own_rate_and_one_that_raises_leaves_it(sized, way):
    part = sized.saw[way]
    close([rates[0] for rates in part["closure"]], OWN[:4])
    close([rates[0] for rates in part["outside"]], OWN[:4])
    close(inside(part), [2 * own for own in OWN[:4]])


def test_the_same_training_bit_by_bit_as_with_the_size_in_the_script(sized, plain):
    """Of an optimizer for which no rule is known."""
    assert sized.saw["as edited"] == plain.saw["edited"]


def test_peak_memory_of_a_trial(sized, plain):
    facts = plain.ring.fact("memory")
    assert len(facts) == 7, "after 1, 2, 4, ... 64 of 99 updates"
    assert all(fact["host_peak_bytes"] > 50e6 and fact["host_data_bytes"] > 50e6 for fact in facts)
    assert "device_peak_bytes" not in facts[0], "no device: absent, not 0"
    assert not sized.ring.fact("memory"), "it is no trial"


def test_wrong_values_are_refused(knobs):
    wrong = importlib.import_module(f"{knobs.__name__}.batch_size").BatchSize.wrong
    assert wrong(1) is None and wrong(4096) is None
    for value in (0, -1, 2.5, "8", True, None, 1 << 40):
        assert "whole number" in wrong(value)
