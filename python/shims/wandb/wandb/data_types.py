from flatout.track.media import *  # noqa: F401,F403
from flatout.track.tables import Classes, JoinedTable  # noqa: F401
