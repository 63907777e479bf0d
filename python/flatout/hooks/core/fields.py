"""Objects of the program's, looked at without calling any code of its own."""

import collections.abc
import weakref


def fields(one):
    """The attributes that lie in the object itself: past its properties, __getattr__ and __getattribute__."""
    try:
        held = object.__getattribute__(one, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


class ByIdentity(collections.abc.MutableMapping):
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

    def values(self):
        return [value for _one, value in self.items()]

    def __getitem__(self, one):
        entry = self._known.get(id(one))
        if entry is None or entry[0]() is not one:
            raise KeyError(id(one))
        return entry[1]

    def __setitem__(self, one, value):
        self.set(one, value)

    def __delitem__(self, one):
        self[one]
        del self._known[id(one)]

    def __iter__(self):
        return iter([one for one, _value in self.items()])

    def __len__(self):
        return len(self.items())

    def _forget(self, key, gone):
        entry = self._known.get(key)
        if entry is not None and entry[0] is gone:
            del self._known[key]
