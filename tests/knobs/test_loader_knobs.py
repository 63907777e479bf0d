"""Loader knobs of a plan in an unmodified program on real PyTorch."""

import json

import pytest
import torch
from planned import train

WORKERS = "dataloader.num_workers"
PREFETCH = "dataloader.prefetch_factor"
PERSISTENT = "dataloader.persistent_workers"
PIN = "dataloader.pin_memory"
OWN = [0, None, False, False]  # num_workers, prefetch_factor, persistent_workers, pin_memory


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return train(tmp_path_factory.mktemp("rings"), loader={"shuffle": True})


def refused(seen, knob, part):
    word = seen.knobs[knob]
    return not word["applied"] and part in word["reason"]


def test_without_a_plan_no_knob_runs(plain):
    assert plain.words == [] and plain.workers == [0, 0]
    assert plain.saw["loader"] == OWN and plain.saw["modules"] == []


def test_workers_fetch_the_same_samples_and_the_training_is_the_same_bit_by_bit(tmp_path, plain):
    seen = train(tmp_path, {WORKERS: 2}, loader={"shuffle": True})
    assert seen.words == [{"knob": WORKERS, "value": 2, "from": 0, "applied": True}]
    assert seen.workers == [2, 2] and plain.saw["processes"] == {"train": 0, "eval": 0}
    assert seen.saw["processes"]["train"] == 4, "new workers in each epoch"
    assert seen.saw["loader"] == [2, 2, False, False]
    for same in ("losses", "order", "random"):
        assert seen.saw[same] == plain.saw[same], same
    assert seen.stderr == "" and not seen.ring.fact("problem")


def test_workers_and_how_far_they_work_ahead(tmp_path):
    seen = train(tmp_path, {PREFETCH: 4, WORKERS: 1})
    assert seen.knobs[WORKERS]["applied"] and seen.knobs[PREFETCH]["applied"]
    assert seen.saw["loader"] == [1, 4, False, False] and seen.workers == [1, 1]


def test_prefetch_alone_needs_the_programs_own_workers(tmp_path):
    without = train(tmp_path / "a", {PREFETCH: 4})
    assert refused(without, PREFETCH, "no workers") and without.saw["loader"] == OWN
    own = train(tmp_path / "b", {PREFETCH: 4}, loader={"num_workers": 1})
    assert own.knobs[PREFETCH] == {"knob": PREFETCH, "value": 4, "from": 2, "applied": True}
    assert own.saw["loader"] == [1, 4, False, False]


def test_no_workers_where_the_program_had_some(tmp_path):
    mine = {"num_workers": 2, "prefetch_factor": 3, "persistent_workers": True, "timeout": 60}
    seen = train(tmp_path, {WORKERS: 0}, loader=mine)
    assert seen.words == [{"knob": WORKERS, "value": 0, "from": 2, "applied": True}]
    assert seen.workers == [0, 0] and seen.saw["processes"]["train"] == 0
    assert seen.saw["loader"] == OWN


def test_none_stays_as_it_was_where_worker_init_fn_would_be_lost(tmp_path):
    seen = train(tmp_path, {WORKERS: 0}, dataset="ShardedAtStart", init=True, loader={"num_workers": 2})
    assert refused(seen, WORKERS, "worker_init_fn") and seen.workers == [2, 2]


def test_persistent_workers_live_over_two_epochs(tmp_path):
    seen = train(tmp_path, {WORKERS: 2, PERSISTENT: True}, epochs=3)
    assert seen.knobs[PERSISTENT] == {"knob": PERSISTENT, "value": True, "from": False, "applied": True}
    assert seen.saw["processes"]["train"] == 2 and seen.workers == [2, 2, 2]
    assert seen.saw["order"] == 3 * list(range(24))


def test_persistent_workers_shuffle_later_epochs_as_without_them(tmp_path):
    shuffled = {"loader": {"shuffle": True}, "epochs": 3}
    plain = train(tmp_path / "plain", **shuffled)
    seen = train(tmp_path / "planned", {WORKERS: 2, PERSISTENT: True}, **shuffled)
    assert seen.saw["processes"]["train"] == 2
    for same in ("losses", "order", "random"):
        assert seen.saw[same] == plain.saw[same], same


