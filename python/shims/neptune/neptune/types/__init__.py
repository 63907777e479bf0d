from flatout.track.neptune_files import File  # noqa: F401
