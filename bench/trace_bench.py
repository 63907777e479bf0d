"""How fast traces are explained: MB/s of JSON and of gzip, and the most memory, beside HTA.

A large trace is made of traces of real programs: their events again and again, each time later and
with correlations of their own, until there is as much as asked for. It is laid out as PyTorch's
profiler lays it out. Then flatout and HolisticTraceAnalysis read it in turn, each in a process of
its own that does all that it does for a user: flatout prints its report as JSON; HTA parses the
trace and makes the three tables that say the same: times of compute, communication and idling, the
idle time by cause, and the kernels by time.

Usage: trace_bench.py make TRACES... --out FILE --bytes N     (also FILE.gz)
       trace_bench.py compare FILE [--hta PYTHON [--json-only]] [--repetitions N] [--page OUT.md | --section OUT.md]

HTA: the Python of an environment into which HolisticTraceAnalysis was installed; --json-only: it
reads the JSON alone, which takes it minutes. --section: adds a section for a trace of another size to
a page that was written with --page.
"""

import argparse
import gzip
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GAP_US = 1000  # between one repetition and the next
AIM_MB_S = 300
AIM_SPEED, AIM_MEMORY = 20, 0.1

HTA_PROGRAM = """
import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_dir=sys.argv[1])
analysis.get_temporal_breakdown(visualize=False)
analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
analysis.get_gpu_kernel_breakdown(visualize=False)
"""


def events_of(file):
    opened = gzip.open(file, "rt") if file.suffix == ".gz" else open(file)
    with opened:
        trace = json.load(opened)
    return trace, [event for event in trace["traceEvents"] if "ts" in event and event.get("ph") != "M"]


def laid_out(event):
    """As Kineto writes it: head, times and args on lines of their own."""
    args = event.pop("args", None)
    times = {key: event.pop(key) for key in ("ts", "dur") if key in event}
    lines = [json.dumps(event)[1:-1], json.dumps(times)[1:-1]]
    if args is not None:
        lines.append('"args": {\n      ' + json.dumps(args)[1:-1] + "\n    }")
    return "  {\n    " + ",\n    ".join(lines) + "\n  }"


def shifted(event, by_us, by_id):
    event = dict(event)
    event["ts"] = round(event["ts"] + by_us, 3)
    if event.get("ph") in ("s", "f", "t") and isinstance(event.get("id"), int):
        event["id"] += by_id
    args = event.get("args")
    if isinstance(args, dict):
        args = dict(args)
        for key in ("correlation", "External id", "external id"):
            if isinstance(args.get(key), int):
                args[key] += by_id
        event["args"] = args
    return event


