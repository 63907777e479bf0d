from flatout.track.neptune import Run  # noqa: F401

_is_flatouts = True
