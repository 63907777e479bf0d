"""When facts are looked at that may change while the program trains.

At the first training forward of the model, at the first one after each iterator
that is built (as a rule an epoch), and after every 256 more, or fewer where a listener
waits for something. Between these a forward calls no Python.
"""

LOOK_EVERY = 256


class Occasions:
    def __init__(self, native):
        self.native = native
        self.due = True
        self.left = LOOK_EVERY  # forwards until the next look, if no epoch begins before
        self._listeners = []

    def listen(self, listener):
        """Have listener(module, device_type) called at each occasion, before the forward."""
        self._listeners.append(listener)

    def new_epoch(self):
        self.due = True
        self.native.rest_forwards(None, 0)

    def sooner(self, forwards):
        """For a listener, while it is called: have the next look after so many forwards at most."""
        self.left = min(self.left, forwards)

    def look(self, module, device):
        self.due = False
        self.left = LOOK_EVERY
        for listener in self._listeners:
            try:
                listener(module, device)
            except Exception:  # this fact stays absent, the others are still told
                continue
