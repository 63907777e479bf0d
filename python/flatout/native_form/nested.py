"""torchvision's RandomApply, RandomChoice and RandomOrder as steps that hold steps.

Each takes the object, how it is called, and `within`, which lowers a list of transforms that leave a picture a picture.
"""

from __future__ import annotations

from .refused import Refused
from .steps import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _random_apply(part: Any, _title: str, within: Any) -> dict[str, Any]:
    return {"random_apply": {"steps": within(part.transforms), "p": number(part.p)}}


def _random_choice(part: Any, title: str, within: Any) -> dict[str, Any]:
    out = {"steps": [within([one]) for one in part.transforms]}
    if part.p is not None:
        out["p"] = [number(one) for one in part.p]
        if len(out["p"]) != len(out["steps"]):
            raise Refused("%s with %d probabilities for %d transforms has no native form" % (title, len(out["p"]), len(out["steps"])))
    return {"random_choice": out}


def _random_order(part: Any, _title: str, within: Any) -> dict[str, Any]:
    return {"random_order": {"steps": [within([one]) for one in part.transforms]}}


NESTED = {"RandomApply": _random_apply, "RandomChoice": _random_choice, "RandomOrder": _random_order}
