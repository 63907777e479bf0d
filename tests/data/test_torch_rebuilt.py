"""flatout.torch.DataLoader in the hands of libraries that build loaders anew: nothing of it is lost without a word."""

import warnings

import pytest
import torch.utils.data
from torch.utils.data import SequentialSampler

from flatout.torch import DataLoader
from torch_sets import Numbers

CASES = [
    ({"engine": "threads", "num_workers": 1}, "engine='threads'"),
    ({"on_bad_sample": "skip"}, "on_bad_sample='skip'"),
    ({"engine": "auto", "cache": "encoded", "on_bad_sample": "replace"}, "engine='auto', on_bad_sample='replace', cache='encoded'"),
]


def prepared(loader):
    """What accelerate makes of it, and what it is warned of."""
    import accelerate

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = accelerate.Accelerator(cpu=True).prepare(loader)
    return made, [one for one in said if "flatout" in str(one.message)]


@pytest.mark.parametrize("arguments, lost", CASES)
def test_accelerate_says_what_it_leaves_out(arguments, lost):
    made, said = prepared(DataLoader(Numbers(7), batch_size=2, **arguments))
    assert [batch.tolist() for batch in made] == [[0, 1], [2, 3], [4, 5], [6]]
    assert len(said) == 1 and lost in str(said[0].message) and "accelerate" in str(said[0].message)
    assert said[0].filename == __file__


@pytest.mark.parametrize("kind", [DataLoader, torch.utils.data.DataLoader])
def test_accelerate_says_nothing_where_nothing_is_lost(kind):
    _made, said = prepared(kind(Numbers(7), batch_size=2))
    assert said == []


@pytest.mark.parametrize("arguments, _lost", CASES)
def test_lightning_keeps_all(arguments, _lost):
    from lightning_fabric.utilities import data

    loader = DataLoader(Numbers(7), batch_size=2, snapshot_every_n_steps=3, **arguments)
    made = data._update_dataloader(loader, SequentialSampler(range(4)))
    assert type(made) is DataLoader and made is not loader
    for name in ("engine", "on_bad_sample", "cache", "snapshot_every_n_steps", "num_workers"):
        assert getattr(made, name) == getattr(loader, name)
    assert [batch.tolist() for batch in made] == [[0, 1], [2, 3]]


def test_the_context_is_set_and_read_as_torchs():
    loader = DataLoader(Numbers(7), num_workers=1, multiprocessing_context="spawn")
    assert loader.multiprocessing_context.get_start_method() == "spawn"
    with pytest.raises(ValueError, match="num_workers"):
        DataLoader(Numbers(7), multiprocessing_context="spawn")
