"""What PyTorch's allocator is asked, and what is written of it, on a made-up torch; no GPU is needed or used."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from ring import UNKNOWN_COUNT, Allocator, read_rings

PROGRAM = Path(__file__).parent / "programs/allocator_programs.py"
GB = 10**9


def run(name):
    """(samples, problems, devices that the allocator was asked for, what the program said) of one of the programs."""
    done = subprocess.run([sys.executable, str(PROGRAM), name], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    *said, folder, asked = done.stdout.splitlines()
    rings = read_rings(folder)
    problems = [fact["problem"] for ring in rings for fact in ring.fact("problem")]
    return [sample for ring in rings for sample in ring.allocators], problems, json.loads(asked), "".join(said).strip()


def test_what_it_says_is_written_as_it_is():
    samples, problems, asked, _ = run("says_its_figures")
    assert samples == [
        Allocator(0, 2 * GB, 3 * GB, 2 * GB + 1, 3 * GB + 2, retries=4, ooms=5),
        Allocator(0, 0, 0, 1, 2, retries=4, ooms=5),
    ]
    assert asked == [0, 0] and problems == []


def test_an_allocator_that_counts_nothing_is_no_0():
    samples, problems, asked, _ = run("nothing_is_counted")
    assert samples == [] and problems == [] and asked == [0, 0, 0]


def test_it_is_not_asked_before_cuda_is_started():
    samples, _, asked, said = run("cuda_was_not_started")
    assert said == "[]" and asked == [0] and len(samples) == 1


@pytest.mark.parametrize("name", ["did_not_train", "another_backend", "release_without_the_call", "build_without_cuda"])
def test_it_is_left_alone(name):
    assert run(name) == ([], [], [], "")


def test_an_older_release_has_it_too_and_what_that_lacks_is_not_known():
    ((sample,), problems, _, _) = run("release_that_names_no_backend")
    assert (sample.allocated, sample.reserved, sample.retries, sample.ooms) == (1, 2, 0, UNKNOWN_COUNT)
    assert problems == []


@pytest.mark.parametrize(
    "name, why",
    [
        ("release_that_counts_in_another_way", "this release of PyTorch counts it in another way"),
        ("raises", "RuntimeError: Invalid device argument"),
    ],
)
def test_what_fails_says_so_once_and_is_switched_off(name, why):
    samples, problems, asked, _ = run(name)
    assert samples == [] and asked == [0]
    assert problems == ["the memory of PyTorch's allocator is missing from here on: " + why]


def test_an_interrupt_of_the_program_reaches_it():
    samples, problems, _, said = run("interrupted")
    assert said == "interrupted" and len(samples) == 1 and problems == []


def test_devices_that_are_not_used_are_seldom_asked_and_never_named():
    samples, _, asked, _ = run("one_of_four_devices")
    assert {sample.device for sample in samples} == {2} and len(samples) == 20
    assert asked.count(2) == 20 and asked.count(0) == asked.count(1) == asked.count(3) == 2


def test_a_forked_child_asks_nothing():
    samples, _, asked, _ = run("forked")
    assert len(samples) == 2 and asked == [0, 0]


def test_it_is_asked_once_more_where_the_interpreter_ends():
    samples, _, asked, _ = run("the_end")
    assert samples[0] == Allocator(0, 1, 2, 2, 4, 0, 0) and asked[0] == 0
