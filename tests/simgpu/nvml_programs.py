"""Programs of the tests of simulated NVML: what each begins with, and the fixture that runs one."""

import json

import pytest

SECOND = 1_000_000_000

START = """
import ctypes, json, os, signal, subprocess, sys, threading, time
import nvml_reader
from nvml_reader import *


def told(**what):
    print("TOLD " + json.dumps(what), flush=True)
    os._exit(0)


def code_of(function, *arguments):
    try:
        function(*arguments)
    except Refused as refused:
        return refused.code
    return SUCCESS


def process_of(source, *arguments):
    '''Another process, which has what this one imports, and can say a line or wait for one.'''
    return subprocess.Popen(
        [sys.executable, "-c", START + source, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


START = %r
"""
START %= START.split("START = %r")[0]

# Four kernels between two pauses, again and again.
SAWTOOTH = """
def sawtooth(seconds=0, ms=5, going=lambda: False):
    import cudart

    until = time.monotonic() + seconds
    while time.monotonic() < until or going():
        for _ in range(4):
            cudart.launch(ms=ms)
        cudart.synchronize()
        time.sleep(0.015)
"""


@pytest.fixture
def run(simgpu):
    """(what the program said, its truth) of a program that uses nvml_reader.py and cudart.py."""

    def runs(source, **options):
        result = simgpu.run(START + source, own_modules=True, **options)
        assert result.status == 0 and "TOLD " in result.output, result.output
        return json.loads(result.output.split("TOLD ")[-1].splitlines()[0]), result.truth

    return runs
