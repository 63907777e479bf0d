"""Objects of the program's, looked at without calling any code of its own."""

import weakref


def fields(one):
    """The attributes that lie in the object itself: past its properties, __getattr__ and __getattribute__."""
    try:
        held = object.__getattribute__(one, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


class ByIdentity:
    """What is known of an object for as long as it lives. A weak dictionary would call its __hash__ and __eq__."""

    def __init__(self):
        self._known = {}  # id -> (weak reference, value)

    def get(self, one, otherwise=None):
        entry = self._known.get(id(one))
        return entry[1] if entry is not None and entry[0]() is one else otherwise

    def set(self, one, value):
        key = id(one)
        self._known[key] = (weakref.ref(one, lambda gone: self._forget(key, gone)), value)
        return value

    def items(self):
        """Of those that live, first come first."""
        known = ((reference(), value) for reference, value in list(self._known.values()))
        return [(one, value) for one, value in known if one is not None]

    def _forget(self, key, gone):
        entry = self._known.get(key)
        if entry is not None and entry[0] is gone:
            del self._known[key]
