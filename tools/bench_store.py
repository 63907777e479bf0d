"""The store's part of docs/benchmarks.md, made of what bench/store_cost.py prints."""

import statistics

from bench_verdict import verdict_at_least, verdict_of

INGEST_AIM = 5e6  # points a second, at least
POINT_AIM = 2.0  # bytes, at most


def spread(values, scale=1.0, digits=2):
    least, most = (f"{scale * value:.{digits}f}" for value in (min(values), max(values)))
    return f"{least} to {most}"


def size(count):
    """Decimal units, as disks have."""
    for unit, above in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= above:
            return f"{count / above:.3g} {unit}"
    return f"{count:.0f} B"


def a_point(run, key):
    return run[key] / run["points"]


def devices_line(measured):
    """What can be said of the points of GPUs, which the aim is about."""
    points = sum(run["device_points"] for run in measured["real"])
    if points:
        cost = sum(run["device_bytes"] for run in measured["real"]) / points
        return [f"Of the devices of this machine: {points} points, {cost:.2f} bytes each."]
    lines = ["Not measured: the series of a real GPU, which this machine has not."]
    day = measured["day"]
    if "problem" in day:
        return lines
    cost = day["device_bytes"] / day["device_points"]
    return [lines[0] + f" The made-up ones below take {cost:.2f} bytes a point."]


def aims(measured):
    lines = ["| what | measured | least to most | aim | verdict |", "| --- | ---: | --- | --- | --- |"]
    day, real = measured["day"], measured["real"]
    if "problem" not in day:
        speeds = day["points_per_s"]
        met = verdict_at_least(min(speeds), max(speeds), INGEST_AIM)
        lines.append(
            f"| points taken in by one core | {statistics.median(speeds) / 1e6:.1f} M/s | {spread(speeds, 1e-6, 1)} |"
            f" at least {INGEST_AIM / 1e6:g} M/s | {met} |"
        )
    series = [a_point(run, "series_bytes") for run in real]
    met = verdict_of(min(series), max(series), POINT_AIM)
    lines.append(
        f"| bytes a point, real runs | {statistics.median(series):.2f} | {spread(series)} | at most {POINT_AIM:g} | {met} |"
    )
    return lines


def real_runs(measured):
    lines = [
        "Real runs: programs of the zoo under `flatout run` at 10 Hz, with the sources of this machine. Bytes a point: the",
        "compressed values, times and zoom levels of all series; the whole file also holds events, processes, facts and the",
        "database's own pages, which is most of a short run. Sealing: log to verified `run.sqlite`, synced to disk; median of 3.",
        "",
        "| program | length | points | events | bytes a point | whole file | log | sealing |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for run in measured["real"]:
        seal_ms = statistics.median(run["seal"]["wall_s"]) * 1000
        lines.append(
            f"| {run['name']} | {run['seconds']:.0f} s | {run['points']} | {run['events']} |"
            f" {a_point(run, 'series_bytes'):.2f} | {size(run['file_bytes'])} | {size(run['log_bytes'])} | {seal_ms:.0f} ms |"
        )
    return [*lines, "", *devices_line(measured)]


def seal_text(run):
    wall, payload = run["seal"]["wall_s"], run["seal"]["payload_bytes"]
    speed = payload / statistics.median(run["seal"]["cpu_s"])
    of = f" ({spread(wall, 1, 1)})" if len(wall) > 1 else ""
    return f"{statistics.median(wall):.1f} s{of}, {speed / 1e6:.0f} MB of payload per second of CPU"


def a_day(measured):
    day = measured["day"]
    if "problem" in day:
        return [f"Not measured: {day['problem']}."]
    length = "a day" if day["hours"] == 24 else f"{day['hours']:.1f} hours"
    device = (
        "The use of the GPU is that of real programs (kernels, copies and memsets of " + ", ".join(measured["traces"]) + "),"
        " its power, clocks and GPM figures are made from it."
        if measured["traces"]
        else "The use of the GPU is synthetic too: no traces of real programs are here."
    )
    lines = [
        f"Made up from a seed: {length} of a main process, 8 workers, the machine and one GPU, each value with the grain of its",
        f"source, and 10 steps a second. {device}",
        "",
        "| of the run | |",
        "| --- | ---: |",
        f"| points | {day['points'] / 1e6:.1f} M |",
        f"| events (phases and batches) | {day['events'] / 1e6:.2f} M |",
        f"| `log.flo` while it lasts | {size(day['log_bytes'])} |",
        f"| `run.sqlite` | {size(day['file_bytes'])} |",
        f"| of it series | {size(day['series_bytes'])}, {a_point(day, 'series_bytes'):.2f} bytes a point |",
        f"| of it the GPU's series | {size(day['device_bytes'])}, {day['device_bytes'] / day['device_points']:.2f} bytes a point |",
        f"| of it events | {size(day['event_bytes'])}, {day['event_bytes'] / day['events']:.2f} bytes an event |",
        f"| sealing it | {seal_text(day)} |",
    ]
    if "report" in day:
        seen = day["report"]
        lines.append(f"| `flatout report` of it | {seen['wall_s'][0]:.1f} s, {size(seen['peak_bytes'])} of memory |")
    return lines


def ten_million(run):
    lines = [
        f"`flatout report` on a sealed run of {run['points'] / 1e6:.1f} M points and {run['events'] / 1e6:.2f} M events, {run['hours']:.1f} hours of"
        " the same kind:",
        "",
        "| report | wall time | least to most | most memory | prints |",
        "| --- | ---: | --- | ---: | ---: |",
    ]
    for form, seen in run["reports"].items():
        wall = seen["wall_s"]
        lines.append(
            f"| {form} | {statistics.median(wall):.2f} s | {spread(wall)} s | {size(seen['peak_bytes'])} |"
            f" {size(seen['printed_bytes'])} |"
        )
    return [*lines, "", f"Sealing it: {seal_text(run)}."]


def how_taken_in(day):
    if "problem" in day:
        return []
    tick = day["points"] / (day["hours"] * 36_000)
    return [
        "",
        f"Points taken in: CPU time of one thread for ticks of {tick:.0f} points and the write of each, in twenty parts of the day",
        "below; without waiting for the disk.",
    ]


def store_section(measured):
    return [
        "## Store",
        "",
        *aims(measured),
        *how_taken_in(measured["day"]),
        "",
        "### Real runs",
        "",
        *real_runs(measured),
        "",
        "### A day at 10 Hz",
        "",
        *a_day(measured),
        "",
        "### Ten million points",
        "",
        *ten_million(measured["ten_million"]),
    ]
