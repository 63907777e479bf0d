"""neptune where it is not installed, under `flatout run --capture neptune`: its service has ended, flatout keeps the runs."""

from flatout.track.neptune import *  # noqa: F401,F403
from flatout.track.neptune import Handler, Run  # noqa: F401

_is_flatouts = True
__version__ = "1.14.0"
