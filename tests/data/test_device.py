"""Loader.to("cuda") over a made-up driver whose streams do nothing before somebody waits for them: the same numbers as on the CPU, in order,
waited for by the consumer's stream alone; memory given back; errors that name what is missing."""

import ctypes
import gc
import json
import math
import os
import subprocess
import sys

import harness
import numpy
import pytest
from PIL import Image

from flatout import data
from flatout.data_device import DeviceArray, device_name

TESTS = harness.flatout_bin().parents[1] / "test"
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
COUNTS = ("allocations", "pinned", "streams", "events", "modules", "contexts", "pushed", "copies", "bytes", "launches", "pageable_copies",
          "faults", "pending")
HELD = COUNTS[:7]
STORED = {"bfloat16": "uint16"}  # as the CPU's batches have it


@pytest.fixture(scope="module")
def driver():
    path = TESTS / "libfake_cuda.so"
    assert path.is_file(), f"{path} is not there: build the target fake_cuda"
    return ctypes.CDLL(str(path))


def counts(driver):
    numbers = (ctypes.c_int64 * len(COUNTS))()
    driver.fake_cuda_counts(numbers)
    return dict(zip(COUNTS, numbers))


@pytest.fixture
def cuda(driver, monkeypatch):
    """The made-up driver; whatever a test does, all is given back."""
    monkeypatch.setenv("FLATOUT_CUDA_LIBRARY", str(TESTS / "libfake_cuda.so"))
    driver.fake_cuda_forget_calls()
    before = counts(driver)
    yield driver
    monkeypatch.delenv("FAKE_CUDA_FAIL", raising=False)
    gc.collect()
    after = counts(driver)
    assert [after[name] for name in HELD] == [0] * len(HELD), after
    assert after["faults"] == before["faults"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("images")
    draw = numpy.random.default_rng(5)
    for number in range(22):
        path = root / "ab"[number % 2] / f"{number:02}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(draw.integers(0, 256, (30, 40 + number, 3), dtype=numpy.uint8)).save(path)
    return root


def trained(folder):
    return data.images(folder).shuffle(seed=3).random_resized_crop(16).flip().normalize(MEAN, STD)


class Consumer:
    """A framework with one stream, which copies what it takes to the host."""

    def __init__(self, driver):
        self._driver, self.stream = driver, ctypes.c_void_p()
        driver.cuStreamCreate(ctypes.byref(self.stream), 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._driver.cuStreamDestroy_v2(self.stream)

    def taken(self, array):
        assert array.__dlpack_device__() == (2, int(array.device[-1]))
        capsule = array.__dlpack__(stream=self.stream.value)
        self._driver.cuStreamSynchronize(self.stream)
        return self.read(capsule, array)

    @staticmethod
    def read(capsule, array):
        """By what the capsule says, not the array."""
        pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
        at = pointer(capsule, b"dltensor")
        address, _, number, axes, code, bits, _ = numpy.frombuffer((ctypes.c_char * 24).from_address(at),
                                                                   "u8,i4,i4,i4,u1,u1,u2")[0].item()
        shape = tuple((ctypes.c_int64 * axes).from_address(ctypes.c_void_p.from_address(at + 24).value))
        assert (address, shape, number) == (array.address, array.shape, int(array.device[-1]))
        stored = numpy.dtype(STORED.get(array.dtype, array.dtype))
        assert (code, bits) == ({"i": 0, "u": 1, "f": 2}[stored.kind] if array.dtype != "bfloat16" else 4, stored.itemsize * 8)
        raw = (ctypes.c_char * (math.prod(shape) * stored.itemsize)).from_address(address)
        return numpy.frombuffer(bytes(raw), stored).reshape(shape)


def assert_same(driver, on_cpu, on_device, epochs=2):
    with Consumer(driver) as consumer:
        for _ in range(epochs):
            expected, got = list(on_cpu), [[consumer.taken(part) for part in (batch if isinstance(batch, tuple) else [batch])] for batch in on_device]
            assert len(expected) == len(got) > 0
            for one, other in zip(expected, got):
                one = one if isinstance(one, tuple) else (one,)
                assert len(one) == len(other)
                for a, b in zip(one, other):
                    assert a.dtype == b.dtype and numpy.array_equal(a, b)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "uint8"])
