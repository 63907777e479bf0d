"""Bytes that are no text, through stdin, stdout and stderr, interleaved."""

import os
import sys

data = sys.stdin.buffer.read()
os.write(1, bytes(range(256)))
os.write(2, b"\xff\x00err\r\n")
os.write(1, data[::-1])
sys.stdout.write("no newline at the end")
sys.stdout.flush()
sys.stderr.write("flatout: a line that only looks like one of flatout's\n\x1b[31mred")
