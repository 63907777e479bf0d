"""Runs the matrix of programs/traced/ bare and under flatout, under any Python, and compares it case by case.

    python compare_traced.py PYTHON [FAMILY...]      with that interpreter's PyTorch; exit status 1 where a case differs

FLATOUT_BIN names the flatout that is tried. What the interpreter needs to import torch (LD_LIBRARY_PATH) is passed on.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MATRIX = HERE / "programs/traced/matrix.py"
FAMILIES = ("compiling", "tracing", "watching")
AGAIN = 5  # bare runs behind a difference: torch 2.0 keeps a backward's values in a set, in the order of their addresses


def environment(caches):
    env = {key: value for key, value in os.environ.items() if not key.startswith("FLATOUT_")}
    return {**env, "TORCHINDUCTOR_CACHE_DIR": str(caches), "TORCHINDUCTOR_COMPILE_THREADS": "1", "KINETO_LOG_LEVEL": "9"}


def said(text):
    """{case: what it said} of the matrix's lines."""
    cases = (json.loads(line) for line in text.splitlines() if line.startswith("{"))
    return {case["case"]: case for case in cases}


def untimed(text):
    """Lines of torch's log without time and pid; without flatout's own, of a plan."""
    text = "".join(line for line in text.splitlines(True) if not line.startswith("flatout"))
    text = re.sub(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+\] ", "", text)  # of 2.0
    return re.sub(r"\b([VIWEC])\d{4} \d\d:\d\d:\d\d\.\d+ \d+ ", r"\1 ", text)


def run(command, folder):
    done = subprocess.run(command, env=environment(folder / "caches"), cwd=folder, capture_output=True, text=True, timeout=1500)
    return said(done.stdout), done


def both(flatout, python, family, folder, options=(), cases=()):
    """(bare, ours, report): the two at once, each in a folder of its own."""
    command = [str(python), str(MATRIX), family, *cases]
    here, there = folder / "bare", folder / "ours"
    here.mkdir(), there.mkdir()
    report = folder / "report.json"
    under = [str(flatout), "run", "--home", str(folder / "home"), "--report-to", os.devnull, "--json", str(report), *options, "--", *command]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(run, command, here), pool.submit(run, under, there)
        (bare, plain), (ours, observed) = first.result(), second.result()
    assert bare, "no case ran: %s" % plain.stderr[-2000:]
    assert observed.returncode == plain.returncode, observed.stderr[-2000:]
    assert untimed(observed.stderr) == untimed(plain.stderr)
    return bare, ours, json.loads(report.read_text())


def shown(value, part):
    return untimed(value) if part == "stderr" and isinstance(value, str) else value


def differences(bare, ours, again=()):
    """A line each. `again`: the bare program in further runs, where objects have other addresses; what differs there is PyTorch's own."""
    lines = ["%s: only in one" % name for name in sorted(set(bare) ^ set(ours))]
    for name in bare:
        other = ours.get(name, {})
        for part in sorted(set(bare[name]) | set(other)):
            first, second = shown(bare[name].get(part), part), shown(other.get(part), part)
            if any(shown(once.get(name, {}).get(part), part) != first for once in again):
                continue
            if first != second:
                lines.append("%s: %s\n    bare %.600s\n    ours %.600s" % (name, part, bare[name].get(part), other.get(part)))
    return lines


def bare_again(python, family, names, folder, moved):
    folder.mkdir()
    return run(["env", f"MATRIX_MOVED={moved}", str(python), str(MATRIX), family, *names], folder)[0]


def main(python, *families):
    flatout = os.environ.get("FLATOUT_BIN", HERE.parents[1] / "build/release/bin/flatout")
    worst = 0
    for family in families or FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            bare, ours, _ = both(flatout, python, family, Path(folder))
            found = differences(bare, ours)
            if found:
                names = sorted({line.partition(": ")[0] for line in found} & set(bare))
                again = [bare_again(python, family, names, Path(folder) / f"again{turn}", 1 + turn) for turn in range(AGAIN)]
                if set(bare) == set(ours):
                    found = differences({name: bare[name] for name in names}, {name: ours[name] for name in names}, again)
        raised = sum("raises" in case or "ended" in case for case in bare.values())
        print("%s: %d cases, %d of them with an error of PyTorch's own, %d differences" % (family, len(bare), raised, len(found)), *found, sep="\n", flush=True)
        worst = max(worst, bool(found))
    return worst


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
