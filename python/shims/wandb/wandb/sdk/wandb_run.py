from flatout.track._run import Run  # noqa: F401
