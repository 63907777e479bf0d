"""A flag of torch that is set when torch is imported, and looked at when the model runs.

The model's device is known only then: where it is not CUDA the flag changes
nothing of use and is put back. Where the program has set the flag since, the
program's word holds.
"""

_NOT_CUDA = "the model does not run on a CUDA device"
_OVERRULED = "the program sets it itself"


class Flag:
    """Subclasses have id, wrong(value), get(), put(value) and wanted(value)."""

    def __init__(self, torch, value, words):
        self.torch = torch
        self.value = value
        self.words = words
        self.own = self.get()
        self.put(self.wanted(value))
        self.undone = False

    def look(self, _module, device):
        now = self.get()
        if not self.undone and now != self.wanted(self.value):
            self._say(_OVERRULED)
        elif device == "cuda" and not self.undone:
            self._say(None)
        else:
            self.undo()
            self._say(_NOT_CUDA)

    def undo(self):
        if not self.undone and self.own is not None:
            self.put(self.own)
        self.undone = True

    def _say(self, reason):
        self.words.say(self.id, self.value, reason is None, reason, self.shown(self.own))

    def shown(self, flag):
        """A flag as a value of the knob."""
        return flag
