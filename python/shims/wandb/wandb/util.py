from flatout.track.settings import new_id as generate_id  # noqa: F401
