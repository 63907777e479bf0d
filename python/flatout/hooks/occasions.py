"""When facts are looked at that may change while the program trains.

At the first training forward of the model, at the first one after each iterator
that is built (as a rule an epoch), and after every 256 more. Between these a
forward calls no Python.
"""

LOOK_EVERY = 256


class Occasions:
    def __init__(self, native):
        self.native = native
        self.due = True
        self._listeners = []

    def listen(self, listener):
        """Have listener(module, device_type) called at each occasion, before the forward."""
        self._listeners.append(listener)

    def new_epoch(self):
        self.due = True
        self.native.rest_forwards(None, 0)

    def look(self, module, device):
        self.due = False
        for listener in self._listeners:
            try:
                listener(module, device)
            except Exception:  # this fact stays absent, the others are still told
                continue
