from wandb import *  # noqa: F401,F403
from flatout.track import Artifact, Run, Settings, init, login  # noqa: F401
