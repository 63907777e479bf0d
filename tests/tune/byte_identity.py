"""Whether a tune leaves the folder of each program as it was, byte for byte.

    .venv/bin/python tests/tune/byte_identity.py [PROGRAM ...] [--budget 5s] [--steps 24]

By hand, over all programs of tests/zoo: some ten minutes on two cores. Held against
each other are all entries of the program's folder and of one outside of it to which
it writes by an absolute path ($ZOO_TRUTH): kinds, modes, times, bytes. In the temporary
folder nothing of flatout's may be left. Exit status 1 when one differs, or when
a tune could not be made, which then proved nothing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import harness  # noqa: E402
from folders import fingerprint  # noqa: E402

ZOO = HERE.parent / "zoo"
PROGRAMS = sorted(path.stem for path in (ZOO / "programs").glob("*.py"))


def checked(name, top, *options, timeout=900):
    """{"same", "trials", "seconds", "problem", "differs"} of one tune; `top` is an empty folder."""
    work, outside, temporary = top / "zoo", top / "outside", top / "tmp"
    shutil.copytree(ZOO, work, ignore=shutil.ignore_patterns("__pycache__"))
    outside.mkdir()
    temporary.mkdir()
    (outside / "truth.json").write_text("an older one")
    before = fingerprint(work), fingerprint(outside)
    out = top / "tune.json"
    command = [harness.flatout_bin(), "tune", "--json", out, "--plan", top / "plan.toml", *options, "--", sys.executable,
               f"{name}.py", outside / "truth.json"]  # fmt: skip
    env = harness.environment(FLATOUT_HOME=top / "home", ZOO_TRUTH=outside / "truth.json", TMPDIR=temporary)
    started = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=work / "programs", env=env, capture_output=True, text=True,
                          timeout=timeout)  # fmt: skip
    after = fingerprint(work), fingerprint(outside)
    differs = [path for was, now in zip(before, after) for path in sorted(was.keys() | now.keys()) if was.get(path) != now.get(path)]
    differs += [str(path) for path in temporary.glob("*flatout*")]
    document = json.loads(out.read_text()) if out.exists() else {}
    runs = set(document.get("baseline", {}).get("runs", []))
    runs |= {run for row in document.get("trials", []) for run in row["runs"]}
    return {
        "same": not differs,
        "differs": differs,
        "trials": len(runs),
        "lasting": document.get("wrote_outside", []),
        "seconds": time.monotonic() - started,
        "place": "overlay" if "throwaway overlay" in done.stdout else "copy" if "throwaway copy" in done.stdout else "",
        "problem": "" if runs else (done.stderr.strip().splitlines() or ["no run was made"])[-1],
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("programs", nargs="*")
    arguments.add_argument("--budget", default="5s")
    arguments.add_argument("--steps", default="24")
    options = arguments.parse_args()
    bad = 0
    for name in options.programs or PROGRAMS:
        with tempfile.TemporaryDirectory(prefix="byte-identity-", dir=os.environ.get("TMPDIR")) as top:
            row = checked(name, Path(top), "--budget", options.budget, "--steps", options.steps)
        verdict = "the same" if row["same"] else "DIFFERS: " + " ".join(row["differs"][:5])
        if row["problem"]:
            verdict += "; no tune: " + row["problem"]
        bad += bool(row["problem"]) or not row["same"]
        print(f"{name:24} {row['trials']:2} trials {row['seconds']:6.1f} s  {row['place']:8} {verdict}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
