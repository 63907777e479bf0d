"""A program that imports torchvision, beside a torch that torchvision's compiled part does not fit (vision.py):
argv[1:] = the program and its arguments."""

import runpy
import sys
from pathlib import Path

import vision

vision.load()
sys.argv = sys.argv[1:]
sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
runpy.run_path(sys.argv[0], run_name="__main__")
