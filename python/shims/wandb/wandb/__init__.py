"""wandb where it is not installed, under `flatout run --capture wandb`: flatout.track under this name."""

import flatout.track as _track
from flatout.track import state as _state
from flatout.track.preinit import before_init as _before_init

_is_flatouts = True
__version__ = _track.__version__
__all__ = [name for name in _track.__all__ if name not in ("BeforeInit", "asked_for", "default_config")]

globals().update({name: getattr(_track, name) for name in __all__})
_attach = _track._attach
_state.add_mirror(globals(), _before_init())


def __getattr__(name):
    raise AttributeError(
        "wandb.%s: this wandb is flatout's (flatout run --capture wandb), which does not have it; see docs/track.md, or install wandb" % name)
