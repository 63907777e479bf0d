from flatout.track.neptune import Handler  # noqa: F401

_is_flatouts = True
