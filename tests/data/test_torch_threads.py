"""engine="threads": the same batches, a bounded number ahead, and an end in every case."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

import torch_sets
from loader_threads import await_end
from flatout.torch import DataLoader
from flatout.torch import threads as threads_engine

PYTHON = Path(__file__).resolve().parents[2] / "python"


def made(dataset, **more):
    return DataLoader(dataset, engine="threads", **{"num_workers": 3, **more})


@pytest.mark.parametrize("shuffle", [False, True])
def test_same_batches(shuffle):
    torch.manual_seed(3)
    theirs = [torch_sets.epoch(loader) for loader in [torch.utils.data.DataLoader(torch_sets.Numbers(), 4, shuffle)] for _ in range(2)]
    drawn = torch.get_rng_state()
    torch.manual_seed(3)
    assert [torch_sets.epoch(loader) for loader in [made(torch_sets.Numbers(), batch_size=4, shuffle=shuffle)] for _ in range(2)] == theirs
    assert torch.equal(drawn, torch.get_rng_state())
    await_end()


class Gated(torch_sets.Numbers):
    """Counts what was begun; sample 0 waits for the word."""

    def __init__(self, size):
        super().__init__(size)
        self.begun = []
        self.word = threading.Event()

    def __getitem__(self, number):
        self.begun.append(number)
        if number == 0:
            assert self.word.wait(20)
        return number


def test_in_order_and_bounded_ahead():
    dataset = Gated(40)
    loader = made(dataset, num_workers=2, prefetch_factor=3)
    iterator = iter(loader)
    while len(dataset.begun) < 6:  # one thread stands at sample 0, the other goes on to the bound
        pass
    assert sorted(dataset.begun) == list(range(6))
    dataset.word.set()
    assert [batch.item() for batch in iterator] == list(range(40))


def test_timeout():
    dataset = Gated(4)
    iterator = iter(made(dataset, timeout=0.05))
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.05 seconds"):
        next(iterator)
    dataset.word.set()
    assert [batch.item() for batch in iterator] == [0, 1, 2, 3]


def test_an_error_has_the_threads_traceback_and_the_epoch_goes_on():
    iterator = iter(made(torch_sets.Holes(5, {1})))
    assert next(iterator).item() == 0
    with pytest.raises(OSError) as raised:
        next(iterator)
    assert "in DataLoader worker thread" in str(raised.value) and "file 1 is cut off" in str(raised.value)
    assert [batch.item() for batch in iterator] == [2, 3, 4]


def test_worker_init_fn():
    named = {}
    assert len(list(made(torch_sets.Numbers(5), worker_init_fn=lambda number: named.update({number: threading.current_thread().name})))) == 5
    await_end()
    assert named == {number: "flatout-loader-%d" % number for number in range(3)}

    def fails(number):
        raise KeyError("init")

    with pytest.raises(KeyError, match="init"):
        list(made(torch_sets.Numbers(5), worker_init_fn=fails))


def test_break_ends_the_threads():
    for _ in made(torch_sets.Numbers(1000)):
        break
    del _
    await_end()


def test_an_exception_of_the_program_ends_the_threads():
    def train():
        for _ in made(torch_sets.Numbers(1000)):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()
    await_end()


def test_a_forked_child_says_so():
    iterator = iter(made(torch_sets.Numbers(50)))
    next(iterator)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            next(iterator)
        except RuntimeError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert b"forked off since" in os.read(reader, 1000)
    os.close(reader), os.close(writer)
    assert len(list(iterator)) == 49


@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)", "1 / 0"])
def test_the_interpreter_ends(ending):
    program = ("import torch_sets, threading\nfrom flatout.torch import DataLoader\n"
               "it = iter(DataLoader(torch_sets.Numbers(10**6), engine='threads', num_workers=3))\nnext(it)\n" + ending)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(PYTHON), str(Path(__file__).parent)]))
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == {"": 0, "raise SystemExit(3)": 3, "1 / 0": 1}[ending], done.stderr
    assert "Fatal" not in done.stderr and ("ZeroDivision" in done.stderr) == (ending == "1 / 0")


def test_a_pool_lets_go_of_a_batch():
    made_by = []
    pool = threads_engine.Pool(lambda number, index: made_by.append(number) or [index], None, 2)
    assert [pool.order(index).get(timeout=20) for index in range(5)] == [[index] for index in range(5)]
    pool.end()
    pool.join(20)
    assert set(made_by) <= {0, 1} and not any(thread.is_alive() for thread in pool._threads)


def test_states_go_between_engines():
    ways = [{"engine": "threads", "num_workers": 3}, {}, {"num_workers": 2}]

    def loader(way):
        return DataLoader(torch_sets.Numbers(), batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(1), **way)

    expected = torch_sets.epoch(loader({}))
    for before in ways:
        for after in ways:
            taken = loader(before)
            for number, _ in enumerate(taken):
                if number == 1:
                    break
            resumed = loader(after)
            resumed.load_state_dict(taken.state_dict())
            assert torch_sets.epoch(resumed) == expected[2:]
    ended = loader(ways[0])
    torch_sets.epoch(ended)
    resumed = loader(ways[0])
    resumed.load_state_dict(ended.state_dict())
    assert torch_sets.epoch(resumed) == torch_sets.epoch(ended) != expected


def test_what_threads_cannot_do():
    with pytest.raises(ValueError, match="map-style datasets"):
        made(torch_sets.Stream())
    with pytest.raises(ValueError, match="multiprocessing_context unset"):
        made(torch_sets.Numbers(), multiprocessing_context="fork")
    loader = made(torch_sets.Counter())
    next(iter(loader))
    with pytest.raises(RuntimeError, match="use engine='torch'"):
        loader.state_dict()


def test_stats():
    loader = made(torch_sets.Numbers(), batch_size=4)
    torch_sets.epoch(loader)
    stats = loader.stats()
    assert (stats["engine"], stats["samples"], stats["batches"], stats["bad_samples"]) == ("threads", 23, 6, 0)
    assert stats["waiting_s"] > 0 and stats["fetching_s"] > 0
    for way in ({}, {"num_workers": 2}):
        loader = DataLoader(torch_sets.Numbers(), batch_size=4, **way)
        torch_sets.epoch(loader), torch_sets.epoch(loader)
        stats = loader.stats()
        assert (stats["samples"], stats["batches"], stats["first_bad_sample"]) == (46, 12, None) and stats["fetching_s"] > 0
