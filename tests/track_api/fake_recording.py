"""The Recording of flatout.track as a list.

Programs under test import it first. With FAKE_RECORDING naming a file, it then stands where the native one would, and each entry is
appended to that file as a line of JSON. Without, it does nothing, and the native one is used.
"""

import hashlib
import json
import os
import sys
import types

entries = []  # (kind, ...) in order
files = {}


class FakeRecording:
    run_id = "20260101-000000-fake"

    def __init__(self):
        self.folder = os.environ.get("FAKE_RECORDING_FOLDER", "/nonexistent")
        self.tracks = 0
        self.lost = 0

    def _add(self, *entry):
        entries.append(entry)
        target = os.environ.get("FAKE_RECORDING")
        if target:
            with open(target, "a") as file:
                file.write(json.dumps([os.getpid(), *entry]) + "\n")

    def open_track(self):
        self.tracks += 1
        return self.tracks - 1

    def values(self, track, step, data):
        left = {}
        for key, value in data.items():
            try:
                ok = isinstance(key, str) and len(key) <= 512 and hasattr(type(value), "__float__") and getattr(value, "shape", ()) == ()
                number = float(value) if ok else None
            except Exception:
                number = None
            if number is None:
                left[key] = value
            else:
                self._add("value", track, step, key, number)
        return left or None

    def fact(self, key, value):
        json.dumps(value)  # it must be JSON
        self._add("fact", key, value)

    def file(self, source, extension, shown=None):
        if isinstance(source, bytes):
            data = source
        else:
            with open(source, "rb") as file:
                data = file.read()
        name = f"{hashlib.sha256(data).hexdigest()[:16]}.{extension}"
        files[name] = data
        return name, len(data)

    def dropped_by_ring(self):
        return self.lost

    def close(self, exit_code):
        self._add("close", exit_code)


recording = FakeRecording()
module = types.ModuleType("flatout.track._recording")
module.open_recording = lambda name=None, home=None, quiet=False: recording
if os.environ.get("FAKE_RECORDING"):
    sys.modules["flatout.track._recording"] = module


def facts(key, since=0):
    return [entry[2] for entry in entries[since:] if entry[0] == "fact" and entry[1] == key]


def values(name=None, since=0):
    """(step, value) of one name, or (name, step, value)."""
    found = [entry[1:] for entry in entries[since:] if entry[0] == "value"]
    return [(step, value) for _, step, key, value in found if key == name] if name else [(key, step, value) for _, step, key, value in found]
