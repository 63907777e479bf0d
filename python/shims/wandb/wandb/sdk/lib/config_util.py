from flatout.track.errors import ConfigError  # noqa: F401
