"""Ends in the way that its argument names."""

import os
import signal
import sys

how = sys.argv[1]
print("before the end", flush=True)
if how == "exit_message":
    sys.exit("a last message")
elif how == "uncaught":
    raise ValueError("nobody catches this")
elif how == "os_exit":
    os._exit(9)
elif how.startswith("exit"):
    sys.exit(int(how[4:]))
else:
    number = getattr(signal, how)
    if how in ("SIGPIPE",):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    signal.pause()
