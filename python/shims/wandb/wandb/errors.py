from flatout.track.errors import *  # noqa: F401,F403
