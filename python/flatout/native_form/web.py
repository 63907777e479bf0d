"""A DataLoader over a WebDataset pipeline, as the engine's form: the pipeline batches (batch_size=None), or the loader does."""

from __future__ import annotations

from .answers import named
from .refused import Refused
from .web_pipeline import WebPipeline, is_web  # noqa: F401

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class WebForm:
    """As Form, but of samples that are known one after the other: `pipeline` says which."""

    samples = places = None
    batch_type = list

    def __init__(self, torch: ModuleType, loader: Any) -> None:
        collate = torch.utils.data._utils.collate
        if loader.worker_init_fn is not None:
            raise Refused("worker_init_fn would not run")
        self.pipeline = WebPipeline(torch, loader.dataset)
        if self.pipeline.batched == (loader.batch_size is not None):
            raise Refused("batches are made " + ("twice" if self.pipeline.batched else "nowhere"))
        if loader.collate_fn is not (collate.default_convert if self.pipeline.batched else collate.default_collate):
            raise Refused("%s, which makes its batches, has no native form" % (named(loader.collate_fn),))
        self.batch_size = self.pipeline.batch_size or loader.batch_size
        self.drop_last = loader.drop_last
        self.spec = self.pipeline.spec()
