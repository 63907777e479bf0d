from flatout.track.util import generate_id  # noqa: F401
