from flatout.track.artifact import Artifact  # noqa: F401
