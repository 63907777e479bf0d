"""Imported by programs under test that compile nothing.

The first optimizer of a process imports torch._dynamo, which takes as long as importing torch does; all that an eager
program calls of it are two functions that do nothing. Here they are, alone. Whoever asks for more of it gets an error.
That programs are the same with the real one is shown by those that do without this module, such as numerics.py.
"""

import sys
import types

import torch

if "torch._dynamo" not in sys.modules:
    stand_in = types.ModuleType("torch._dynamo")
    stand_in.disable = lambda function, *_, **__: function
    stand_in.graph_break = lambda: None
    sys.modules["torch._dynamo"] = torch._dynamo = stand_in
