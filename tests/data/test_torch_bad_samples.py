"""on_bad_sample, in every way of reading."""

import pytest
import torch

import torch_sets
from flatout.torch import DataLoader

WAYS = [{}, {"num_workers": 2}, {"num_workers": 2, "engine": "threads"}]


def run(policy, way, bad={3, 4, 9}, size=12, batch_size=3):
    loader = DataLoader(torch_sets.Holes(size, bad), batch_size=batch_size, on_bad_sample=policy, **way)
    with pytest.warns(RuntimeWarning, match=r"sample \d+ cannot be read: OSError: file \d+ is cut off"):
        batches = torch_sets.epoch(loader)
    return batches, loader.stats()


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_skip(way):
    batches, stats = run("skip", way)
    assert batches == [[0, 1, 2], [5], [6, 7, 8], [10, 11]]
    assert (stats["bad_samples"], stats["samples"], stats["batches"]) == (3, 9, 4)
    assert "file" in stats["first_bad_sample"]["error"] and "__getitem__" in stats["first_bad_sample"]["traceback"]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_replace(way):
    batches, stats = run("replace", way)
    assert batches == [[0, 1, 2], [5, 5, 5], [6, 7, 8], [10, 10, 11]]
    assert stats["bad_samples"] == 4, "sample 4 was also tried in place of 3"


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_batch_without_a_good_sample_is_no_batch(way):
    batches, stats = run("skip", way, bad={3, 4, 5})
    assert batches == [[0, 1, 2], [6, 7, 8], [9, 10, 11]] and stats["batches"] == 3
    assert run("skip", way, bad={0, 1}, size=4, batch_size=None)[0] == [2, 3]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_good_sample_at_all(way):
    batches, stats = run("skip", way, bad=set(range(6)), size=6)
    assert batches == [] and stats["bad_samples"] == 6
    with pytest.raises(RuntimeError, match="cannot be read; the first error was OSError"):
        run("replace", dict(way, num_workers=0), bad=set(range(6)), size=6)


def test_the_last_one_is_replaced_by_the_first():
    assert run("replace", {}, bad={11})[0][-1] == [9, 10, 0]


@pytest.mark.parametrize("workers", [0, 2])
def test_resumed(workers):
    expected, _ = run("skip", {})
    loaders = [DataLoader(torch_sets.Holes(12, {3, 4, 9}), batch_size=3, on_bad_sample="skip", num_workers=workers) for _ in range(2)]
    with pytest.warns(RuntimeWarning):
        iterator = iter(loaders[0])
        assert [next(iterator).tolist() for _ in range(2)] == expected[:2]
        loaders[1].load_state_dict(loaders[0].state_dict())
        assert torch_sets.epoch(loaders[1]) == expected[2:]


@pytest.mark.parametrize("workers", [0, 1])
def test_iterable(workers):
    dataset = torch_sets.Taped(20)
    dataset.bad = {2, 7}
    loader = DataLoader(dataset, batch_size=4, num_workers=workers, on_bad_sample="skip", collate_fn=torch_sets.plain)
    with pytest.warns(RuntimeWarning):
        assert [[sample[0] for sample in batch] for batch in loader] == [[0, 1, 3, 4], [5, 6, 8, 9]]


def test_a_generator_that_fails_is_at_its_end():
    class Fails(torch_sets.Stream):
        def __iter__(self):
            yield 1
            raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        list(DataLoader(Fails(), on_bad_sample="skip"))


def test_only_reading_a_sample_may_fail():
    def fails(samples):
        raise TypeError("collate")

    for way in WAYS:
        with pytest.raises(TypeError, match="collate"):
            list(DataLoader(torch_sets.Numbers(3), collate_fn=fails, on_bad_sample="skip", **way))


def test_samples_that_are_read_together():
    class Together(torch_sets.Holes):
        def __getitems__(self, numbers):
            return [self[number] for number in numbers]

    loader = DataLoader(Together(6, {1}), batch_size=3, on_bad_sample="skip")
    with pytest.warns(RuntimeWarning):
        assert torch_sets.epoch(loader) == [[0, 2], [3, 4, 5]]


def test_wrong_words():
    with pytest.raises(ValueError, match="on_bad_sample should be one of 'raise', 'skip', 'replace'"):
        DataLoader(torch_sets.Numbers(), on_bad_sample="ignore")
    with pytest.raises(ValueError, match="engine should be one of"):
        DataLoader(torch_sets.Numbers(), engine="fast")
    assert DataLoader(torch_sets.Numbers(), engine="auto").stats()["engine"] == "torch"
    assert isinstance(next(iter(DataLoader(torch_sets.Numbers(), engine="auto"))), torch.Tensor)