def make(traces, out, size):
    parts = [events_of(trace) for trace in traces]
    spans = []
    for _, events in parts:
        timed_ones = [event for event in events if event.get("ph") == "X" and event.get("cat") != "Trace"]
        first = min(event["ts"] for event in timed_ones)
        spans.append((first, max(event["ts"] + event.get("dur", 0) for event in timed_ones) - first))
    head = {"schemaVersion": 1, "deviceProperties": parts[0][0].get("deviceProperties", []), "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1}}
    written, at_us, by_id, count = 0, 0, 0, 0
    with open(out, "w") as file:
        written += file.write(json.dumps(head, indent=2)[:-2] + ',\n  "traceEvents": [\n')
        while written < size:
            for (_, events), (first, length) in zip(parts, spans):
                for event in events:
                    written += file.write((",\n" if count else "") + laid_out(shifted(event, at_us - first, by_id)))
                    count += 1
                    if written >= size:
                        break
                at_us += length + GAP_US
                by_id += 10_000_000
                if written >= size:
                    break
        file.write("\n  ]\n}\n")
    with open(out, "rb") as plain, gzip.open(f"{out}.gz", "wb", compresslevel=6) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
    print(json.dumps({"bytes": out.stat().st_size, "gzip_bytes": Path(f"{out}.gz").stat().st_size, "events": count}))


def timed(command):
    """(seconds, CPU seconds, peak resident bytes) of a command whose output nobody reads."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            raise RuntimeError(f"{command[0]} gave exit {process.returncode}: {said.read().decode()[-500:]}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def commands_of(file, hta, json_only, folder):
    binary = os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout")
    commands = {
        "flatout, JSON": [binary, "analyze", file, "--format", "json"],
        "flatout, gzip": [binary, "analyze", f"{file}.gz", "--format", "json"],
    }
    if hta:
        for form, source in (("JSON", file), ("gzip", Path(f"{file}.gz")))[: 1 if json_only else 2]:
            ranks = folder / form
            ranks.mkdir()
            os.symlink(source.resolve(), ranks / ("rank0.json" if form == "JSON" else "rank0.json.gz"))
            commands[f"HTA, {form}"] = [hta, "-c", HTA_PROGRAM, ranks]
    return commands


def middle(values):
    return statistics.median(values), min(values), max(values)


def spread(values, form):
    value, least, most = middle(values)
    return f"{value:{form}} | {least:{form}} to {most:{form}}"


def version_of(hta):
    code = "from importlib.metadata import version; print(version('HolisticTraceAnalysis'))"
    return subprocess.run([hta, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def page(size, gzip_size, seen, loads, hta):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    repetitions = len(next(iter(seen.values())))
    lines = [
        f"- Machine: {model}, {os.cpu_count()} CPUs, Linux {platform.release()}; load before each run {min(loads):.2f} to {max(loads):.2f}",
        f"- Date: {time.strftime('%Y-%m-%d')}; Python {platform.python_version()}" + (f", HolisticTraceAnalysis {version_of(hta)}" if hta else ""),
        f"- Trace: {size / 1e6:.0f} MB of JSON, {gzip_size / 1e6:.0f} MB with gzip; both in the page cache",
        f"- Median, least and most of {repetitions} runs, in turn",
        "",
        "| who reads | seconds | least to most | CPU seconds | MB/s of JSON | most memory | of the JSON |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    for name, runs in seen.items():
        seconds, cpu, memory = ([run[i] for run in runs] for i in range(3))
        peak = middle(memory)[0]
        lines.append(f"| {name} | {spread(seconds, '.1f')} s | {middle(cpu)[0]:.1f} | {size / 1e6 / middle(seconds)[0]:.0f} | {peak / 1e6:.0f} MB | {peak / size:.2f} |")
    lines += ["", "| aim | measured | verdict |", "| --- | ---: | --- |"]

    def verdict(aim, measured, met):
        lines.append(f"| {aim} | {measured} | {'met' if met else '**missed**'} |")

    cpu = middle([run[1] for run in seen["flatout, JSON"]])[0]
    memory = middle([run[2] for run in seen["flatout, JSON"]])[0]
    verdict(f"over {AIM_MB_S} MB/s of JSON on one core", f"{size / 1e6 / cpu:.0f} MB/s", size / 1e6 / cpu > AIM_MB_S)
    verdict("memory below twice the uncompressed size", f"{memory / size:.2f}", memory < 2 * size)
    for form in ("JSON", "gzip"):
        if f"HTA, {form}" not in seen:
            continue
        ours, theirs = ([middle([run[i] for run in seen[f"{who}, {form}"]])[0] for i in range(3)] for who in ("flatout", "HTA"))
        ratio, part = theirs[0] / ours[0], ours[2] / theirs[2]
        verdict(f"{form}: {AIM_SPEED} times as fast as HTA", f"{ratio:.0f} by the clock, {theirs[1] / ours[1]:.0f} in CPU time", ratio >= AIM_SPEED)
        verdict(f"{form}: a tenth of HTA's memory", f"{part:.3f}", part <= AIM_MEMORY)
    return "\n".join(lines) + "\n"


PAGE_HEAD = "# Traces, read\n\nGenerated by `bench/trace_bench.py`, whose head says what is compared; not to be edited.\n\n"


def write(text, size, to, section):
    if to:
        to.write_text(PAGE_HEAD + text)
    if section:
        heading = f"\n## A trace of {size / 1e9:.0f} GB\n"
        section.write_text(section.read_text().split(heading)[0] + heading + "\n" + text)


def compare(file, hta, json_only, repetitions, to, section):
    loads = []
    with tempfile.TemporaryDirectory() as folder:
        commands = commands_of(file, hta, json_only, Path(folder))
        for source in (file, Path(f"{file}.gz")):  # into the page cache
            with open(source, "rb") as opened:
                while opened.read(1 << 24):
                    pass
        seen = {name: [] for name in commands}
        for _ in range(repetitions):
            for name, command in commands.items():
                loads.append(os.getloadavg()[0])
                seen[name].append(timed(command))
                print(name, *(f"{value:.4g}" for value in seen[name][-1]), file=sys.stderr, flush=True)
    text = page(file.stat().st_size, Path(f"{file}.gz").stat().st_size, seen, loads, hta)
    write(text, file.stat().st_size, to, section)
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    maker = verbs.add_parser("make")
    maker.add_argument("traces", type=Path, nargs="+")
    maker.add_argument("--out", type=Path, required=True)
    maker.add_argument("--bytes", type=int, default=1_000_000_000)
    comparer = verbs.add_parser("compare")
    comparer.add_argument("file", type=Path)
    comparer.add_argument("--hta")
    comparer.add_argument("--json-only", action="store_true")
    comparer.add_argument("--repetitions", type=int, default=3)
    comparer.add_argument("--page", type=Path)
    comparer.add_argument("--section", type=Path)
    given = parser.parse_args()
    if given.verb == "make":
        make(given.traces, given.out, given.bytes)
    else:
        compare(given.file, given.hta, given.json_only, given.repetitions, given.page, given.section)


if __name__ == "__main__":
    main()
