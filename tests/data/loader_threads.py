"""The threads of engine="threads": which there are, and a wait for their end that names the one that stays."""

import gc
import sys
import threading
import time
import traceback


def running():
    return [thread for thread in threading.enumerate() if thread.name.startswith("flatout-loader-")]


def stacks():
    """What every thread of this process does, for the message of a test that fails."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join("%s:\n%s" % (names.get(ident, ident), "".join(traceback.format_stack(frame)))
                     for ident, frame in sys._current_frames().items())


def await_end():
    """What a test let go of may be in a cycle of its own (test_threads_end.py holds ours to having none).

    gc.collect() does nothing while another thread collects, which may be one of these threads, at the end of torch's own workers."""
    end = time.monotonic() + 30
    while running():
        gc.collect()
        for thread in running():
            thread.join(0.1)
            assert not thread.is_alive() or time.monotonic() < end, "%s did not end\n%s" % (thread.name, stacks())
