"""The fixture `simgpu`: programs on simulated devices; tests are skipped by name where PyTorch's CUDA build is not at hand."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import machine  # noqa: E402


@pytest.fixture(scope="session")
def simgpu(tmp_path_factory):
    if not (machine.BUILT / "lib" / "libcudart.so.13").is_file():
        pytest.skip("build/simgpu is not there: `make test` fetches PyTorch's CUDA build and makes it, or `python tests/simgpu/prepare.py`")
    return machine.Machine(tmp_path_factory.mktemp("simgpu"))


@pytest.fixture
def run_driver(simgpu):
    """(what the program said, its truth) of a program that uses cudadriver.py and starts with nothing else."""

    def runs(source, *arguments, **options):
        result = simgpu.run("from cudadriver import *\n" + source, *arguments, own_modules=True, **options)
        assert result.status == 0, result.output
        return json.loads(result.output.split("TOLD ")[-1].splitlines()[0]), result.truth

    return runs
