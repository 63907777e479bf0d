"""What the program sees of its terminal; reads a line; then sleeps until Ctrl-C."""

import os
import sys
import time

print([os.isatty(fd) for fd in range(3)], os.get_terminal_size())
print("foreground", os.tcgetpgrp(0) == os.getpgrp(), os.ttyname(0) == os.ttyname(1))
print("read", repr(sys.stdin.readline()), flush=True)
time.sleep(60)
