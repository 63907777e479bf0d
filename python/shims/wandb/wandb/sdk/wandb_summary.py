from flatout.track._config import Summary  # noqa: F401
