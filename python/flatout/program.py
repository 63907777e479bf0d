"""Where the program `flatout` lies that belongs to this package."""

from __future__ import annotations

import os
import sysconfig

__all__ = ["ProgramMissing", "find_program"]


class ProgramMissing(FileNotFoundError):
    """There is no program `flatout` where this package would have it."""


def find_program() -> str:
    """The path of the native program: what FLATOUT_BIN names, else the one that was installed or built with this package.

    PATH is not searched: what lies there may be of another version. ProgramMissing where there is none.
    """
    named = os.environ.get("FLATOUT_BIN")
    places = [named] if named else _places()
    for place in places:
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return os.path.abspath(place)
    if named:
        raise ProgramMissing(f"FLATOUT_BIN={named!r} is no program that can be run")
    raise ProgramMissing(f"the program flatout is not there: looked for {', '.join(places)}; install flatout's wheel, "
                         "run `make build` in the checkout, or name it in FLATOUT_BIN")


def _places() -> list[str]:
    """Of `pip install`, of `pip install --target`, and of a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    relative = (("..", "..", "..", "..", "bin"), ("..", "bin"), ("..", "..", "build", "release", "bin"))
    folders = [os.path.normpath(os.path.join(package, *steps)) for steps in relative]
    return [os.path.join(folder, "flatout") for folder in dict.fromkeys([*folders, sysconfig.get_path("scripts")])]
