"""`run.config` and `run.summary`: by attribute and by item, every change sent on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Callable

from flatout.track.errors import say_once
from flatout.track.plain import key_of, plain
from flatout.track.settings import config_file

__all__ = ["Config", "Summary", "as_mapping"]


def as_mapping(given: Any) -> dict[str, Any]:
    """Of a mapping, an argparse or absl namespace, a dataclass, an OmegaConf, the path of a YAML file, or pairs."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {key_of(key): given[key] for key in given}
    if isinstance(given, str):
        return config_file(given)
    if hasattr(given, "flag_values_dict"):
        return dict(given.flag_values_dict())
    as_plain = plain(given)
    if isinstance(as_plain, dict):
        return as_plain
    inside = getattr(given, "__dict__", None)
    if isinstance(inside, dict) and not isinstance(given, type):
        return {key: value for key, value in inside.items() if not key.startswith("_")}
    try:
        return {key_of(key): value for key, value in given}
    except Exception:
        say_once(f"config: {type(given).__name__} is no mapping; it is left out")
        return {}


class Config:
    """The parameters of a run. Values are kept as they were given; what is recorded is their JSON."""

    def __init__(self, send: Callable[[dict[str, Any], list[str]], None] | None = None) -> None:
        object.__setattr__(self, "_items", {})
        object.__setattr__(self, "_send", send or (lambda changed, removed: None))

    def _set(self, changes: Mapping[str, Any], may_change: bool | None) -> None:
        items = self._items
        changed = {}
        for key, value in changes.items():
            if key in items and not _same(items[key], value):
                if not may_change:
                    say_once(f"config[{key!r}] was set before and is changed (wandb raises ConfigError without allow_val_change)")
            elif key in items:
                continue
            items[key] = value
            changed[key] = plain(value)
        if changed:
            self._send(changed, [])

    def update(self, d: Any = None, allow_val_change: bool | None = None, **named: Any) -> None:
        self._set({**as_mapping(d), **named}, allow_val_change)

    def setdefaults(self, d: Any) -> None:
        self._set({key: value for key, value in as_mapping(d).items() if key not in self._items}, False)

    def update_locked(self, d: Any, user: Any = None, _allow_val_change: bool | None = None) -> None:
        self._set(as_mapping(d), True)

    merge_locked = update_locked

    def persist(self) -> None:
        """Everything is sent when it is set."""

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._set({key_of(key): value}, False)

    def __delitem__(self, key: str) -> None:
        del self._items[key]
        self._send({}, [key_of(key)])

    def __getattr__(self, key: str) -> Any:
        items: dict[str, Any] = object.__getattribute__(self, "_items")
        if key in items:
            return items[key]
        raise AttributeError(f"the run's config has no {key!r}")

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __delattr__(self, key: str) -> None:
        if key not in self._items:
            raise AttributeError(f"the run's config has no {key!r}")
        del self[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return self._items == (other._items if isinstance(other, Config) else other)  # type: ignore[no-any-return]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> Any:
        return _restored, (dict(self._items),)

    def get(self, key: str, default: Any = None) -> Any:
        return self._items.get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        there = key in self._items
        value = self._items.pop(key, *default)
        if there:
            self._send({}, [key_of(key)])
        return value

    def keys(self) -> Any:
        return self._items.keys()

    def values(self) -> Any:
        return self._items.values()

    def items(self) -> Any:
        return self._items.items()

    def as_dict(self) -> dict[str, Any]:
        return dict(self._items)

    _as_dict = as_dict


def _restored(items: dict[str, Any]) -> Config:
    """A copy or a pickle holds the items and sends nothing."""
    out = Config()
    out._items.update(items)
    return out


def _same(one: Any, other: Any) -> bool:
    try:
        return one is other or (type(one) is type(other) and bool(one == other))
    except Exception:  # an array, whose comparison is no bool
        return False


class Summary:
    """What was logged last or set by the script, whichever came later."""

    def __init__(self, latest: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
        object.__setattr__(self, "_latest", latest)  # the run writes what it logs into it
        object.__setattr__(self, "_send", send)

    def _as_dict(self) -> dict[str, Any]:
        return dict(self._latest)

    def update(self, d: Any = None, **named: Any) -> None:
        changes = {**as_mapping(d), **named}
        self._latest.update(changes)
        if changes:
            self._send({key: plain(value) for key, value in changes.items()})

    def __getitem__(self, key: str) -> Any:
        return self._latest[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key_of(key): value})

    def __delitem__(self, key: str) -> None:
        del self._latest[key]

    def __getattr__(self, key: str) -> Any:
        latest: dict[str, Any] = object.__getattribute__(self, "_latest")
        if key in latest:
            return latest[key]
        raise AttributeError(f"the run's summary has no {key!r}")

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __contains__(self, key: object) -> bool:
        return key in self._latest

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self._latest))

    def __len__(self) -> int:
        return len(self._latest)

    def __repr__(self) -> str:
        return repr(self._latest)

    def get(self, key: str, default: Any = None) -> Any:
        return self._latest.get(key, default)

    def keys(self) -> Any:
        return self._as_dict().keys()

    def values(self) -> Any:
        return self._as_dict().values()

    def items(self) -> Any:
        return self._as_dict().items()
