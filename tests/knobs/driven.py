"""A tuner's side of the control page (src/wire/control_page.h), for programs under the hooks."""

import json
import mmap
import struct
import subprocess
import sys
import time

from hooked import environment

MAGIC, VERSION, TEXT = 0x6761706C74636F66, 2, 16 << 10
# Where things lie in the page; the compiler's own layout of ControlPage.
PID, OTHERS, ASKED, REQUEST = 80, 84, 88, 92
SETTLE, STEPS, LEAST_NS, TEXT_BYTES, TEXT_AT = 96, 104, 112, 120, 124
ANSWERED = TEXT_AT + TEXT
CLOSED = ANSWERED + 4
END = CLOSED + 8
RESTARTS, DONE, BLOCK_NS, SWITCH_NS, SETTLE_NS = END + 4, END + 8, END + 16, END + 24, END + 32
ANSWER_BYTES, ANSWER = END + 40, END + 44
TRAINING = (ANSWER + TEXT + 3) // 4 * 4
WITH_EPOCHS = TRAINING + 4
SIZE = (WITH_EPOCHS + 8 + 7) // 8 * 8
BLOCK, LAST, REST, LET_GO = 1, 2, 3, 4
MEASURED, DISTURBED, FAILED = 1, 2, 3


class Block:
    def __init__(self, page):
        self.end, self.restarts, self.steps, self.ns, self.switch_ns, self.settle_ns = struct.unpack_from("<IIQqqq", page, END)
        size = struct.unpack_from("<I", page, ANSWER_BYTES)[0]
        self.text = bytes(page[ANSWER : ANSWER + size]).decode()
        self.step_s = self.ns / self.steps / 1e9 if self.steps else None

    @property
    def outcomes(self):
        return json.loads(self.text)


class Driven:
    """A program that is driven, from its first step to the end that is asked for. A context manager."""

    def __init__(self, folder, program, *arguments, **variables):
        folder.mkdir(parents=True, exist_ok=True)
        rings, path = folder / "rings", folder / "control"
        rings.mkdir()
        path.write_bytes(struct.pack("<QII", MAGIC, VERSION, SIZE).ljust(SIZE, b"\0"))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), SIZE)
        env = environment(rings, FLATOUT_CONTROL=path, **{"FLATOUT_TRIAL": 1, "FLATOUT_STOP_AFTER": 10**9, **variables})
        self.output = folder / "output"
        with open(self.output, "w") as output:
            self.process = subprocess.Popen([sys.executable, str(program), *map(str, arguments)], env=env, stdout=output, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.process.kill()
        self.process.wait()

    def number(self, at):
        return struct.unpack_from("<I", self.page, at)[0]

    def closed(self):
        """Steps so far."""
        return struct.unpack_from("<Q", self.page, CLOSED)[0]

    def _ask(self, request, settle=0, steps=0, text=b"{}", least_ns=0, with_epochs=0, training=0):
        struct.pack_into("<I", self.page, REQUEST, request)
        struct.pack_into("<II", self.page, TRAINING, training, with_epochs)
        struct.pack_into("<QQqI", self.page, SETTLE, settle, steps, least_ns, len(text))
        self.page[TEXT_AT : TEXT_AT + len(text)] = text
        struct.pack_into("<I", self.page, ASKED, self.number(ASKED) + 1)

    def block(self, knobs=None, steps=10, settle=3, least_ns=0, with_epochs=0):
        return self.ask_text(json.dumps(knobs or {}).encode(), steps, settle, least_ns, with_epochs)

    def ask_text(self, text, steps=2, settle=1, least_ns=0, with_epochs=0):
        self._ask(BLOCK, settle, steps, text, least_ns, with_epochs)
        self._wait()
        return Block(self.page)

    def run_from_state(self, knobs=None, same_batches=True, steps=12):
        """A run of training from one state (python/flatout/hooks/knobs/gate_runs.py)."""
        self._ask(BLOCK, 0, steps, json.dumps(knobs or {}).encode(), training=3 if same_batches else 1)
        self._wait()
        return Block(self.page)

    def stays(self, knobs=None):
        """These settings stay, and the program goes on by itself: its exit status."""
        self._ask(BLOCK, 0, 1, json.dumps(knobs or {}).encode(), training=4, with_epochs=1)
        self._wait()
        return self.let_go()

    def rest(self):
        self._ask(REST)
        self._wait()

    def let_go(self):
        """Its exit status, once it ends as a trial that nobody drives."""
        self._ask(LET_GO)
        return self.process.wait(timeout=60)

    def _wait(self, patience_s=120):
        until = time.monotonic() + patience_s
        while self.number(ANSWERED) != self.number(ASKED):
            assert self.process.poll() is None, self.output.read_text()
            assert time.monotonic() < until, self.output.read_text()
            time.sleep(0.002)

    def end(self):
        """Its exit status and what it printed."""
        self._ask(LAST)
        return self.process.wait(timeout=60), self.output.read_text()
