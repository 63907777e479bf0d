from neptune import *  # noqa: F401,F403
from neptune import Handler, Run  # noqa: F401
