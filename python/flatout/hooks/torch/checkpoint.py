"""Checkpoints: torch.save."""

PHASE = 0
CHECKPOINT = 8


def install(native, torch):
    native.hook(torch, "save", PHASE, CHECKPOINT)
