"""The native part of docs/benchmarks.md: bench/*_bench.cc, built, run and told."""

import json
import pathlib
import subprocess

from bench_verdict import verdict_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
NATIVE = ROOT / "build" / "bench"
EVENT_C_BOUND_NS = 300


def build(*targets):
    """Of the native benchmarks and what they need; before anything is measured."""
    configure = ["cmake", "-S", ROOT, "-B", NATIVE, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DFLATOUT_BENCH=ON"]
    for command in (configure, ["cmake", "--build", NATIVE, "--target", *targets]):
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, timeout=1800)
        if done.returncode != 0:
            last = "\n".join(done.stdout.splitlines()[-20:])
            raise RuntimeError(f"{command[0]} {command[1]} gave exit {done.returncode}:\n{last}")


def native_names():
    """Those that Google Benchmark runs; others, such as that of tokens, print a table of their own."""
    found = BENCH.glob("*_bench.cc")
    return sorted(path.stem for path in found if "benchmark/benchmark.h" in path.read_text())


def native_programs(quick):
    """Runs bench/*_bench.cc; [(program, its results)]."""
    print("native benchmarks ...", flush=True)
    results = []
    for program in native_names():
        flags = ["--benchmark_format=json", "--benchmark_repetitions=5", "--benchmark_enable_random_interleaving=true"]
        flags += ["--benchmark_min_time=0.01"] if quick else []
        done = subprocess.run([NATIVE / "bench" / program, *flags], stdout=subprocess.PIPE, text=True, timeout=1800)
        if done.returncode != 0:
            raise RuntimeError(f"{program} gave exit {done.returncode}")
        results.append((program, json.loads(done.stdout)["benchmarks"]))
    return results


def medians(results):
    """One result a case, in the order of the program; they ran in a random one."""
    found = [r for r in results if r.get("aggregate_name") == "median"]
    return sorted(found, key=lambda r: (r["family_index"], r["per_family_instance_index"]))


def c_event_lines(results):
    lines = []
    for median in medians(results):
        name = median["run_name"]
        every = [r for r in results if r["run_name"] == name and r.get("run_type") == "iteration"]
        costs = [1e9 / r["items_per_second"] for r in every]
        met = verdict_of(min(costs), max(costs), EVENT_C_BOUND_NS)
        lines.append(
            f"- A hook event from C, {name}: {1e9 / median['items_per_second']:.0f} ns ({min(costs):.0f} to"
            f" {max(costs):.0f}); under {EVENT_C_BOUND_NS} ns: {met}"
        )
    return lines


def sealing_lines(results):
    """What src/store/seal.cc counts on against the log that seals most slowly."""
    sealed = [r for r in medians(results) if r["run_name"].startswith("seal/")]
    if not sealed:
        return []
    slowest = min(sealed, key=lambda r: r["bytes_per_second"])
    speed, counted = slowest["bytes_per_second"], slowest["counted_bytes_per_s"]
    return [
        f"- Sealing at the end of a run counts on {counted / 1e6:.0f} MB of payload a second: {counted / speed:.0%} of what"
        f" the slowest log gives, {slowest['run_name']} with {speed / 1e6:.0f} MB"
    ]


def rate_text(result):
    rates = []
    for key, unit in (("items_per_second", " items/s"), ("bytes_per_second", "B/s")):
        if key not in result:
            continue
        prefix, scale = next(p for p in (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1)) if result[key] >= p[1] or p[1] == 1)
        rates.append(f"{result[key] / scale:.3g} {prefix}{unit}")
    return ", ".join(rates)


def native_section(programs):
    by_program = dict(programs)
    lines = ["## Native benchmarks", "", "Google Benchmark, median of 5 repetitions and its coefficient of variation.", ""]
    for program in ("inject_bench", "capi_bench"):
        lines += c_event_lines(by_program.get(program, []))
    lines += [*sealing_lines(by_program.get("store_seal_bench", [])), ""]
    lines += ["| program | case | CPU time | variation | rate |", "| --- | --- | ---: | ---: | --- |"]
    for program, results in programs:
        variation = {r["run_name"]: r["cpu_time"] for r in results if r.get("aggregate_name") == "cv"}
        for result in medians(results):
            name = result["run_name"]
            cells = (program, name, f"{result['cpu_time']:.1f} {result['time_unit']}")
            lines.append(f"| {' | '.join(cells)} | {variation.get(name, 0):.1%} | {rate_text(result)} |")
    return lines
