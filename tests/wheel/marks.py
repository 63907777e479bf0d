"""A training loop in pure Python that marks itself through libflatout.so: marks.py LIBRARY STEPS."""

import ctypes
import sys
import time

library = ctypes.CDLL(sys.argv[1])
library.flatout_step_end.argtypes = [ctypes.c_uint64]
DATA_WAIT, FORWARD = 1, 3
for _ in range(int(sys.argv[2])):
    for phase, seconds in ((DATA_WAIT, 0.010), (FORWARD, 0.005)):
        library.flatout_phase_begin(phase)
        time.sleep(seconds)
        library.flatout_phase_end(phase)
    library.flatout_step_end(8)
print(sys.version_info[:2])
