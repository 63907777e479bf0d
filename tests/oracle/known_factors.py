"""Programs whose gains are known by construction, tuned beside busy processes: what is clear is kept, what does nothing is not.

The truth of each is measured by hand under the same load: the program's own clock, from its second epoch on, with and without
the change, in turns. LEVEL divides all of a step but a fixed part, so that the factor is a little below it."""

import json
import re
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import point
import tuned as tunes

LEVEL = "user.level"
USELESS = ["--knob", "useless=env:UNREAD={1,2}", "--knob", "idle=env:UNREAD_TOO={1,2}"]
BURN = "while True: pass"
MOST_STEPS_BY_HAND = 125  # of an epoch: minutes of one tell no more of its rate


def leveled(factor, *arguments):
    return {"arguments": arguments, "options": ["--knob", f"level=env:LEVEL={{1,{factor}}}", "--knobs", "level,useless,idle"],
            "knob": LEVEL, "by_hand": {"env": {"LEVEL": str(factor)}}}


# Short epochs are of 20 steps and fewer, of which a trial holds several; long ones outlast it.
PROGRAMS = {
    "x1.5_short_epochs": leveled(1.8, "--epoch", "20", "--rounds", "400"),
    "x1.5_long_epochs": leveled(1.8, "--epoch", "5000", "--rounds", "400"),
    "x2_short_epochs": leveled(2, "--epoch", "12", "--rounds", "400"),
    "x2_long_epochs": leveled(2, "--epoch", "5000", "--rounds", "600"),
    "x3_short_epochs": leveled(3, "--epoch", "20", "--rounds", "600"),
    "x4_long_epochs": leveled(4, "--epoch", "5000", "--rounds", "800"),
    "x8_long_epochs": leveled(8, "--epoch", "5000", "--rounds", "1600"),
    "workers_long_epochs": {"arguments": ["--epoch", "1000", "--wait-ms", "12", "--rounds", "20"],
                            "options": ["--knobs", "num_workers,useless,idle"], "knob": "dataloader.num_workers", "argument": "--workers"},
    "workers_middling_epochs": {"arguments": ["--epoch", "125", "--wait-ms", "20", "--rounds", "20"],
                                "options": ["--knobs", "num_workers,useless,idle"], "knob": "dataloader.num_workers", "argument": "--workers"},
    "persistent_short_epochs": {"arguments": ["--epoch", "12", "--workers", "2", "--rounds", "20"],
                                "options": ["--knobs", "persistent_workers,useless,idle"], "knob": "dataloader.persistent_workers",
                                "by_hand": {"arguments": ["--persistent"]}},
    # This moves time from the steps into the gaps: by the clock two workers are slower.
    "workers_of_tiny_epochs": {"arguments": ["--epoch", "6", "--wait-ms", "0.5", "--rounds", "5"],
                               "options": ["--knobs", "num_workers,useless,idle"], "knob": None},
}


@contextmanager
def beside(busy):
    """So many processes that keep cores busy."""
    burning = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(busy)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def by_hand(words, cwd, scratch, change, epochs, rounds=3):
    """Rate with the change over that without, of the program's own clock, and its least and greatest."""
    ratios = []
    for _ in range(rounds):
        rates = []
        for given in ({"arguments": change["arguments"][:2]}, change):
            env = {key: str(value) for key, value in point.environment({"env": {"OMP_NUM_THREADS": "1"}}, scratch / "home").items()} | given.get("env", {})
            command = [*words, "--epochs", str(epochs), *given.get("arguments", [])]
            done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True, check=True)
            rates.append(float(re.search(r"by the clock ([0-9.]+)", done.stdout).group(1)))
        ratios.append(rates[1] / rates[0])
    return [statistics.median(ratios), min(ratios), max(ratios)]


def study(name, busy=4, budget="240s", say=partial(print, flush=True)):
    """One line of the table."""
    one = PROGRAMS[name]
    program = {"folder": "tests/tune/programs", "command": ["known.py", *one["arguments"]], "env": {"OMP_NUM_THREADS": "1"}}
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="known.") as folder, beside(busy):
        folder = Path(folder)
        words = point.prepare(program, folder / "program")
        where = (words, folder / "program", folder / "scratch")
        tuned = tunes.tune(program, *where, ["--budget", budget, *USELESS, *one["options"]])
        assert tuned.document, tuned.output
        rows = tuned.document["trials"]
        row = next((row for row in rows if row["knob"] == one["knob"]), None)
        useless = [row for row in rows if row["knob"] in ("user.useless", "user.idle")]
        out = {"program": name, "busy": busy, "seconds": round(tuned.seconds), "row": row, "kept": tuned.kept, "clock": tuned.document.get("clock"),
               "useless": len(useless), "false_keeps": sum(row["kept"] for row in useless), "useless_rows": useless, "output": tuned.output}
        change = one.get("by_hand")
        if row and "argument" in one:
            change = {"arguments": [one["argument"], str(row["to"])]}
        if change:
            steps = min(int(one["arguments"][1]), MOST_STEPS_BY_HAND)
            by_hand_change = {**change, "arguments": ["--epoch", str(steps), *change.get("arguments", [])]}
            out["by_hand"] = by_hand(*where, by_hand_change, epochs=max(2, min(60, 400 // steps + 1)))
    say(json.dumps({key: value for key, value in out.items() if key not in ("output", "useless_rows")}))
    return out


def problems(found, factor_least=1.5):
    """The faults of tune that one line of the table shows."""
    out = []
    if found["false_keeps"]:
        out.append("keeps a knob that does nothing")
    if PROGRAMS[found["program"]]["knob"] is None:
        return out + (["keeps what the clock says is slower"] if any("num_workers" in knob for knob in found["kept"]) else [])
    if not found["row"] or not found["row"]["kept"]:
        out.append(f"does not keep {PROGRAMS[found['program']]['knob']}")
    elif found["by_hand"][0] < factor_least:
        out.append(f"gains x{found['by_hand'][0]:.2f} by hand only")
    return out


if __name__ == "__main__":
    for asked in sys.argv[1:] or PROGRAMS:
        print(problems(study(asked)), flush=True)
