from flatout.track.settings import Settings  # noqa: F401
