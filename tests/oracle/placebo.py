"""Programs tuned with a knob that does nothing: what is kept of it is a false keep.

The knob is an environment variable that no program reads, so that every trial is the program as it is. All
other settings are the defaults."""

import json
import tempfile
from pathlib import Path

import point
import tuned as tunes

KNOB = "placebo"
OPTIONS = ["--knob", KNOB + "=env:AN_UNREAD_VARIABLE={1,2,3,4}", "--knobs", KNOB]


def tune(name, program, store, say=print):
    """The flatout.tune/1 document of one program, kept in `store`."""
    if store.exists():
        return tunes.Tuned(**json.loads(store.read_text()))
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="placebo.") as folder:
        folder = Path(folder)
        words = point.prepare(program, folder / "program")
        out = tunes.tune(program, words, folder / "program", folder / "scratch", OPTIONS)
    store.parent.mkdir(parents=True, exist_ok=True)
    store.write_text(json.dumps(out.to_json()))
    say(f"{name}\n{out.output}")
    return out


def problems(tuned):
    if tuned.document is None:
        return [f"tune gave no document: {tuned.output[-300:]}"]
    out = [f"keeps {knob}={value}" for knob, value in tuned.kept.items()]
    if not tuned.document["trials"]:
        out.append("the knob was not tried")
    if tuned.changed:
        out.append(f"the program's folder changed: {', '.join(tuned.changed[:3])}")
    return out
