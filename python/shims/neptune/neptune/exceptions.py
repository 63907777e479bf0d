from flatout.track.errors import Error as NeptuneException  # noqa: F401
from flatout.track.neptune import MissingFieldException  # noqa: F401


class NeptuneMissingApiTokenException(NeptuneException):
    """Of Neptune's name; never raised here."""


class NeptuneMissingProjectNameException(NeptuneException):
    """Of Neptune's name; never raised here."""


class NeptuneOfflineModeFetchException(NeptuneException):
    """Of Neptune's name; never raised here."""
