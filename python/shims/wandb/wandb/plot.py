from flatout.track.plot import *  # noqa: F401,F403
