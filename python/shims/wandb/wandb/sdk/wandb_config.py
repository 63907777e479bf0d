from flatout.track._config import Config  # noqa: F401