@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
def test_pictures_have_the_cpus_bits(cuda, folder, dtype, layout):
    described = data.images(folder).shuffle(seed=3).random_resized_crop(16).flip().dtype(dtype, layout)
    if dtype != "uint8":
        described = described.normalize(MEAN, STD)
    before = counts(cuda)
    loader = described.batch(5).to("cuda:1", arrays="dlpack")
    assert_same(cuda, described.batch(5), loader)
    told, now = loader.stats()["h2d"], counts(cuda)
    pixel_bytes = numpy.dtype(STORED.get(dtype, dtype)).itemsize if not told["normalized"] else 1
    assert told["bytes"] == 2 * 22 * (16 * 16 * 3 * pixel_bytes + 8)
    assert (told["device"], told["gpu"], told["batches"]) == ("cuda:1", "made-up GPU", 10)
    assert told["normalized"] == (now["launches"] > before["launches"])
    # Where the build has kernels (FLATOUT_CUDA_KERNELS) bytes cross the bus; else it says why not.
    assert told["normalized"] or dtype == "uint8" or told["why_not_normalized"] == "this build has no CUDA kernels"
    assert now["pageable_copies"] - before["pageable_copies"] == int(told["normalized"])  # the table


def test_mixed_erased_grey_and_skipped(cuda, folder, tmp_path):
    mixed = trained(folder).mix(mixup=0.4, cutmix=1.0)
    assert_same(cuda, mixed.batch(5), mixed.batch(5).to("cuda", arrays="dlpack"))
    erased = trained(folder).random_erasing(1.0)
    assert_same(cuda, erased.batch(5), erased.batch(5).to("cuda", arrays="dlpack"))
    for number in range(9):
        (tmp_path / "x").mkdir(exist_ok=True)
        (tmp_path / f"x/{number}.jpg").write_bytes(b"no picture" if number in (0, 4, 5) else next(folder.glob("a/*.jpg")).read_bytes())
    skipped = trained(tmp_path)
    assert_same(cuda, skipped.batch(4, on_bad_sample="skip"), skipped.batch(4, on_bad_sample="skip").to("cuda", arrays="dlpack"))


def test_tokens_and_rows(cuda, tmp_path):
    numpy.arange(1000, dtype="<u2").tofile(tmp_path / "t.bin")
    for described in (data.tokens(tmp_path / "t.bin", "uint16").window(16).shuffle(seed=1),
                      data.tokens(tmp_path / "t.bin", "uint16", end_of_text=500).pack(33),
                      data.tokens(tmp_path / "t.bin", "uint16").window(16, joined=True)):
        assert_same(cuda, described.batch(7), described.batch(7).to("cuda", arrays="dlpack"))


def test_order_resuming_and_errors_are_those_of_the_cpu(cuda, folder, tmp_path):
    loader, other = trained(folder).batch(4), trained(folder).batch(4).to("cuda", arrays="dlpack")
    for _, _ in zip(range(3), zip(loader, other)):
        assert loader.state_dict() == other.state_dict()  # though one more is on its way already
    state = other.state_dict()
    again, expected = trained(folder).batch(4).to("cuda", arrays="dlpack"), trained(folder).batch(4)
    again.load_state_dict(state), expected.load_state_dict(state)
    assert_same(cuda, expected, again, epochs=1)
    (tmp_path / "x").mkdir()
    for number in range(6):
        (tmp_path / f"x/{number}.jpg").write_bytes(b"no picture" if number == 2 else next(folder.glob("a/*.jpg")).read_bytes())
    batches, told = iter(data.images(tmp_path).resize([8, 8]).batch(2).to("cuda", arrays="dlpack")), []
    for _ in range(4):
        try:
            told.append(next(batches)[0].shape[0])
        except data.LoaderError as error:
            told.append("2.jpg" in str(error))
        except StopIteration:
            told.append("end")
    assert told == [2, True, 2, "end"]


def test_the_host_waits_for_nothing_and_memory_comes_back(cuda, folder):
    loader = trained(folder).batch(4).to("cuda", arrays="dlpack")
    with Consumer(cuda) as consumer:
        batches = iter(loader)
        first = next(batches)[0]
        capsule = first.__dlpack__(stream=consumer.stream.value)
        assert counts(cuda)["pending"] > 0  # nobody has waited
        kept = first.address
        del first
        held = [next(batches) for _ in range(3)]
        assert all(image.address != kept for image, _ in held)  # the capsule has it still
        del capsule, held, batches  # in the middle of an epoch
        for images, labels in loader:
            pass
        expected = list(trained(folder).shard(0, 1).batch(4))[-1]
        loader.close()
        assert counts(cuda)["contexts"] == 1  # what is held outlives the loader
        assert consumer.taken(labels).shape == expected[1].shape
        del images, labels


