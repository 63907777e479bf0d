"""Ranks set a knob together or not at all, whatever each can do and whenever it comes."""

import importlib.util
import random
import threading
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "python/flatout/hooks/knobs/agreement.py"
spec = importlib.util.spec_from_file_location("agreement", FILE)
agreement = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agreement)


class Rank(agreement.Agreement):
    def __init__(self, folder, rank, ranks, patience_s=20.0):
        super().__init__(None, str(folder), patience_s)
        self.rank, self.ranks = rank, ranks

    def _place(self):
        return self.rank, self.ranks


def settled(folder, reasons, order, patience_s=20.0):
    """What each rank is told, started in that order; those not in it never come."""
    told = {}

    def ask(rank):
        told[rank] = Rank(folder, rank, len(reasons), patience_s).settle("a.knob", reasons[rank])

    threads = [threading.Thread(target=ask, args=(rank,)) for rank in order]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def test_ranks_always_decide_alike(tmp_path):
    random.seed(7)
    for trial in range(60):
        folder = tmp_path / str(trial)
        folder.mkdir()
        ranks = random.randint(2, 5)
        reasons = [random.choice([None, None, None, "no room"]) for _ in range(ranks)]
        told = settled(folder, reasons, random.sample(range(ranks), ranks))
        assert len(set(told.values())) == 1, (reasons, told)
        if any(reasons):
            assert told[0].endswith("no room") and told[0].startswith("rank ")
        else:
            assert told[0] is None


def test_one_that_never_comes_means_no_and_one_that_comes_late_hears_it(tmp_path):
    told = settled(tmp_path, [None, None, None], [0, 2], patience_s=0.05)
    assert len(set(told.values())) == 1 and "not all ranks" in told[0]
    assert Rank(tmp_path, 1, 3).settle("a.knob", None) == told[0]
    # Another knob is another question, and what was settled is not asked again.
    rank = Rank(tmp_path, 0, 1)
    assert rank.settle("other.knob", None) is None
    assert rank.settle("other.knob", "another loader cannot") == "another loader cannot"


def test_what_one_takes_back_later_is_taken_from_all(tmp_path):
    ranks = [Rank(tmp_path, rank, 2) for rank in range(2)]
    first = threading.Thread(target=lambda: ranks[0].hold("a.knob", None))
    first.start()
    assert ranks[1].hold("a.knob", None) is None
    first.join()
    assert ranks[0].hold("a.knob", None) is None, "nothing has changed"
    assert ranks[1].hold("a.knob", "it overflows") == "rank 1: it overflows"
    for _ in range(2):
        assert ranks[0].hold("a.knob", None) == "rank 1: it overflows"
    # Of a loader it is not: another loader of the same rank may be fit for it.
    assert ranks[0].hold("no.knob", "no") == "rank 0: no" == ranks[1].settle("no.knob", None)


def test_a_rank_that_goes_its_own_way_is_waited_for_once(tmp_path):
    rank = Rank(tmp_path, 0, 2, patience_s=3600)
    rank._verdict = lambda *_: None
    began = [0.0]

    def clock():
        began[0] += 1000.0
        return began[0]

    real, agreement.time.monotonic = agreement.time.monotonic, clock
    try:
        assert "not all ranks" in rank.hold("a.knob", None)
    finally:
        agreement.time.monotonic = real
    assert rank.patience_s == 1.0 and "within 1 s" in rank.hold("b.knob", None)


def test_one_process_alone_asks_nobody(monkeypatch):
    for name in ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Torch.distributed, "get_world_size", staticmethod(lambda: 1))
    alone = agreement.Agreement(Torch, "/nowhere")
    assert alone.alone() and alone.hold("a.knob", None) is None and alone.hold("a.knob", "no") == "no"
    assert alone.hold("a.knob", None) is None, "what was said before binds nobody"
    assert agreement.Alone().alone() and agreement.Alone().hold("a.knob", "no") == "no"


def test_a_folder_that_is_gone_means_no(tmp_path):
    assert "could not agree" in Rank(tmp_path / "gone", 0, 2).settle("a.knob", None)


class Torch:
    class distributed:
        is_available = staticmethod(lambda: True)
        is_initialized = staticmethod(lambda: True)
        get_world_size = staticmethod(lambda: 2)
        get_rank = staticmethod(lambda: 1)


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"LOCAL_RANK": "3", "LOCAL_WORLD_SIZE": "4", "MASTER_ADDR": "other"}, (3, 4)),
        ({"LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}, None),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"}, (1, 2)),
        ({"MASTER_ADDR": "127.0.0.1"}, (1, 2)),
        ({"MASTER_ADDR": "10.0.0.7"}, None),  # who runs here is not known
        ({"LOCAL_RANK": "x", "LOCAL_WORLD_SIZE": "-2"}, None),
    ],
)
def test_where_a_rank_runs(monkeypatch, variables, place):
    for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert agreement.Agreement(Torch, "")._place() == place
