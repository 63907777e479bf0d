"""The name is that of wandb.util: scripts that use flatout.track in its place import generate_id from here."""

from __future__ import annotations

from flatout.track.settings import new_id

__all__ = ["generate_id"]


def generate_id(length: int = 8) -> str:
    """Small letters and digits, drawn by the system alone."""
    return "".join(new_id() for _ in range((length + 7) // 8))[:length]
