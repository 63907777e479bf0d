"""What is said of each knob: once, and again when it changes (run/facts.h)."""

import json
import os

_MOST = 64  # facts of a process; a program that goes back and forth fills no ring


def cause(error):
    return "setting it failed: %s: %s" % (type(error).__name__, error)


class Words:
    """Words of the import are held back until the ring is open: a process that only
    imports torch shall not get a ring for them. One that is made by fork has a ring
    of its own, in which everything is repeated."""

    def __init__(self, native):
        self.native = native
        self.held = []
        self.ready = False
        self._begin()

    def _begin(self):
        self.process = os.getpid()
        self.said = {}
        self.count = 0

    def say(self, knob, value, applied, reason=None, own=None, **more):
        """`own`: what the program had, None = not known."""
        facts = {"knob": knob, "value": value, "applied": applied}
        if own is not None:
            facts["from"] = own
        if reason is not None:
            facts["reason"] = reason
        text = json.dumps({**facts, **more})
        if self.process != os.getpid():
            self._begin()
        if self.said.get(knob) == text or self.count >= _MOST:
            return
        self.said[knob] = text
        self.count += 1
        if self.ready:
            self.native.fact("knob", text)
        else:
            self.held.append(text)

    def installed(self):
        """From now on a word may open the ring, which then calls opened()."""
        self.ready = True

    def opened(self):
        for text in self.held:
            self.native.fact("knob", text)
