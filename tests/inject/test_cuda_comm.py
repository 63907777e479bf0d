"""Communication that the device does and the host does not wait for, on stand-ins; no GPU is needed or used."""

from test_cuda import begun, durations_ns, run


def test_what_the_current_stream_waits_for_is_communication():
    ring, calls = run("collectives")
    waits = sorted(round(ns / 1e6) for ns in durations_ns(ring, "comm"))
    # Ten on the current stream and ten waits for another; the last boundaries are not polled any more.
    assert waits.count(5) >= 9 and waits.count(4) >= 9
    assert set(waits) == {0, 4, 5}  # 0: starting one elsewhere, and the wait for one that ran here
    assert sum(durations_ns(ring, "backward")) >= 9 * 2e6


def test_collectives_of_the_host_are_left_alone():
    ring, calls = run("collectives_of_the_host")
    assert ring is None or not begun(ring, "comm")
    assert not any(calls.values())


def test_what_data_parallel_has_measured_is_said_once_each():
    ring, calls = run("data_parallel")
    assert ring.fact("ddp") == [
        {"iteration": iteration, "comm_ns": 7_000_000, "waited_ns": 2_000_000} for iteration in (10, 100, 200)
    ]
    assert calls["recorded"] == calls["elapsed"] == 0


def test_data_parallel_is_looked_at_again_soon_until_it_has_measured_its_first_iterations():
    ring, _ = run("data_parallel")
    assert ring.fact("test.sooner") == [[2], []]
