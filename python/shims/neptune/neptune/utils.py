from flatout.track.neptune import stringify_unsupported  # noqa: F401
