from flatout.track import Api as PublicApi  # noqa: F401
