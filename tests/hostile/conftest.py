"""Makes tests/inject's way to the native module and tests/knobs' pictures importable here."""

import sys
from pathlib import Path

for name in ("knobs", "inject"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / name))
