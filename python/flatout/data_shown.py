"""How descriptions and loaders of flatout.data are shown."""

from __future__ import annotations

from typing import Any

__all__ = ["shown_spec"]

_MOST_PATHS = 2


def shown_spec(spec: dict[str, Any]) -> str:
    """A spec in one line: name=value of all but what is the default; long lists of paths are cut short."""
    return ", ".join(f"{name}={_shown(value)}" for name, value in spec.items())


def _shown(value: Any) -> str:
    if isinstance(value, list) and len(value) > _MOST_PATHS and all(isinstance(one, str) for one in value):
        return f"[{', '.join(map(repr, value[:_MOST_PATHS]))}, ... {len(value)} in all]"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_shown(one)}' for name, one in value.items())}}}"
    return repr(value)
