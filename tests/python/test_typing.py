"""What a type checker of the user's sees of the package."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = '''\
from torch.utils.data import Dataset

import flatout
import flatout.data as data
from flatout.torch import DataLoader


class Numbers(Dataset[int]):
    def __getitem__(self, index: int) -> int:
        return index


loader = data.images("train/").shuffle(seed=0).resize((8, 8), "bicubic").batch(4)
reveal_type(loader)
reveal_type(loader.to("cuda"))
reveal_type(data.tokens("a.bin", "uint16").window(8).shuffle())
reveal_type(data.tokens("a.bin").window(8).batch(2).to("cuda", arrays="dlpack"))
reveal_type(loader.state_dict())
reveal_type(len(loader))
reveal_type(flatout.__version__)
reveal_type(DataLoader(Numbers(), batch_size=4, engine="auto"))
data.images(5)
data.images("x").resize("8")
data.images("x").dtype("int3")
data.images("x").batch(4, on_bad_sample="ignore")
DataLoader(Numbers(), engine="fast")
DataLoader(Numbers(), batch_sise=3)
'''
REVEALED = ["flatout.data_loader.Loader", "flatout.data_loader.Loader", "flatout.data_arrays.Tokens", "flatout.data_arrays.ArrayLoader",
            "builtins.dict[builtins.str, builtins.int]", "builtins.int", "builtins.str", "flatout.torch.loader.DataLoader[builtins.int]"]
ERRORS = ["arg-type", "arg-type", "arg-type", "arg-type", "arg-type", "call-arg"]


def test_a_program_is_checked_against_the_hints(tmp_path):
    """With nothing but py.typed: arguments that are wrong are errors, those that are right are not, and what comes back is known."""
    (tmp_path / "program.py").write_text(PROGRAM)
    # The options that decide what mypy keeps of torch are those of mypy.ini, so that torch is read once for both: that takes half a minute.
    kept = f"cache_dir = {ROOT / 'build/mypy'}\nexplicit_package_bases = True\n[mypy-torch.*]\nimplicit_reexport = True\n"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = True\nmypy_path = {ROOT / 'python'}\n{kept}")
    done = subprocess.run([sys.executable, "-m", "mypy", "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    lines = [line for line in done.stdout.splitlines() if line.startswith("program.py:")]
    revealed = [line.split('"')[1] for line in lines if "Revealed type" in line]
    assert revealed == REVEALED, done.stdout + done.stderr
    errors = [line.rpartition("[")[2].rstrip("]") for line in lines if ": error: " in line]
    assert errors == ERRORS, done.stdout