def test_the_programs_own_persistent_workers_draw_as_ever(tmp_path):
    own = {"loader": {"shuffle": True, "num_workers": 2, "persistent_workers": True}, "epochs": 3}
    plain = train(tmp_path / "plain", **own)
    seen = train(tmp_path / "planned", {WORKERS: 1, PERSISTENT: True}, **own)
    assert seen.workers == [1, 1, 1] and seen.saw["order"] == plain.saw["order"]


def test_persistent_workers_of_the_programs_own_can_be_ended(tmp_path):
    seen = train(tmp_path, {PERSISTENT: False}, loader={"num_workers": 1, "persistent_workers": True})
    assert seen.knobs[PERSISTENT]["applied"] and seen.saw["processes"]["train"] == 2


def test_persistent_workers_need_workers_and_a_dataset_without_epochs(tmp_path):
    assert refused(train(tmp_path / "a", {PERSISTENT: True}), PERSISTENT, "no workers")
    seen = train(tmp_path / "b", {PERSISTENT: True}, dataset="Epochs", loader={"num_workers": 1})
    assert refused(seen, PERSISTENT, "set_epoch") and seen.saw["processes"]["train"] == 2


def test_pinning_needs_a_cuda_device(tmp_path):
    seen = train(tmp_path, {PIN: True})
    assert refused(seen, PIN, "CUDA") and seen.saw["loader"] == OWN
    assert seen.stderr == "", "torch warns where it is told to pin without a device"


@pytest.mark.parametrize("way", ["without_gradients", "in_eval_mode"])
def test_evaluation_keeps_the_programs_own_loader(tmp_path, way):
    seen = train(tmp_path, {WORKERS: 1, PERSISTENT: True}, evaluate=way)
    assert seen.workers == [1, 0, 1, 0]
    assert seen.saw["held_out"] == OWN and seen.saw["processes"]["eval"] == 0


def test_a_loader_that_only_evaluates_gets_its_own_arguments_back(tmp_path):
    """It is drawn under gradients before the program's model was ever seen to train."""
    seen = train(tmp_path, {WORKERS: 1}, evaluate_first=True, evaluate="in_eval_mode", epochs=3)
    assert seen.workers == [1, 1, 0, 1, 0, 1, 0]
    assert seen.saw["held_out"] == OWN and seen.saw["loader"] == [1, 2, False, False]
    assert seen.knobs[WORKERS] == {"knob": WORKERS, "value": 1, "from": 0, "applied": True}


def test_what_the_program_sets_later_is_its_own_and_is_replaced_too(tmp_path):
    seen = train(tmp_path, {WORKERS: 2}, resized_at=1)
    assert seen.workers == [2, 2]
    assert [word["from"] for word in seen.words] == [0, 1]


def test_also_where_the_model_never_leaves_training_mode(tmp_path):
    seen = train(tmp_path, {WORKERS: 1}, evaluate="with_gradients", epochs=4)
    assert seen.workers == [1, 1, 1, 1, 1, 0, 1, 0], "two rounds that fed no training, then it is judged"
    assert seen.saw["held_out"] == OWN and seen.knobs[WORKERS]["applied"]


def test_a_training_loader_that_is_also_evaluated_keeps_the_knob(tmp_path):
    seen = train(tmp_path, {WORKERS: 1, PERSISTENT: True}, evaluate="on_the_training_data")
    assert seen.workers == [1, 1, 1, 1] and seen.saw["processes"]["train"] == 1


@pytest.mark.parametrize("kind", ["Stream", "UnshardedPipe"])
def test_refused_where_each_sample_would_come_twice(tmp_path, kind):
    seen = train(tmp_path, {WORKERS: 2}, dataset=kind)
    assert refused(seen, WORKERS, "does not divide") and seen.workers == [0, 0]
    assert seen.saw["loader"] == OWN and seen.saw["order"] == 2 * list(range(24))


