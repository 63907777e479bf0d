from flatout.track.alerts import AlertLevel  # noqa: F401
