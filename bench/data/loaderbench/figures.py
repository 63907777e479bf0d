"""Figures of epochs: rates, medians, quartiles, percentiles. Pure; an `epoch` is the answer of a peer to the order "epoch"."""

import statistics


def rate(epoch):
    """Samples a second."""
    return epoch["samples"] / epoch["wall_ns"] * 1e9


def later_rate(epoch, batch_size, skipped):
    """Samples a second after the first `skipped` batches, of an epoch that was cut short and so has full batches."""
    if len(epoch["waits_ns"]) <= skipped:
        return rate(epoch)
    return (len(epoch["waits_ns"]) - skipped) * batch_size / max(1, sum(epoch["waits_ns"][skipped:])) * 1e9


def steady_rate(epoch, batch_size, skipped):
    """Samples a second of a whole epoch after its first `skipped` batches; None where no more came. What an epoch's start costs
    (workers, pipelines, the first reads) is left out, so that loaders that keep all of it and those that build it anew can be told apart."""
    later_ns = sum(epoch["waits_ns"][skipped:])
    return (epoch["samples"] - skipped * batch_size) / later_ns * 1e9 if later_ns else None


def median_steady_rate(peer, batch_size, skipped):
    """Over all epochs; None where one has none."""
    found = [steady_rate(epoch, batch_size, skipped) for epoch in peer["epochs"]]
    return None if None in found else statistics.median(found)


def quartiles(values):
    """(first, median, third); of one value, itself."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def percentile(values, share):
    """The least value that `share` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-round(share * 1e6) * len(ordered) // 10**6) - 1)]


def rates(peer):
    return [rate(epoch) for epoch in peer["epochs"]]


def median_rate(peer):
    return statistics.median(rates(peer))


def rate_per_cpu_second(peer):
    return statistics.median(e["samples"] / e["cpu_ns"] * 1e9 for e in peer["epochs"])


def waits_ms(peer, share):
    """A percentile of next() over all measured epochs."""
    return percentile([wait for epoch in peer["epochs"] for wait in epoch["waits_ns"]], share) / 1e6


def ratios(peer, other):
    """peer's rate over other's in each round both were measured in."""
    others = {epoch["round"]: rate(epoch) for epoch in other["epochs"]}
    return [rate(epoch) / others[epoch["round"]] for epoch in peer["epochs"] if epoch["round"] in others]


def start_seconds(began_ns, started, opened, first):
    """First batch from when the imports were done, and from when the process was started; the time between orders is not in it."""
    from_ready = opened["opened_ns"] + first["first_ns"]
    return {"from_ready": from_ready / 1e9, "from_start": (started["ready_ns"] - began_ns + from_ready) / 1e9}


def rotated(names, number):
    """Who comes first changes with the round, so that no peer always follows the same one."""
    cut = number % len(names) if names else 0
    return names[cut:] + names[:cut]
