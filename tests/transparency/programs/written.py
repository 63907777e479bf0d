"""All that a program may do with its standard streams, some of it twice."""

import contextlib
import gc
import io
import logging
import os
import signal
import subprocess
import sys
import threading
import traceback
import warnings

for stream in (sys.stdout, sys.stderr):
    print(type(stream), stream.isatty(), stream.fileno(), stream.encoding, stream.errors, stream.line_buffering, stream.write_through,
          stream.name, stream.mode, stream.newlines, type(stream.buffer), stream.buffer.fileno())
print(sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__, sys.stdout.write == sys.stdout.write, sys.stdout.write.__self__ is sys.stdout,
      sys.stdout.write.__name__, sys.stdout.write.__doc__, callable(sys.stdout.write), os.listdir("/proc/self/fd")[:3])
print("returns", sys.stdout.write("four"), sys.stdout.write(""), sys.stdout.writelines(["a\n", "b\n"]))
print("a", "b", sep="\t", end="", flush=True)
print()
sys.stdout.buffer.write(b"bytes past the text\n")
for wrong in ((), (1,), ("a", "b"), (b"x",)):
    try:
        sys.stdout.write(*wrong)
    except TypeError as error:
        traceback.print_exc()
        print(error)
try:
    sys.stdout.write(text="by name")
except TypeError as error:
    print(error)
try:
    print("\ud800 no such character")
except UnicodeEncodeError:
    traceback.print_exc()
print(os.fsdecode(b"\xff\xfe").encode("utf-8", "surrogateescape"), "\0", "\x1b[31mred\x1b[0m", "é€😀")


class Text(str):
    def encode(self, *_):
        raise RuntimeError("asked to encode itself")

    def __str__(self):
        return self


print(Text("a text of its own kind"))
caught = io.StringIO()
with contextlib.redirect_stdout(caught), contextlib.redirect_stderr(caught):
    print("not to be seen")
    print("neither", file=sys.stderr)
print(repr(caught.getvalue()))
handler = logging.StreamHandler(sys.stdout)
logging.getLogger().addHandler(handler)
logging.warning("logged")
warnings.warn("warned")
for i in range(300):
    sys.stderr.write(f"\r{i} %")
sys.stderr.write("\n")
sys.stdout.reconfigure(line_buffering=True)


class Tee:
    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.stream.write(text.upper())

    def flush(self):
        self.stream.flush()


sys.stdout = Tee(sys.__stdout__)
print("through a tee")
sys.stdout = sys.__stdout__

signal.signal(signal.SIGUSR1, lambda *_: print("in a handler"))
os.kill(os.getpid(), signal.SIGUSR1)
threads = [threading.Thread(target=lambda: [print(end="")] * 1000) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]

print("x" * 10_000_000)
print("unflushed", end="")
sys.stdout.flush()
if os.fork() == 0:
    print("in a child")
    raise ValueError("of the child")
os.wait()
print(" and on")
subprocess.run([sys.executable, "-c", "import sys; print('another python'); sys.stderr.write('its stderr\\n')"], check=True)
print(gc.collect() >= 0, [one for one in gc.garbage])

kept, sys.stdout = sys.stdout, None
print("to nowhere")
sys.stdout = kept


class Late:
    def __del__(self, out=sys.stdout):
        out.write("at the very end\n")


late = Late()
sys.stderr.close()
print("stderr is closed", file=sys.stdout)
replaced = sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="latin-1", line_buffering=True)
print("detached é")
