"""What the engine of one loader keeps of its samples, in memory or on a near disk: its key "cache" (docs/data.md#caches)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEEPS = ("encoded", "decoded")
_KEYS = ("memory_mb", "keep", "folder", "disk_mb")


def described(cache: object) -> dict[str, Any] | None:
    """The engine's words for `cache`: None, "encoded" or "decoded" (a share of what memory is free), or a dict of the arguments of
    flatout.data's cache(). None where nothing is kept. ValueError where it is none of these."""
    if cache is None:
        return None
    if isinstance(cache, str):
        cache = {"keep": cache}
    if not isinstance(cache, dict) or not cache.keys() <= set(_KEYS):
        raise ValueError("cache should be None, %s or a dict of %s, but got cache=%r"
                         % (", ".join(map(repr, KEEPS)), ", ".join(map(repr, _KEYS)), cache))
    out = {"memory_mb": "auto", "keep": "encoded", **cache}
    if out["keep"] not in KEEPS:
        raise ValueError("cache should keep one of %s, but got %r" % (", ".join(map(repr, KEEPS)), out["keep"]))
    if out["memory_mb"] not in ("auto", None) and not _is_mib(out["memory_mb"]):
        raise ValueError("cache: memory_mb should be 'auto', None or whole MiB from 1, but got %r" % (out["memory_mb"],))
    if ("folder" in out) != ("disk_mb" in out) or "disk_mb" in out and not _is_mib(out["disk_mb"]):
        raise ValueError("cache: folder needs disk_mb, whole MiB from 1, and disk_mb a folder")
    if out["memory_mb"] is None and ("folder" not in out or out["keep"] == "decoded"):
        raise ValueError("cache: without memory_mb there has to be a folder, which keeps encoded samples alone")
    if "folder" in out:
        import os

        out["folder"] = os.fspath(out["folder"])
    return {key: value for key, value in out.items() if value is not None}


def beside_another(cache: dict[str, Any] | None) -> dict[str, Any] | None:
    """Of a loader's second engine, while the first one lives: its memory is the first one's alone, a folder is everybody's."""
    if cache is None or "folder" not in cache:
        return None
    return {**{key: cache[key] for key in ("folder", "disk_mb")}, "keep": "encoded"}


def _is_mib(value: Any) -> bool:
    return type(value) is int and value >= 1
