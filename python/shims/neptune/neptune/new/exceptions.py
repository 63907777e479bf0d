from neptune.exceptions import *  # noqa: F401,F403
