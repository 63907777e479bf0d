"""env.intraop_threads: how many threads one operation of torch uses on the CPU.

Set by the environment (OMP_NUM_THREADS, MKL_NUM_THREADS) before the program
starts; here it is only looked at. Needs a program that does not call
torch.set_num_threads() itself. Undone: without the plan the environment is the user's.
Draws: none, but sums are rounded in another order.
"""

from __future__ import annotations

import os

from .table import TABLE
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .words import Words


class IntraopThreads(OfTable):
    id = "env.intraop_threads"

    def __init__(self, torch: ModuleType, value: Any, words: Words) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.own: int | None = None  # the program's, where it was set while it runs

    def set_now(self) -> None:
        """In a program that runs; torch hands the number on to OpenMP and MKL."""
        self.own = self.torch.get_num_threads()
        self.torch.set_num_threads(self.value)

    def undo(self, _reason: str = "") -> None:
        if self.own is not None:
            self.torch.set_num_threads(self.own)

    def look(self, _module: Any, _device: Any) -> None:
        reason = self._reason(self.torch.get_num_threads())
        self.words.say(self.id, self.value, reason is None, reason)

    def _reason(self, threads: Any) -> str | None:
        if threads == self.value:
            return None
        if os.environ.get(TABLE[self.id].variables[0]) != str(self.value):
            return "its environment variable did not reach the program, which runs with %d" % threads
        return "the program sets %d threads itself" % threads
