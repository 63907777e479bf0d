"""The real process of a peer: answers, errors, death, pausing; and a whole small run with torch and Pillow."""

import json
import os
import sys

import loaders
import make_set
import pytest
from loaderbench import adapters, check_set, peer_link, process_tree


@pytest.fixture
def link(tmp_path):
    made = []

    def start(name):
        with open(tmp_path / "log", "a") as log:
            made.append(peer_link.PeerLink(name, sys.executable, log, os.sched_getaffinity(0)))
        return made[-1]

    yield start
    for one in made:
        one.end()


def test_a_peer_that_is_not_there_says_what_is_missing(link):
    started = link("grain").ask("start", cores=2)
    assert started["why_not"].startswith("import ")
    assert started["thread_counts"] == [2, 3]


def test_an_exception_of_a_peer_is_its_answer(link, tmp_path):
    peer = link("dali")
    with pytest.raises(peer_link.PeerFailed, match="open: FileNotFoundError"):
        peer.ask("open", folder=str(tmp_path / "none"), packed="", batch_size=2, threads=1, seed=0)
    assert peer.ask("close") == {}, "it is still there"


def test_a_peer_that_dies_is_said_to_have_died(link):
    peer = link("torch-pil")
    os.kill(peer.process.pid, 9)
    with pytest.raises(peer_link.PeerFailed, match="exit status -9"):
        peer.ask("start", cores=1)


def test_a_paused_peer_gives_no_answer_until_it_goes_on(link):
    peer = link("torch-pil")
    peer.ask("close")
    peer.pause()
    with pytest.raises(peer_link.PeerFailed, match="no answer in time"):
        peer.ask("close", limit_s=0.2)
    assert (process_tree.tree(peer.process.pid)) and open(f"/proc/{peer.process.pid}/stat").read().rpartition(")")[2].split()[0] == "T"
    peer.go_on()
    assert peer.ask("close") == {}


@pytest.mark.parametrize("name", adapters.NAMES)
def test_every_adapter_can_be_asked(name):
    adapter = adapters.load(name)
    assert adapter.name == name and adapter.modules and all(isinstance(text, str) for text in adapter.differs)
    assert all(count > 0 for count in adapter.thread_counts(1) + adapter.thread_counts(8))


def test_a_small_run_writes_what_it_measured(tmp_path, monkeypatch, real_check_set):
    monkeypatch.setattr(loaders, "WORK", tmp_path)
    (tmp_path / "check-set").symlink_to(real_check_set)
    folder = tmp_path / "set"
    make_set.make(folder, 40, 0, 1)
    assert loaders.main(["--only", "torch-pil", "grain", "--epochs", "2", "--starts", "1", "--batch-size", "16", "--folder", str(folder),
                         "--json", str(tmp_path / "out.json"), "--peers", str(tmp_path / "none"), "--threads", "1",
                         "--out", str(tmp_path / "page.md"), "--consumer-rate", "400"]) == 0
    result = json.loads((tmp_path / "out.json").read_text())
    peer = result["peers"]["torch-pil"]
    assert peer["why_not"] is None and peer["checked"] == check_set.PICTURES
    assert [epoch["samples"] for epoch in peer["epochs"]] == [40]
    assert peer["epochs"][0]["cpu_ns"] > 0 and peer["peak_pss_bytes"] > peer["ready_pss_bytes"] // 2
    page = (tmp_path / "page.md").read_text()
    assert "| torch-pil |" in page and "**grain**: import" in page
