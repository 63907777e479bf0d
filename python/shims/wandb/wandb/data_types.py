from flatout.track.media import *  # noqa: F401,F403
