"""How urgent an alert is."""

from __future__ import annotations

import enum

__all__ = ["AlertLevel"]


class AlertLevel(enum.Enum):
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"
