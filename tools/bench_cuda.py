"""The part of docs/benchmarks.md about hooks on CUDA, made of what bench/cuda_cost.py prints."""

from bench_verdict import verdict_of

# (what is measured, its words, the bound in microseconds a step): 1 % of a step of 10 ms is 100 us.
ROWS = (
    ("device_time_us", "device time of the phases, as in a loop of tiny kernels", 20),
    ("all_hooks_us", "all hooks, of a step with a loader and two blocking copies", 100),
)


def cuda_section(measured):
    lines = [
        "## Hooks of a step on CUDA",
        "",
        f"CPU time of the thread that trains, on the simulated device ([simgpu.md](simgpu.md)): {measured['pairs']} pairs of runs, with and",
        "without flatout, in turns.",
        "",
        "| what | a step takes longer by | least to most | bound |",
        "| --- | ---: | --- | --- |",
    ]
    for name, words, bound in ROWS:
        one = measured[name]
        met = verdict_of(one["least"], one["most"], bound)
        lines.append(f"| {words} | {one['median']:.1f} µs | {one['least']:.1f} to {one['most']:.1f} µs | under {bound} µs: {met} |")
    return lines
