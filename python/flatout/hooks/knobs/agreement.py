"""All ranks set a knob, or none: one that only some run under makes them hang.

The ranks of one machine tell each other in files of the run's ring folder whether
they can set a knob; nothing of ours enters the program's process group. Whoever has
heard of all, or has waited for too long, writes the decision down, and the first
one that stands counts for everybody, also for those that come later. Ranks on
other machines are not asked: each machine decides for its own.
"""

from __future__ import annotations

import os
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_PATIENCE_S = 20.0
_LOOK_S = 0.01
_MOST_RANKS = 4096
# Of torchrun, Open MPI, MPICH and Intel MPI: this rank's place on its machine, of how many.
_VARIABLES = (
    ("LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
)
_HERE = ("localhost", "127.0.0.1", "::1")
_YES = "yes"
_PATIENCE_AFTER_A_MISS_S = 1.0  # a rank that goes another way is not waited for again and again


class Alone:
    """In the place of an agreement where there is one process."""

    def alone(self) -> bool:
        return True

    def hold(self, _knob: Any, reason: str | None) -> str | None:
        return reason


class Agreement:
    def __init__(self, torch: ModuleType, folder: Any, patience_s: float = _PATIENCE_S) -> None:
        self.torch = torch
        self.folder = folder
        self.patience_s = patience_s
        self.settled: dict[Any, Any] = {}  # knob -> reason or None

    def settle(self, knob: Any, reason: str | None) -> str | None:
        """`reason`: why this rank cannot set it, or None; the same of all ranks together.
        Asked once a knob; a rank that can no longer set it then says so for itself."""
        place = self._place()
        if place is None:
            return reason
        if knob not in self.settled:
            try:
                self.settled[knob] = self._decide(knob, reason, *place)
            except OSError as error:
                self.settled[knob] = "the ranks could not agree: %s" % (error.strerror,)
        return self.settled[knob] or reason

    def hold(self, knob: Any, reason: str | None) -> str | None:
        """As settle, of what a process sets once and asks for again and again: a rank that
        takes it back after all were agreed takes it from all, at their next look."""
        before = self.settled.get(knob, _YES)
        reason = self.settle(knob, reason)
        if before is None and self.settled[knob] is None:
            try:
                self.settled[knob] = self._taken_back(knob, reason)
            except OSError:
                pass  # it was agreed that all set it
        return self.settled.get(knob) or reason

    def alone(self) -> bool:
        return self._place() is None

    def _taken_back(self, knob: Any, reason: str | None) -> str | None:
        path = os.path.join(self.folder, "knob.%s.back" % (knob,))
        if reason is not None:
            self._write(path, "rank %d: %s" % (self._place()[0], reason))
        return self._read(path)

    def _place(self) -> Any:
        """(rank on this machine, of how many), or None where there is only this one."""
        for rank, ranks in _VARIABLES:
            rank, ranks = os.environ.get(rank, ""), os.environ.get(ranks, "")
            if rank.isdigit() and ranks.isdigit():
                return (int(rank), int(ranks)) if 1 < int(ranks) <= _MOST_RANKS else None
        distributed = self.torch.distributed
        if not distributed.is_available() or not distributed.is_initialized():
            return None
        if distributed.get_world_size() < 2 or os.environ.get("MASTER_ADDR", "") not in _HERE:
            return None
        return distributed.get_rank(), distributed.get_world_size()

    def _decide(self, knob: Any, reason: str | None, rank: Any, ranks: Any) -> str | None:
        stem = os.path.join(self.folder, "knob.%s." % (knob,))
        self._write(stem + str(rank), _YES if reason is None else "rank %d: %s" % (rank, reason))
        end = time.monotonic() + self.patience_s
        decision = None
        while decision is None:
            decision = self._read(stem + "all")
            if decision is None:
                verdict = self._verdict(stem, ranks)
                if verdict is None and time.monotonic() >= end:
                    verdict = "not all ranks came to the point where it is set within %g s" % (self.patience_s,)
                    self.patience_s = min(self.patience_s, _PATIENCE_AFTER_A_MISS_S)
                if verdict is not None:
                    self._write(stem + "all", verdict)
                else:
                    time.sleep(_LOOK_S)
        return None if decision == _YES else decision

    def _verdict(self, stem: str, ranks: Any) -> str | None:
        """What all say, or None while one has not spoken; one no is enough."""
        votes = [self._read(stem + str(rank)) for rank in range(ranks)]
        no = [vote for vote in votes if vote not in (None, _YES)]
        return no[0] if no else None if None in votes else _YES

    def _write(self, path: str, text: str) -> None:
        """Whole, or not at all, and never in the place of what stands there."""
        new = "%s.%d.%d" % (path, os.getpid(), threading.get_ident())
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            os.link(new, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(new)

    def _read(self, path: str) -> str | None:
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None
