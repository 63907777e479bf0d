"""What can be said of the samples that a sampler gave, whatever their order.

How many there were, how often one came again, a hash of all of them that does not
depend on the order; of whole numbers also how they are spread (the values at each
sixteenth of the sorted ones, and how many have each remainder by sixteen), how often
one is larger than the one before it, and how often it is its successor. Of two runs that
shuffle differently these are alike; dropped, repeated or unshuffled samples move them.
"""

from __future__ import annotations

import hashlib
import operator
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PARTS = 16


def described(seen: Any) -> Any:
    try:
        numbers = [operator.index(one) for one in seen]
        if any(abs(one) >> 53 for one in numbers):  # JSON and the reader have doubles
            raise OverflowError
    except (TypeError, OverflowError):
        return _of_names([_shown(one) for one in seen])
    return {**_of_names(["%d" % one for one in numbers]), **_of_numbers(numbers)}


def _of_names(names: list[str]) -> dict[str, Any]:
    names.sort()
    digest = hashlib.blake2b("\0".join(names).encode("utf-8", "replace"), digest_size=8).hexdigest()
    return {"samples": len(names), "repeats": len(names) - len(set(names)), "together": digest}


def _of_numbers(numbers: Any) -> dict[str, Any]:
    if not numbers:
        return {}
    steps = [after - before for before, after in zip(numbers, numbers[1:])]
    ordered = sorted(numbers)
    rests = [0] * _PARTS
    for one in numbers:
        rests[one % _PARTS] += 1
    return {
        "rising": sum(step > 0 for step in steps),
        "successors": sum(step == 1 for step in steps),
        "quantiles": [ordered[(len(ordered) - 1) * part // _PARTS] for part in range(_PARTS + 1)],
        "rests": rests,
    }


def _shown(one: Any) -> Any:
    """Without addresses, which differ from run to run."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(one))
