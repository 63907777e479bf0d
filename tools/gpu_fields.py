#!/usr/bin/env python3
"""What flatout recorded of a GPU, against nvidia-smi at the same time.

    gpu_fields.py --flatout ./flatout --out docs/benchmarks [--seconds 20]

Runs a program that multiplies matrices for part of each second under `flatout
run`, asks nvidia-smi meanwhile, and writes gpu-fields-<date>.md: each field from
both, and whether they agree. Facts must be equal; what changes over time must
lie within the range that nvidia-smi saw, widened by a tolerance. Exit 1 where
one does not agree, or where flatout lacks a field that nvidia-smi has.
"""

import argparse
import dataclasses
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import time

LOAD = """
import time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    busy = time.monotonic() + 0.6
    while time.monotonic() < busy:
        a @ a
        torch.cuda.synchronize()
    time.sleep(0.4)
"""


@dataclasses.dataclass
class Field:
    path: str  # in devices[] of the report
    query: str  # of nvidia-smi
    scale: float = 1.0  # of nvidia-smi's figure
    # None: it stands still and must be equal. Else it may leave nvidia-smi's range by this
    # share of the range's top, since the two do not look at the same moments.
    tolerance: float | None = None


MIB = 1024 * 1024
FIELDS = [
    Field("name", "name"),
    Field("uuid", "uuid"),
    Field("memory_total_bytes", "memory.total", MIB, 0.001),  # nvidia-smi rounds to MiB
    Field("power_limit_w", "enforced.power.limit", 1, 0.001),
    Field("sm_clock_max_mhz", "clocks.max.sm"),
    Field("pcie.generation_max", "pcie.link.gen.max"),
    Field("pcie.width_max", "pcie.link.width.max"),
    Field("utilization.mean", "utilization.gpu", 0.01, 0.1),
    Field("memory_used_bytes", "memory.used", MIB, 0.05),
    Field("power_w", "power.draw", 1, 0.1),
    Field("temperature_c", "temperature.gpu", 1, 0.05),
    Field("sm_clock_mhz", "clocks.sm", 1, 0.05),
    Field("pcie.generation", "pcie.link.gen.current", 1, 0),
    Field("pcie.width", "pcie.link.width.current", 1, 0),
]


def dig(device, path):
    """devices[0]["pcie"]["width"]; None where a key is absent."""
    for key in path.split("."):
        if not isinstance(device, dict) or key not in device:
            return None
        device = device[key]
    return device


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def judge(field, ours, theirs):
    """(text of nvidia-smi's side, verdict); theirs = its answers as text, one a look."""
    theirs = [text for text in theirs if text not in ("[N/A]", "[Not Supported]", "")]
    if not theirs:
        return "not given", "not given by nvidia-smi"
    numbers = [number(text) for text in theirs]
    if None in numbers:
        if ours is None:
            return theirs[0], "MISSING"
        return theirs[0], "equal" if ours == theirs[0] else "DIFFERS"
    low, high = min(numbers) * field.scale, max(numbers) * field.scale
    text = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    if ours is None:
        return text, "MISSING"
    if field.tolerance is None:
        return text, "equal" if low <= ours <= high else "DIFFERS"
    slack = field.tolerance * high
    return text, "agrees" if low - slack <= ours <= high + slack else "DIFFERS"


def compare(device, looks):
    """Rows (path, ours, theirs, verdict) of the page. looks: one dict of query -> text a look."""
    rows = []
    for field in FIELDS:
        ours = dig(device, field.path)
        text, verdict = judge(field, ours, [look[field.query] for look in looks])
        why = device.get("unavailable", {}).get(field.path) if verdict == "MISSING" else None
        rows.append((field.path, "absent" if ours is None else f"{ours}", text, f"{verdict}: {why}" if why else verdict))
    return rows


def ask_smi(index=0):
    queries = [field.query for field in FIELDS]
    out = subprocess.run(["nvidia-smi", f"--id={index}", "--query-gpu=" + ",".join(queries), "--format=csv,noheader,nounits"],
                         check=True, capture_output=True, text=True).stdout
    return dict(zip(queries, (word.strip() for word in out.strip().split(","))))


def record(flatout, seconds):
    """(devices[] of the report, nvidia-smi's looks) of one run."""
    with tempfile.TemporaryDirectory(prefix="flatout-gpu-") as scratch:
        report = pathlib.Path(scratch) / "report.json"
        program = subprocess.Popen([flatout, "run", "--home", scratch, "--json", str(report), "--",
                                    sys.executable, "-c", LOAD.format(seconds=seconds)])
        looks = []
        while program.poll() is None:
            looks.append(ask_smi())
            time.sleep(0.2)
        if program.returncode != 0:
            raise RuntimeError(f"the load ended with {program.returncode}")
        return json.loads(report.read_text())["devices"], looks


def page(rows, device, looks, today):
    lines = [f"# flatout's figures against nvidia-smi, {today}", "",
             f"{device.get('name')}, {len(looks)} looks of nvidia-smi during one run. A figure over time must lie in their range.", "",
             "| field | flatout | nvidia-smi | |", "| --- | --- | --- | --- |"]
    lines += [f"| `{path}` | {ours} | {theirs} | {verdict} |" for path, ours, theirs, verdict in rows]
    activity = device.get("activity")
    lines += ["", f"GPM, which nvidia-smi does not give in this form: {json.dumps(activity) if activity else 'absent'}.",
              f"Throttled: {json.dumps(device.get('throttled', 'absent'))}. Not available: "
              f"{json.dumps(device.get('unavailable', {}))}.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flatout", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    devices, looks = record(options.flatout, options.seconds)
    device = next((d for d in devices if d.get("kind") == "cuda" and d.get("index") == 0), None)
    if device is None:
        print("gpu_fields: the report lists no device 0; see flatout doctor", file=sys.stderr)
        return 1
    rows = compare(device, looks)
    today = datetime.date.today().isoformat()
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / f"gpu-fields-{today}.md"
    target.write_text(page(rows, device, looks, today))
    print(target.read_text())
    return 1 if any(verdict.startswith(("MISSING", "DIFFERS")) for *_, verdict in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
