from flatout.track.errors import Error as NeptuneException  # noqa: F401
from flatout.track.neptune import MissingFieldException  # noqa: F401


class NeptuneOfflineModeFetchException(NeptuneException):
    """Of Neptune's name."""
