"""A whole run over pretended peers: turns, discarded epochs, peers that fail."""

import types
from pathlib import Path

import pytest
from fakes import Link, answered_epoch, started
from loaderbench import schedule
from loaderbench.peer_link import PeerFailed


class NoMemory:
    peak_bytes, peak_file_bytes = 10**8, 10**7

    def __init__(self, pid):
        pass

    def sample(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def settings(**changed):
    return types.SimpleNamespace(**{"folder": Path("/set"), "check_folder": Path("/check"), "packed": Path("/packed"), "images": 640,
                                    "batch_size": 64, "epochs": 4, "starts": 2, "seed": 0, "cores": 2, "consumer_rate": None,
                                    "consumer_share": 0.8, "threads": None, **changed})


def measured(peers, **changed):
    """({name: known}, log) of a run over {name: Link's arguments}."""
    log = []
    run = schedule.Run(lambda name: Link(name, log, **peers[name]), settings(**changed), say=lambda _: None, peak_memory=NoMemory)
    return run.measure(list(peers)), log


def test_a_run():
    peers, log = measured({"a": {"wall_ns": 10**9}, "b": {"wall_ns": 2 * 10**9}})
    assert [len(peer["epochs"]) for peer in peers.values()] == [3, 3]
    assert [epoch["round"] for epoch in peers["a"]["epochs"]] == [1, 2, 3]
    assert peers["a"]["discarded"]["samples"] == 640
    assert len(peers["a"]["start_s"]) == 2
    assert peers["a"]["start_s"][0] == pytest.approx({"from_ready": 0.2, "from_start": 2.2})
    assert peers["b"]["consumer"]["step_ns"] == round(64 / (0.8 * 640) * 1e9)  # of the faster one's rate


def test_who_is_measured_first_changes_and_the_others_stand_still():
    _, log = measured({"a": {"wall_ns": 10**9}, "b": {"wall_ns": 10**9}})
    epochs = [entry for entry in log if entry[1] in ("epoch", "pause", "go on")]
    first_round = epochs.index(("b", "go on"))
    turns = [name for name, what in epochs[first_round:] if what == "go on"]
    assert turns[:6] == ["b", "a", "a", "b", "b", "a"]
    running = set()
    for name, what in epochs[first_round:first_round + 18]:
        running |= {name} if what == "go on" else set()
        assert running <= {name}, "two peers ran at a time"
        running -= {name} if what == "pause" else set()


def test_the_fastest_count_of_threads_is_taken():
    log, count = [], []

    def opened(order):
        count.append(order["threads"])
        return {"opened_ns": 0}

    answers = {"start": started(thread_counts=[1, 2, 3]), "open": opened,
               "epoch": lambda order: answered_epoch(640, {1: 3, 2: 1, 3: 2}[count[-1]] * 10**9)}
    run = schedule.Run(lambda name: Link(name, log, 1, answers=answers), settings(), say=lambda _: None, peak_memory=NoMemory)
    known = run.measure(["a"])["a"]
    assert known["threads"] == 2
    assert known["searched"]["2"] == pytest.approx(640, rel=0.01) and known["searched"]["1"] < known["searched"]["3"]


FAILING = {
    "is not installed": ({"start": started(why_not="import x: no")}, "import x: no"),
    "fails its check": ({"check": {"problems": ["epoch 1: 3 samples were lost"], "samples": 266}}, "3 samples were lost"),
    "cannot write its file": ({"prepare": PeerFailed("prepare: disk full")}, "disk full"),
    "dies at the first epoch": ({"epoch": PeerFailed("epoch: the process died, exit status -11")}, "-11"),
}


@pytest.mark.parametrize("how", FAILING)
def test_a_peer_that_fails_is_named_and_the_others_are_measured(how):
    answers, words = FAILING[how]
    peers, log = measured({"bad": {"wall_ns": 1, "answers": answers}, "good": {"wall_ns": 10**9}})
    assert words in peers["bad"]["why_not"]
    assert peers["good"]["why_not"] is None and len(peers["good"]["epochs"]) == 3
    assert [what for name, what in log if name == "bad"].count("end") == [what for name, what in log if name == "bad"].count("start")


@pytest.mark.parametrize("samples", [639, 641, 704])
def test_an_epoch_that_loses_or_repeats_samples_is_no_measurement(samples):
    peers, _ = measured({"bad": {"wall_ns": 10**9, "samples": samples}, "good": {"wall_ns": 10**9}})
    assert peers["bad"]["why_not"] == f"an epoch gave {samples} samples of 640"
    assert peers["good"]["why_not"] is None


def test_a_peer_that_dies_later_is_out_with_its_reason():
    calls = []

    def epoch(order):
        calls.append(order)
        return answered_epoch(640, 10**9) if len(calls) < 3 else PeerFailed("epoch: no answer in time")

    peers, log = measured({"bad": {"wall_ns": 1, "answers": {"epoch": epoch}}, "good": {"wall_ns": 10**9}})
    assert peers["bad"]["why_not"] == "epoch: no answer in time"
    assert len(peers["good"]["epochs"]) == 3
    assert [what for name, what in log if name == "bad"][-1] == "end"
