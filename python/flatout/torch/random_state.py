"""Random generators as text: what a state keeps of them, and blocks that leave those of the process as they were."""

from __future__ import annotations

import array
import base64
import contextlib
import random
import sys

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


def of_generator(generator: Any) -> Any:
    """The state of a torch.Generator, or with None of the process's own for the CPU."""
    state = torch.get_rng_state() if generator is None else generator.get_state()
    return _text(state.numpy().tobytes())


def set_generator(generator: Any, text: str) -> None:
    state = torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.uint8)
    torch.set_rng_state(state) if generator is None else generator.set_state(state)


def of_process() -> Any:
    """torch's, Python's and, where it is imported, NumPy's."""
    version, words, gauss = random.getstate()
    states = {"torch": of_generator(None), "python": [version, _text(array.array("I", words).tobytes()), gauss]}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        name, words, position, has_gauss, gauss = numpy.random.get_state()
        states["numpy"] = [name, _text(words.astype("<u4").tobytes()), int(position), int(has_gauss), float(gauss)]
    return states


def set_process(states: Any) -> None:
    set_generator(None, states["torch"])
    version, words, gauss = states["python"]
    random.setstate((version, tuple(array.array("I", base64.b64decode(words))), gauss))
    if "numpy" in states:
        import numpy

        name, words, position, has_gauss, gauss = states["numpy"]
        numpy.random.set_state((name, numpy.frombuffer(base64.b64decode(words), "<u4"), position, has_gauss, gauss))


@contextlib.contextmanager
def untouched() -> Iterator[None]:
    """What the block draws from the process's generators is given back at its end."""
    states = of_process()
    try:
        yield
    finally:
        set_process(states)


def _text(octets: bytes) -> Any:
    return base64.b64encode(octets).decode("ascii")
