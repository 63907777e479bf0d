# The name is that of the client: scripts import stringify_unsupported from here.
from flatout.track.neptune import stringify_unsupported  # noqa: F401
