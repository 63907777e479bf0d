"""A training loop of marks alone, with lengths as asked: LIBRARY STEPS WAIT_MS COMPUTE_MS [SEED]."""

import ctypes
import random
import sys
import time

DATA_WAIT, FORWARD, OPTIMIZER = 1, 3, 5


def main():
    library = ctypes.CDLL(sys.argv[1])
    steps, wait_ms, compute_ms = int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    noise = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    log = library.flatout_log
    log.argtypes = [ctypes.c_char_p, ctypes.c_double, ctypes.c_int64]
    for step in range(steps):
        for phase, ms in ((DATA_WAIT, wait_ms), (FORWARD, compute_ms), (OPTIMIZER, 0.05)):
            library.flatout_phase_begin(phase)
            # One that computes would get its share of a busy machine alone.
            time.sleep(ms / 1e3 * noise.uniform(0.9, 1.1))
            library.flatout_phase_end(phase)
        log(b"train/loss", 1 / (step + 1), step)
        library.flatout_step_end(ctypes.c_uint64(8))


if __name__ == "__main__":
    main()
