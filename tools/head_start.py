"""Compiling for later suites in the time that a suite leaves idle.

Suites that start programs and wait for them leave the cores idle for a good part, and the builds of the sanitizers need
nothing but cores. The compiler runs in the kernel's idle class: it gets only what nobody else wants, so a suite that
measures nothing does not notice it. Suites that measure have the machine to themselves.
"""

import shutil
import subprocess
import threading


class HeadStart:
    """While it is open, `folders` are compiled with ninja, one after the other; closed, nothing of it runs any more.

    What is done by then is done. The rest, and what does not compile, is for the suite that the folder belongs to, which
    builds as if nobody had begun. `logs` is where ninja's output goes.
    """

    def __init__(self, folders, logs):
        self.folders = list(folders) if shutil.which("ninja") and shutil.which("chrt") else []
        self.logs = logs
        self.closed = False
        self.lock = threading.Lock()
        self.running = None
        self.thread = threading.Thread(target=self._compile)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        with self.lock:
            self.closed = True
            if self.running is not None:
                self.running.terminate()  # ninja ends its compilers and removes what they have half made
        self.thread.join()

    def _compile(self):
        for folder in self.folders:
            self.logs.mkdir(parents=True, exist_ok=True)
            with open(self.logs / f"head-start-{folder.name}.txt", "w") as out:
                with self.lock:
                    if self.closed:
                        return
                    self.running = subprocess.Popen(["chrt", "--idle", "0", "ninja", "-C", str(folder), "-j", "2", "-k", "0"],
                                                    stdout=out, stderr=subprocess.STDOUT)
                self.running.wait()
