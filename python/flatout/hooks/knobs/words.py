"""What is said of each knob: once, and again when it changes (run/facts.h)."""

import json

_MOST = 64  # facts of a process; a program that goes back and forth fills no ring


def cause(error):
    return "setting it failed: %s: %s" % (type(error).__name__, error)


class Words:
    """Until the ring is open words are held back: a process that only imports
    torch shall not get a ring for them."""

    def __init__(self, native):
        self.native = native
        self.held = []
        self.ready = False
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
        held, self.held = self.held, []
        for text in held:
            self.native.fact("knob", text)
