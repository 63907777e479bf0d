"""Steps and phases of the zoo's truth, on made-up marks and operations in microseconds."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import observe  # noqa: E402  (puts the folders of the others on the path)
from cut import boundaries, segments, shares, steps_of  # noqa: E402
from truth import Operation  # noqa: E402


def operation(kind, enqueued, start, end):
    fields = dict.fromkeys(Operation.__dataclass_fields__, 0)
    return Operation(**{**fields, "kind": kind, "enqueued_ns": enqueued, "start_ns": start, "end_ns": end})


def marks(folder, spans, loader, end):
    path = folder / "marks.json"
    path.write_text(json.dumps({"loader": loader, "spans": spans, "facts": {"end_ns": end}}))
    return path


def step(at, *names):
    """Spans of 10 one after the other, from `at` on."""
    return [(name, at + 10 * i, at + 10 * (i + 1)) for i, name in enumerate(names)]


TRAINING = ("forward", "backward", "optimizer")


def test_with_a_loader_draws_close_steps_and_an_evaluation_is_in_none(tmp_path):
    spans = [*step(0, "data_wait", *TRAINING), ("eval", 40, 90), *step(90, "data_wait", *TRAINING), ("epoch_end", 130, 140)]
    first, second = steps_of(marks(tmp_path, spans, True, 200), [])
    assert (first.begin_ns, first.end_ns, first.own_ns) == (0, 90, 40)
    assert (second.begin_ns, second.end_ns, second.own_ns) == (90, 130, 40)
    assert shares([first, second])["data_wait"] == 0.25


def test_without_a_loader_forwards_close_them_and_the_last_one_lasts_to_the_end():
    spans = [*step(0, *TRAINING), *step(40, "forward", "forward", "backward", "optimizer")]
    assert boundaries(spans, False, 100) == [0, 40, 100]


def test_each_replay_is_a_step():
    assert boundaries(step(0, "replay", "replay", "replay"), False, 40) == [0, 10, 20, 40]


def test_the_innermost_span_owns_the_time():
    spans = [("optimizer", 10, 50), ("wait", 20, 30)]
    assert segments(spans, 0, 60) == [
        ("other", 0, 10), ("optimizer", 10, 20), ("wait", 20, 30), ("optimizer", 30, 50), ("other", 50, 60)
    ]  # fmt: skip


@pytest.mark.parametrize("name, expected", [("copy", {"sync": 25, "h2d": 15, "other": 10}), ("copy_async", {"other": 50})])
def test_a_copy_waits_until_the_device_comes_to_it(tmp_path, name, expected):
    spans = [*step(0, *TRAINING), (name, 30, 80)]
    (only,) = steps_of(marks(tmp_path, spans, False, 80), [operation("copy_to_device", 40, 65, 78)])
    assert {phase: only.phases[phase] for phase in expected} == expected
    assert sum(only.phases.values()) == only.own_ns == 80


@pytest.mark.parametrize("next_launch, waited", [(50, 25), (100, 35)])
def test_a_copy_to_the_host_inside_an_update_is_sync_until_the_host_goes_on(tmp_path, next_launch, waited):
    spans = [*step(0, "forward", "backward"), ("optimizer", 20, 60)]
    made = [operation("copy_to_host", 25, 30, 45), operation("kernel", next_launch, 110, 120)]
    (only,) = steps_of(marks(tmp_path, spans, False, 60), made)
    assert (only.phases["sync"], only.phases["optimizer"]) == (waited, 40 - waited)


def test_how_much_of_a_window_operations_fill():
    times = observe.merged([operation("kernel", 0, 0, 10), operation("kernel", 0, 5, 20), operation("kernel", 0, 30, 40)])
    assert times == [(0, 20), (30, 40)]
    assert observe.overlap_ns(times, 15, 35) == 10
    assert observe.overlap_ns(times, 20, 30) == 0
