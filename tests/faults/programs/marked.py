"""A program without PyTorch that marks its own steps, so that it starts in a moment.

marked.py LIBRARY ACTION [ARGUMENT]
"""

import ctypes
import os
import signal
import sys
import time

library = ctypes.CDLL(sys.argv[1])
library.flatout_step_end.argtypes = [ctypes.c_uint64]
OPTIMIZER = 5


def steps(count):
    for _ in range(count):
        library.flatout_phase_begin(OPTIMIZER)
        library.flatout_phase_end(OPTIMIZER)
        library.flatout_step_end(1)


def ranks(count):
    """Processes with rings of their own, which live until the returned function is called."""
    reader, writer = os.pipe()
    done, said = os.pipe()
    for _ in range(count):
        if os.fork() == 0:
            os.close(writer)
            steps(20)
            os.write(said, b".")
            os.read(reader, 1)
            os._exit(0)
    for _ in range(count):
        os.read(done, 1)

    def end():
        os.close(writer)
        for _ in range(count):
            os.wait()

    return end


def fill(folder):
    """How many bytes of it the program can have, beside four rings."""
    end = ranks(3)
    stored = 0
    try:
        with open(os.path.join(folder, "filler"), "wb", buffering=0) as out:
            while True:
                stored += out.write(bytes(1 << 16))
    except OSError as problem:
        print(type(problem).__name__, problem.strerror, stored)
    end()


def cut():
    """Cuts every file in the folder of its ring to nothing, and goes on."""
    folder = os.environ.get("FLATOUT_RING_DIR")
    for _ in range(20):
        for name in os.listdir(folder) if folder else ():
            try:
                os.truncate(os.path.join(folder, name), 0)
            except OSError:
                pass
        steps(int(sys.argv[3]))
        time.sleep(0.02)  # the recorder looks ten times a second
    print("done")


def wait_for_hang_up(how):
    """Writes down what came, and ends as `how` says: by default, or itself after the first."""
    out = os.open(sys.argv[4], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if how == "handle":
        signal.signal(signal.SIGHUP, lambda *_: os.write(out, b"hup\n"))
    os.write(out, f"{os.getpid()} {os.getppid()}\n".encode())
    signal.pause()
    time.sleep(0.5)  # a second delivery would arrive in this time
    sys.exit(6)


steps(20)
action = sys.argv[2]
if action == "fill":
    fill(sys.argv[3])
elif action == "cut":
    cut()
elif action == "hang-up":
    wait_for_hang_up(sys.argv[3])
elif action == "steps":
    steps(int(sys.argv[3]))
    print("done")
    sys.exit(7)
elif action == "forever":
    print(os.getpid(), flush=True)
    while True:
        steps(10)
        time.sleep(0.01)
