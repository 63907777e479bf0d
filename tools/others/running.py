"""Starts a program of others in a fresh folder, and keeps what it printed, when, and what it wrote."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import selectors
import shutil
import subprocess
import sys
import time

from others.programs import OFFLINE


@dataclasses.dataclass
class Ran:
    status: int
    wall_s: float
    out: str
    err: str
    stamps: list  # (seconds since the start, line) of both streams
    files: dict
    report: dict | None = None
    told: str = ""  # what flatout printed

    @property
    def text(self):
        return self.out + "\n" + self.err


def lay_out(program, sources, data, place):
    """The program's files, copied, and its data, linked, in an empty folder: always the same, since paths are printed."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name, source in program.files.items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        original = sources / source
        (shutil.copytree if original.is_dir() else shutil.copy2)(original, target)
    for name, source in program.data.items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to((data / source).resolve())


def environment_of(place, more):
    return {**os.environ, **OFFLINE, "HF_HOME": str(place / ".hf"), **more}


def prepare(program, place, environment):
    """What the program's authors run once before it, such as making tokens of a text."""
    if not program.before:
        return
    done = subprocess.run([sys.executable, *program.before], cwd=place, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{program.name}: {program.before[0]} ended with {done.returncode}: {done.stderr[-400:]}")


def written(place):
    """Each regular file in the folder, with a digest of its bytes."""
    files = {}
    for path in sorted(place.rglob("*")):
        if path.is_file() and not path.is_symlink():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            files[str(path.relative_to(place))] = digest
    return files


def read_stamped(process, start):
    """Both streams until they close: their bytes, and each line with the time at which it was whole."""
    whole, rest, stamps = {}, {}, []
    select = selectors.DefaultSelector()
    for stream in (process.stdout, process.stderr):
        whole[stream], rest[stream] = [], b""
        select.register(stream, selectors.EVENT_READ)
    while select.get_map():
        for key, _ in select.select():
            chunk = os.read(key.fd, 1 << 16)
            if not chunk:
                select.unregister(key.fileobj)
                continue
            now = time.monotonic() - start
            whole[key.fileobj].append(chunk)
            *lines, rest[key.fileobj] = re.split(rb"[\r\n]", rest[key.fileobj] + chunk)
            stamps += [(now, line.decode(errors="replace")) for line in lines]
    return [b"".join(whole[s]).decode(errors="replace") for s in (process.stdout, process.stderr)], stamps


def run(program, sources, data, work, flatout=None, advice=None, options=()):
    """One run, bare or under `flatout`, as it stands or with an advice applied."""
    place = work / "place"
    lay_out(program, sources, data, place)
    words, more = program.changed(advice or {})
    environment = environment_of(place, more)
    prepare(program, place, environment)
    command = [sys.executable, *words]
    report, told = work / "report.json", work / "told.txt"
    if flatout:
        for old in (report, told):
            old.unlink(missing_ok=True)
        options = [*options, "--home", str(work / "home"), "--json", str(report), "--report-to", str(told)]
        if (advice or {}).get("plan"):
            plan = work / "advice.toml"
            plan.write_text("[knobs]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in advice["plan"].items()))
            options += ["--plan", str(plan)]
        command = [str(flatout), "run", *options, "--", *command]
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    (out, err), stamps = read_stamped(process, start)
    status = process.wait()
    ran = Ran(status, time.monotonic() - start, out, err, stamps, written(place))
    if flatout:
        ran.report = json.loads(report.read_text()) if report.exists() else None
        ran.told = told.read_text() if told.exists() else ""
    return ran


def step_s(program, ran, skip):
    """Seconds a step by the times at which the program printed its steps, after the first `skip`; else None."""
    if not program.steps:
        return None
    times = []
    for at, line in ran.stamps:
        found = re.search(program.steps, line)
        if found:
            times.append((at, int(found["last"]) if "last" in found.groupdict() else len(times)))
    times = [(at, n) for at, n in times if n >= skip]
    if len(times) < 2 or times[-1][1] == times[0][1]:
        return None
    return (times[-1][0] - times[0][0]) / (times[-1][1] - times[0][1])


def sources_missing(program, sources):
    return [str(pathlib.Path(s)) for s in program.files.values() if not (sources / s).exists()]
