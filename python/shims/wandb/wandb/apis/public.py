from flatout.track import Api  # noqa: F401