def test_dlpacks_protocol(cuda, folder):
    image, label = next(iter(trained(folder).batch(4).to("cuda:0", arrays="dlpack")))
    assert isinstance(image, DeviceArray) and (image.name, label.name) == ("images", "labels")
    assert (image.device, image.dtype, image.shape, label.shape) == ("cuda:0", "float32", (4, 3, 16, 16), (4,))
    for stream in (None, 1, 2, -1):
        image.__dlpack__(stream=stream, max_version=(1, 1))
    for refused in ({"stream": 0}, {"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError):
            image.__dlpack__(**refused)
    with pytest.raises((RuntimeError, BufferError)):
        numpy.from_dlpack(image)


def test_torch_names_its_stream(cuda, folder, monkeypatch):
    """torch's own from_dlpack, up to where a torch with CUDA would take the capsule."""
    import torch

    with Consumer(cuda) as consumer:
        named = []
        monkeypatch.setattr(torch.cuda, "current_stream", lambda device: named.append(device) or type("S", (), {"cuda_stream": consumer.stream.value}))
        taken = []
        monkeypatch.setattr(torch._C, "_from_dlpack", lambda capsule: taken.append(capsule) or "a tensor")
        loader = trained(folder).batch(11).to("cuda:1", arrays="torch")
        assert list(loader) == [("a tensor", "a tensor")] * 2 and named == ["cuda:1"] * 4
        waiting = counts(cuda)["pending"]
        cuda.cuStreamSynchronize(consumer.stream)
        assert counts(cuda)["pending"] < waiting  # its stream came behind the copies
        taken.clear()
        batch = next(iter(trained(folder).batch(4).to("cuda")))
        assert isinstance(batch[0], DeviceArray)  # this torch has no CUDA
        del batch, loader


@pytest.mark.parametrize("environment, device, said", [
    ({"FLATOUT_CUDA_LIBRARY": "/nowhere/libcuda.so.1"}, "cuda", "install NVIDIA's driver"),
    ({"FLATOUT_CUDA_LIBRARY": str(TESTS / "libfake_cuda_old.so")}, "cuda", "has no cuMemHostRegister_v2"),
    ({"FAKE_CUDA_DEVICES": "0"}, "cuda", "CUDA_ERROR_NO_DEVICE"),
    ({}, "cuda:2", "the last is cuda:1"),
    ({}, "tpu", "is no device that batches can go to"),
    ({"FAKE_CUDA_FAIL": "cuMemAlloc_v2=2"}, "cuda", None),
])
def test_what_is_missing_is_named_and_the_loader_stays(cuda, folder, monkeypatch, environment, device, said):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    loader = trained(folder).batch(22)
    if said is None:  # only when it comes to a batch, in a build without kernels
        with pytest.raises(data.LoaderError, match="CUDA_ERROR_OUT_OF_MEMORY"):
            next(iter(loader.to(device, arrays="dlpack")))
        return
    with pytest.raises(data.LoaderError, match=device.split(":")[0]) as error:
        loader.to(device)
    assert said in str(error.value)
    assert next(iter(loader))[0].shape == (22, 3, 16, 16) and "h2d" not in loader.stats()


def test_a_copy_that_fails_is_that_batchs_error(cuda, folder, monkeypatch):
    loader = trained(folder).batch(11).to("cuda", arrays="dlpack")
    monkeypatch.setenv("FAKE_CUDA_FAIL", "cuMemcpyHtoDAsync_v2=700")
    batches = iter(loader)
    with pytest.raises(data.LoaderError, match="cuda:0: cuMemcpyHtoDAsync_v2: CUDA_ERROR_ILLEGAL_ADDRESS"):
        next(batches)
    monkeypatch.delenv("FAKE_CUDA_FAIL")
    assert next(batches)[0].shape[0] == 11


def test_to(cuda, folder):
    loader = trained(folder).batch(4)
    assert loader.to("cpu") is loader and isinstance(next(iter(loader))[0], numpy.ndarray)
    with pytest.raises(data.LoaderError, match="before"):
        loader.to("cuda")  # an epoch was begun
    loader = trained(folder).batch(4, threads=3).to("cuda:1", arrays="dlpack").to("cuda:1", arrays="dlpack")
    assert loader.stats()["threads"] == 3
    with pytest.raises(data.LoaderError, match="go to cuda:1 already"):
        loader.to("cuda:0")
    with pytest.raises(ValueError, match="dlpack"):
        loader.to("cuda:1", arrays="jax")
    assert (device_name(1), device_name("cuda")) == ("cuda:1", "cuda")


FORKED = """
import json, os, sys
from flatout import data
loader = data.images(sys.argv[1]).resize([16, 16]).batch(4).to("cuda", arrays="dlpack")
batches = iter(loader)
held = next(batches)
child = os.fork()
if child == 0:
    try:
        next(batches)
        said = "a batch"
    except data.LoaderError as error:
        said = str(error)
    del held, batches, loader
    os.write(1, json.dumps(said).encode())
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
assert len([1 for _ in batches]) == 5
"""


def test_a_fork_is_told_and_both_end(cuda, folder):
    environment = {**os.environ, "PYTHONPATH": str(harness.ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", FORKED, str(folder)], env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "fork" in json.loads(done.stdout)