@pytest.mark.parametrize(
    ("kind", "more"), [("ShardedByAFunction", {}), ("ShardedAtStart", {"init": True}), ("ShardedPipe", {})]
)
def test_an_iterable_dataset_that_divides_its_samples_gives_each_once(tmp_path, kind, more):
    seen = train(tmp_path, {WORKERS: 2}, dataset=kind, epochs=1, **more)
    assert seen.knobs[WORKERS]["applied"] and seen.workers == [2]
    assert sorted(seen.saw["order"]) == list(range(24))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.every_change("spawn")
def test_other_start_methods_take_workers_where_the_parts_pickle_by_name(tmp_path, method):
    seen = train(tmp_path / "a", {WORKERS: 2}, start_method=method, epochs=1)
    assert seen.knobs[WORKERS]["applied"] and seen.workers == [2]
    assert seen.saw["order"] == list(range(24))
    seen = train(tmp_path / "b", {WORKERS: 2}, dataset="Lambda", start_method=method, epochs=1)
    assert refused(seen, WORKERS, "cannot be pickled") and seen.workers == [0]


def test_too_little_shared_memory_is_seen_before_a_worker_starts(tmp_path):
    seen = train(tmp_path, {WORKERS: 1024, PREFETCH: 1024}, dataset="Tensors", loader={"batch_size": 10**9})
    assert refused(seen, WORKERS, "/dev/shm is too small") and seen.workers == [0, 0]


def test_a_program_without_a_training_loader_hears_so(tmp_path):
    seen = train(tmp_path, {WORKERS: 2}, program="by_hand.py")
    assert refused(seen, WORKERS, "no training loader")


def test_draws_of_a_fetch_are_told_in_a_trial(tmp_path):
    """Whether workers would change the program's random draws."""
    trial = {"FLATOUT_TRIAL": "1"}
    for kind, drew in (("Plain", False), ("Drawing", True)):
        seen = train(tmp_path / kind, environment=trial, dataset=kind)
        assert seen.ring.fact("draws") == [{"loader": 1, "fetch_draws": drew}]
        untold = train(tmp_path / (kind + "2"), dataset=kind)
        assert untold.ring.fact("draws") == []
        assert seen.saw["losses"] == untold.saw["losses"], "looking draws nothing"
    worked = train(tmp_path / "w", {WORKERS: 1}, environment=trial, dataset="Drawing")
    assert all(ring.fact("draws") == [] for ring in worked.rings), "a worker has a random stream of its own"


class Native:
    """In the place of the native module, while nothing has been trained yet."""

    def __init__(self):
        self.facts = []

    def fact(self, _key, text):
        self.facts.append(json.loads(text))

    def loader_fed_training(self, _number):
        return None


class Stubborn(torch.utils.data.DataLoader):
    def __setattr__(self, name, value):
        if name == "num_workers" and value == 2:
            raise RuntimeError("not here")
        super().__setattr__(name, value)


class Endless(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(int, 1)


def test_over_several_loaders_one_that_takes_it_counts_and_the_others_are_told(knobs):
    native = Native()
    plan = knobs.Knobs(native, torch, json.dumps({WORKERS: 2}))
    plan.words.installed()
    loaders = [torch.utils.data.DataLoader(Endless()), torch.utils.data.DataLoader([1, 2]), Stubborn([1, 2])]
    for loader in loaders:
        plan.loaders.before_iterator(loader, None)
    assert [loader.num_workers for loader in loaders] == [0, 2, 0]
    first, second, third = native.facts
    assert not first["applied"] and "does not divide" in first["reason"] and first["most"] == 1
    assert second == {"knob": WORKERS, "value": 2, "from": 0, "applied": True, "loaders_left_out": 1}
    assert third == {**second, "loaders_left_out": 2}


def test_an_error_inside_a_knob_is_a_reason(knobs):
    native = Native()
    plan = knobs.Knobs(native, torch, json.dumps({WORKERS: 2, PREFETCH: 3}))
    plan.words.installed()
    plan.loaders.before_iterator(Stubborn([1, 2]), None)
    reasons = [fact["reason"] for fact in native.facts]
    assert reasons == ["setting it failed: RuntimeError: not here", "the loader has no workers"]
