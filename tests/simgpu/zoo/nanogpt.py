"""nanoGPT's train.py under `flatout run`, unmodified, from a checkout that is not stored here ($NANOGPT, by default
build/others/nanoGPT). Nothing inside it keeps time for us: it is held against what the simulated device saw and
against the iteration times that it prints."""

import os
import pickle
import re
import shutil
import statistics
from pathlib import Path

import numpy
from cut import Step
from observe import EXPECTED, PHASE_BOUND, Observation, check_device, check_verdict, harness
from truth import Truth

CHECKOUT = Path(os.environ.get("NANOGPT", harness.ROOT / "build" / "others" / "nanoGPT"))
PARTS = ("train.py", "model.py", "configurator.py")
VOCABULARY = 512
EVALUATIONS = 2  # batches of each of the two splits, before the first iteration
PRINTED = re.compile(r"^iter (\d+): loss \S+, time ([\d.]+)ms", re.MULTILINE)
ARGUMENTS = {
    "dataset": "random",
    "device": "cuda",
    "eval_interval": 100000,
    "eval_iters": EVALUATIONS,
    "gradient_accumulation_steps": 1,
    "batch_size": 8,
    "block_size": 256,
    "n_layer": 4,
    "n_head": 4,
    "n_embd": 256,
}


def lacks():
    missing = [name for name in PARTS if not (CHECKOUT / name).is_file()]
    return f"no checkout of karpathy/nanoGPT at {CHECKOUT} (or $NANOGPT)" if missing else None


def place(folder):
    """Its files as they are, and a data set of random tokens: what its prepare.py would make."""
    for name in PARTS:
        shutil.copy(CHECKOUT / name, folder / name)
    data = folder / "data" / ARGUMENTS["dataset"]
    data.mkdir(parents=True)
    tokens = numpy.random.default_rng(1).integers(VOCABULARY, size=200_000, dtype=numpy.uint16)
    tokens[20_000:].tofile(data / "train.bin")
    tokens[:20_000].tofile(data / "val.bin")
    (data / "meta.pkl").write_bytes(pickle.dumps({"vocab_size": VOCABULARY}))


def observe(name, folder, scale, environment):
    folder.mkdir(parents=True, exist_ok=True)
    place(folder)
    iterations = max(40, round(80 * scale))
    given = {**ARGUMENTS, **EXPECTED[name]["train_py"], "max_iters": iterations - 1}  # it counts from 0, and its last is max_iters
    command = [harness.PYTHON, "train.py", *(f"--{key}={value}" for key, value in given.items())]
    outcome = harness.run_observed(command, folder / "run", env=environment, cwd=folder)
    if outcome.code or outcome.report is None:
        raise RuntimeError(f"exit {outcome.code}:\n{outcome.err.decode(errors='replace')[-2000:]}{outcome.said}")
    seen = Observation(name, outcome.report)
    check_verdict(seen)
    check(seen, PRINTED.findall(outcome.out.decode()), Truth(folder / "truth").operations, iterations)
    return seen


def check(seen, printed, operations, iterations):
    steps = seen.report.get("steps") or {}
    if len(printed) != iterations or steps.get("count") != iterations:
        seen.problems.append(f"{steps.get('count')} steps, {len(printed)} iterations printed, of {iterations}")
        return
    seen.said_phases = steps["phases"]
    if abs(sum(seen.said_phases.values()) - 1) > 0.001:
        seen.problems.append(f"phases sum to {sum(seen.said_phases.values()):.4f}")
    mean = statistics.fmean(float(ms) for _, ms in printed[-steps["steady_count"] :])
    if abs(steps["mean_ms"] / mean - 1) > PHASE_BOUND:
        seen.problems.append(f"mean step {steps['mean_ms']:.2f} ms, {mean:.2f} printed")
    seen.steps = steps_of(operations, iterations)
    steady = seen.steps[-steps["steady_count"] :]
    check_waits(seen, steady)
    check_device(seen, steady, operations)


def steps_of(operations, iterations):
    """By the one look at the loss that ends each iteration: the next begins with the first kernel behind it. What the
    host waits for is known: that look. Its copies come from pinned memory and do not block."""
    looks = [one for one in operations if one.kind == "copy_to_host"]
    if len(looks) < 2 * EVALUATIONS + iterations:  # more where torch.compile tries kernels out, before the first iteration ends
        raise RuntimeError(f"{len(looks)} copies to the host, expected {2 * EVALUATIONS} evaluations and {iterations} iterations")
    looks = looks[-iterations - 1 :]
    kernels = sorted(one.enqueued_ns for one in operations if one.kind == "kernel")
    edges, at = [], 0
    for look in looks:
        while at < len(kernels) and kernels[at] < look.end_ns:
            at += 1
        edges.append(kernels[at] if at < len(kernels) else look.end_ns)
    return [
        Step(begin, end, [(begin, end)], {"sync": look.end_ns - look.enqueued_ns})
        for begin, end, look in zip(edges, edges[1:], looks[1:])
    ]


def check_waits(seen, steady):
    total = sum(step.own_ns for step in steady)
    seen.true_phases = {"sync": sum(step.phases["sync"] for step in steady) / total, "h2d": 0.0, "data_wait": 0.0}
    seen.said_phases = {name: seen.said_phases.get(name, 0.0) for name in seen.true_phases}
    for name, true in seen.true_phases.items():
        said = seen.said_phases[name]
        if abs(said - true) > PHASE_BOUND:
            seen.problems.append(f"{name} {said:.3f}, in truth {true:.3f}")
