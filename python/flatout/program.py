"""Where the program `flatout` lies that belongs to this package."""

from __future__ import annotations

import os

__all__ = ["ProgramMissing", "find_prefix", "find_program"]


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
    raise ProgramMissing(_why_missing(places))


def find_prefix() -> str:
    """The folder with bin/, include/, lib/ and lib/pkgconfig/ of the same copy, for programs that are compiled against flatout.h."""
    # FLATOUT_BIN may name the command of a wheel, which has nothing beside it.
    for place in (os.path.realpath(find_program()), *_places()):
        prefix = os.path.dirname(os.path.dirname(place))
        if os.path.isdir(os.path.join(prefix, "lib", "flatout")):
            return prefix
    raise ProgramMissing(f"{find_program()} has no lib/flatout beside its bin/; install flatout's wheel again, or copy both folders together")


def _places() -> list[str]:
    """In the package, where a wheel puts it however it is installed; and in a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    return [os.path.normpath(os.path.join(package, *steps, "bin", "flatout")) for steps in (("_prefix",), ("..", "..", "build", "release"))]


def _why_missing(places: list[str]) -> str:
    archive = _archive()
    if archive:
        return (f"the program flatout lies in the file {archive}, from where no program can be started; install flatout's wheel into a folder "
                "(pip install --target DIR) and name that in PYTHONPATH, or have the file unpacked before it is run")
    for place in places:
        if os.path.isfile(place):
            return (f"the program {place} may not be executed; chmod +x it, or install flatout's wheel where the file system "
                    "is not mounted noexec, or name another one in FLATOUT_BIN")
    return (f"the program flatout is not there: looked for {', '.join(places)}; install flatout's wheel, run `make build` in the checkout, "
            "or name it in FLATOUT_BIN")


def _archive() -> str | None:
    """The file that the package was imported from, such as a zip file, where it is not in a folder."""
    place = os.path.dirname(os.path.abspath(__file__))
    while not os.path.exists(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    return place if os.path.isfile(place) else None
