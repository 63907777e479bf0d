"""What flatout.data and flatout.torch say of arguments that do not fit: the call, the argument, the value, by the right type; and how they are shown."""

import math
import pickle
import re

import numpy
import pytest
import torch
from PIL import Image

import flatout.data as data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("pictures")
    for number in range(10):
        path = root / "ab"[number % 2] / f"{number}.png"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (12, 9), (number, 20, 30)).save(path)
    return root


IMAGES = data.images("nowhere")
TYPES = [
    (lambda: data.images(5), "images(root=5)", "is no path; it is a int"),
    (lambda: data.images("x", index_cache=1), "images(index_cache=1)", "neither True nor False"),
    (lambda: data.packed(None), "packed(root=None)", "is no path"),
    (lambda: data.shards(7), "shards(pattern=7)", "is no path"),
    (lambda: data.shards(["a.tar", 7]), "shards(pattern=7)", "is no path"),
    (lambda: data.shards("a.tar", unpack="x", unpack_mb=1.5), "shards(unpack_mb=1.5)", "is no whole number from 1 on; it is a float"),
    (lambda: data.pack(3, "x"), "pack(source=3)", "is no path"),
    (lambda: data.pack("x", 3), "pack(to=3)", "is no path"),
    (lambda: data.pack("x", "y", quality="high"), "pack(quality='high')", "is no whole number"),
    (lambda: data.pack("x", "y", progress=3), "pack(progress=3)", "not callable"),
    (lambda: IMAGES.shuffle(1.0), "shuffle(seed=1.0)", "is no whole number"),
    (lambda: IMAGES.resize("8"), "resize(size='8')", "neither a whole number from 1 on nor two of them; it is a str"),
    (lambda: IMAGES.resize([8.5, 8]), "resize(size=[8.5, 8])", "neither a whole number"),
    (lambda: IMAGES.resize(True), "resize(size=True)", "it is a bool"),
    (lambda: IMAGES.flip("half"), "flip(p='half')", "is no number; it is a str"),
    (lambda: IMAGES.flip(True), "flip(p=True)", "is no number"),
    (lambda: IMAGES.random_resized_crop(8, scale=0.5), "random_resized_crop(scale=0.5)", "is no list of 2 numbers"),
    (lambda: IMAGES.random_resized_crop(8, interpolation=2), "random_resized_crop(interpolation=2)", "is none of bilinear, bicubic"),
    (lambda: IMAGES.random_crop(8, pad_if_needed="yes"), "random_crop(pad_if_needed='yes')", "neither True nor False"),
    (lambda: IMAGES.color_jitter(0.4), "color_jitter(brightness=0.4)", "is no list of 2 numbers"),
    (lambda: IMAGES.rotation("left"), "rotation(degrees='left')", "neither a number nor a list of 2 numbers"),
    (lambda: IMAGES.affine(3, shear=["x", "y"]), "affine(shear=['x', 'y'])", "2 or 4 numbers"),
    (lambda: IMAGES.normalize(0.5, 0.5), "normalize(mean=0.5)", "is no list of 3 numbers"),
    (lambda: IMAGES.mix(mixup="a"), "mix(mixup='a')", "is no number"),
    (lambda: IMAGES.dtype(numpy.float32), "dtype(name=<class 'numpy.float32'>)", "is none of float32, float16"),
    (lambda: IMAGES.cache(memory_mb="all"), "cache(memory_mb='all')", "is no whole number from 1 on"),
    (lambda: IMAGES.cache(folder=3), "cache(folder=3)", "is no path"),
    (lambda: IMAGES.shard("0", 2), "shard(rank='0')", "is no whole number"),
    (lambda: IMAGES.batch("64"), "batch(size='64')", '"batch_size" is no whole number from 1 on; it is a str'),
    (lambda: IMAGES.batch(4, drop_last=None), "batch(drop_last=None)", "neither True nor False"),
    (lambda: IMAGES.batch(4, tune=1), "batch(tune=1)", "neither True nor False"),
    (lambda: data.tokens(7), "tokens(files=7)", "is no path"),
    (lambda: data.tokens("a.bin", "word"), "tokens(dtype='word')", "data type 'word' not understood"),
    (lambda: data.tokens("a.bin", "uint16", header_bytes="8"), "tokens(header_bytes='8')", "is no whole number from 0 on"),
    (lambda: data.tokens("a.bin", "uint16").window(8.0), "window(length=8.0)", "is no whole number"),
    (lambda: data.tokens("a.bin", "uint16").pad_to_bucket(8), "pad_to_bucket(lengths=8)", "is no list of rising"),
    (lambda: data.arrays(3), "arrays(data=3)", "is no path"),
    (lambda: data.arrays("a.npy", 3), "arrays(labels=3)", "is no path"),
    (lambda: data.arrays("a.npy").to_float32(scale="2"), "to_float32(scale='2')", "is no number"),
]
VALUES = [
    (lambda: data.shards([]), "shards(pattern=[])", "no tar file was named"),
    (lambda: data.shards(b"n\xff.tar"), "shards(pattern=b'n\\xff.tar')", "is a path that is not UTF-8"),
    (lambda: data.images("half \ud800"), "images(root='half \\ud800')", "is a path that is not UTF-8"),
    (lambda: data.shards("a.tar", unpack="x"), "unpack='x', unpack_mb=None", "go together"),
    (lambda: data.shards("a.tar", unpack="x", unpack_mb=0), "shards(unpack_mb=0)", "from 1 on"),
    (lambda: data.pack("x", "y", kind="png"), "pack(kind='png')", "is none of jpeg, raw, original"),
    (lambda: data.pack("x", "y", quality=101), "pack(quality=101)", "from 1 to 100"),
    (lambda: IMAGES.shuffle(-1), "shuffle(seed=-1)", "from 0 to 18446744073709551615"),
    (lambda: IMAGES.shuffle(1 << 64), "shuffle(seed=18446744073709551616)", "from 0 to"),
    (lambda: IMAGES.resize(0), "resize(size=0)", "neither a whole number from 1 on"),
    (lambda: IMAGES.resize([1, 2, 3]), "resize(size=[1, 2, 3])", "nor two of them"),
    (lambda: IMAGES.resize(8, "cubic"), "resize(interpolation='cubic')", "is none of bilinear, bicubic, box, hamming, lanczos"),
    (lambda: IMAGES.flip(math.nan), "flip(p=nan)", "is no number"),
    (lambda: IMAGES.normalize((1, 2), (1, 2, 3)), "normalize(mean=(1, 2))", "is no list of 3 numbers"),
    (lambda: IMAGES.normalize((1, 2, math.inf), (1, 2, 3)), "normalize(mean=(1, 2, inf))", "is no list of 3 numbers"),
    (lambda: IMAGES.affine(3, shear=(1, 2, 3)), "affine(shear=(1, 2, 3))", "2 or 4 numbers"),
    (lambda: IMAGES.posterize(9), "posterize(bits=9)", "from 1 to 8"),
    (lambda: IMAGES.auto_augment("mnist"), "auto_augment(policy='mnist')", "is none of imagenet, cifar10, svhn"),
    (lambda: IMAGES.rand_augment(num_magnitude_bins=1), "rand_augment(num_magnitude_bins=1)", "from 2 on"),
    (lambda: IMAGES.dtype("int3"), "dtype(name='int3')", "is none of float32"),
    (lambda: IMAGES.dtype("uint8", "hwc"), "dtype(layout='hwc')", "is none of nchw, nhwc"),
    (lambda: IMAGES.cache(memory_mb=0), "cache(memory_mb=0)", "from 1 on"),
    (lambda: IMAGES.cache(keep="both"), "cache(keep='both')", "is none of encoded, decoded"),
    (lambda: IMAGES.shard(2, 2), "shard(rank=2, ranks=2)", "no whole number from 0 to 1"),
    (lambda: IMAGES.shard(0, 0), "shard(ranks=0)", "from 1 on"),
    (lambda: IMAGES.batch(0), "batch(size=0)", '"batch_size" is no whole number from 1 on'),
    (lambda: IMAGES.batch(4, threads=-1), "batch(threads=-1)", "from 0 to 1024"),
    (lambda: IMAGES.batch(4, on_bad_sample="ignore"), "batch(on_bad_sample='ignore')", "is none of raise, skip"),
    (lambda: IMAGES.batch(4, on_bad_sample="mark"), "batch(on_bad_sample='mark')", "is none of raise, skip"),
    (lambda: data.arrays("a.npy").shuffle(1 << 64), "shuffle(seed=18446744073709551616)", "from 0 to 18446744073709551615"),
    (lambda: data.tokens([]), "tokens(files=[])", "no file was named"),
    (lambda: data.tokens("a.bin", "uint16").window(0), "window(length=0)", "from 1 on"),
    (lambda: data.tokens("a.bin", "uint16").pack(8, "best"), "pack(method='best')", "is none of first_fit, concat"),
    (lambda: data.tokens("a.bin", "uint16").pad_to_bucket([9, 8]), "pad_to_bucket(lengths=[9, 8])", "rising"),
    (lambda: data.tokens("a.bin", "uint16").dtype("int16"), "dtype(name='int16')", '"out" is none of int64, int32'),
]


@pytest.mark.parametrize("call, named, what", TYPES, ids=[row[1] for row in TYPES])
def test_another_type_is_a_type_error(call, named, what):
    with pytest.raises(data.ArgumentTypeError) as raised:
        call()
    assert isinstance(raised.value, TypeError) and isinstance(raised.value, data.LoaderError) and not isinstance(raised.value, ValueError)
    assert named in str(raised.value) and what in str(raised.value) and str(raised.value).startswith("flatout.data: ")


@pytest.mark.parametrize("call, named, what", VALUES, ids=[row[1] for row in VALUES])
def test_a_value_out_of_bounds_is_a_value_error(call, named, what):
    with pytest.raises(data.ArgumentError) as raised:
        call()
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, data.LoaderError) and not isinstance(raised.value, TypeError)
    assert named in str(raised.value) and what in str(raised.value) and str(raised.value).startswith("flatout.data: ")


def test_numbers_of_numpy_are_numbers(folder):
    made = data.images(folder).shuffle(numpy.int64(3)).resize((numpy.int32(8), 8)).flip(numpy.float32(0.5)).normalize(numpy.zeros(3), numpy.ones(3))
    loader = made.batch(numpy.int64(4), drop_last=numpy.bool_(True))
    assert len(list(loader)) == len(loader) == 2


def test_long_values_are_cut_short():
    with pytest.raises(data.ArgumentTypeError) as raised:
        IMAGES.resize("8" * 5000)
    assert len(str(raised.value)) < 250 and "8..." in str(raised.value)


@pytest.mark.parametrize("size, drop_last, shard, batches", [
    (4, False, None, 3), (4, True, None, 2), (10, True, None, 1), (11, True, None, 0), (11, False, None, 1),
    (2, False, (0, 3), 2), (2, False, (2, 3, True), 2), (3, True, (1, 3), 1), (2, True, (1, 4, True), 1), (1, False, (0, 20), 1), (1, False, (0, 20, True), 0),
])  # fmt: skip
def test_len_is_what_comes(folder, size, drop_last, shard, batches):
    made = data.images(folder).resize([8, 8])
    loader = (made.shard(*shard) if shard else made).batch(size, drop_last=drop_last, threads=1)
    assert len(loader) == batches == len(list(loader)) and bool(loader)


def test_len_is_of_a_whole_epoch_and_stays(folder, tmp_path):
    loader = data.images(folder).resize([8, 8]).batch(4, threads=1)
    next(iter(loader))
    loader.load_state_dict(loader.state_dict())
    assert len(loader) == 3 and len(list(loader)) == 2 and len(loader) == 3
    numpy.arange(100, dtype="<u2").tofile(tmp_path / "t.bin")
    windows = data.tokens(tmp_path / "t.bin", "uint16").window(9).batch(4, threads=1)
    assert len(windows) == len(list(windows)) == 3


@pytest.mark.parametrize("drop_last", [False, True])
def test_len_of_buckets_is_not_told(tmp_path, drop_last):
    """20 documents of 4 lengths, five of each: neither ceil(20 / 4) nor 20 // 4 batches come."""
    lengths = [length for length in (3, 7, 15, 31) for _ in range(5)]
    numpy.arange(sum(lengths), dtype="<u2").tofile(tmp_path / "t.bin")
    numpy.save(tmp_path / "index.npy", numpy.cumsum([0, *lengths]))
    made = data.tokens(tmp_path / "t.bin", "uint16", index=tmp_path / "index.npy").pad_to_bucket([4, 8, 16, 32])
    loader = made.batch(4, drop_last=drop_last, threads=1)
    with pytest.raises(TypeError, match=r"pad_to_bucket\(\) has no len"):
        len(loader)
    assert repr(loader) == "<flatout.data_arrays.ArrayLoader: 20 samples, batches of 4 an epoch, next epoch 0>"
    assert bool(loader) and len(list(loader)) == (4 if drop_last else 8), "list() asks for the length, and goes on without"


def test_how_they_are_shown(folder, tmp_path):
    made = data.images("train/").shuffle(seed=3).resize(8)
    assert repr(made) == "<flatout.data.Images: images='train/', shuffle=True, seed=3, steps=[{resize: {size: 8, interpolation: 'bilinear'}}]>"
    many = data.shards([f"t-{number}.tar" for number in range(900)])
    assert repr(many) == "<flatout.data.Images: shards=['t-0.tar', 't-1.tar', ... 900 in all]>"
    assert repr(data.arrays("a.npy")) == "<flatout.data_arrays.Arrays: arrays={data: 'a.npy'}>"
    loader = data.images(folder).resize([8, 8]).batch(4, threads=1)
    assert repr(loader) == "<flatout.data.Loader: 10 samples, 3 batches of 4 an epoch, next epoch 0>"
    loader.close()
    assert repr(loader) == "<flatout.data.Loader: closed>"

    class Mine(data.Loader):
        pass

    assert repr(Mine({"images": str(folder), "steps": [{"resize": {"size": [8, 8]}}], "batch_size": 4, "drop_last": False})).startswith(f"<{__name__}.Mine: 10 samples, 3 batches of 4")
    numpy.save(tmp_path / "a.npy", numpy.ones((5, 2)))
    assert repr(data.arrays(tmp_path / "a.npy").batch(2)) == "<flatout.data_arrays.ArrayLoader: 5 samples, 3 batches of 2 an epoch, next epoch 0>"


def test_descriptions_pickle(folder):
    made = data.images(folder).resize([8, 8])
    again = pickle.loads(pickle.dumps(made))
    assert repr(again) == repr(made) and type(again) is data.Images
    assert b"flatout.data\n" in pickle.dumps(made, 0), "the module that earlier versions wrote"


def test_states_that_are_none(folder):
    loader = data.images(folder).resize([8, 8]).batch(4, threads=1)
    kinds = {TypeError: data.ArgumentTypeError, ValueError: data.ArgumentError}
    for state, kind, word in ((3, TypeError, "load_state_dict(state=3)"), ({"epoch": "1", "drawn": 0}, TypeError, "epoch='1'"),
                              ({"epoch": -1, "drawn": 0}, ValueError, "epoch=-1"), ({"epoch": 1}, ValueError, "'drawn'"),
                              ({"epoch": 1 << 32, "drawn": 0}, ValueError, "from 0 to 4294967295"), ({"epoch": 0, "drawn": True}, TypeError, "drawn=True"),
                              ({"weights": "8" * 5000}, ValueError, "no 'epoch'")):  # fmt: skip
        with pytest.raises(kinds[kind]) as raised:
            loader.load_state_dict(state)
        assert isinstance(raised.value, kind) and word in str(raised.value) and len(str(raised.value)) < 250
    for threads, kind in (("2", TypeError), (-1, ValueError), (1 << 31, ValueError)):
        with pytest.raises(kinds[kind], match=re.escape(f"set_threads(threads={threads!r})")):
            loader.set_threads(threads)
    for arrays, kind in (("numpy", ValueError), (3, TypeError)):
        with pytest.raises(kinds[kind], match=re.escape(f'to(arrays={arrays!r}): "arrays" is none of torch, dlpack')):
            loader.to("cuda", arrays=arrays)
    loader.epoch = "1"
    with pytest.raises(data.ArgumentTypeError, match="epoch='1'"):
        iter(loader)


@pytest.mark.parametrize("arguments, kind, words", [
    ({"engine": "fast"}, ValueError, "engine='fast'"),
    ({"on_bad_sample": "drop"}, ValueError, "on_bad_sample='drop'"),
    ({"cache": "both", "engine": "native"}, ValueError, "'both'"),
    ({"cache": 3, "engine": "native"}, ValueError, "cache=3"),
    ({"snapshot_every_n_steps": -1}, ValueError, "snapshot_every_n_steps=-1"),
    ({"snapshot_every_n_steps": 1.5}, TypeError, "snapshot_every_n_steps=1.5"),
    ({"snapshot_every_n_steps": True}, TypeError, "snapshot_every_n_steps=True"),
    ({"snapshot_every_n_steps": "1"}, TypeError, "snapshot_every_n_steps='1'"),
    ({"snapshot_every_n_steps": numpy.int64(-1)}, ValueError, "snapshot_every_n_steps="),
    ({"snapshot_every_n_steps": numpy.float64(2)}, TypeError, "snapshot_every_n_steps="),
])
def test_arguments_of_the_torch_loader(arguments, kind, words):
    from flatout.torch import DataLoader

    with pytest.raises(kind) as raised:
        DataLoader([1, 2, 3], **arguments)
    assert words in str(raised.value)


@pytest.mark.parametrize("steps", [numpy.int64(2), numpy.uint8(2), torch.tensor(2)], ids=["int64", "uint8", "tensor"])
def test_whole_numbers_of_others_are_steps(steps):
    """As torch takes them elsewhere; kept as an int, so that a state is made of plain numbers."""
    from flatout.torch import DataLoader

    loader = DataLoader([1, 2, 3, 4], snapshot_every_n_steps=steps)
    assert type(loader.snapshot_every_n_steps) is int and loader.snapshot_every_n_steps == 2 and len(list(loader)) == 4


def test_how_the_torch_loader_is_shown():
    from flatout.torch import DataLoader

    loader = DataLoader([1, 2, 3], batch_size=2, snapshot_every_n_steps=None)
    assert repr(loader) == "<flatout.torch.DataLoader of list: batch_size=2, num_workers=0, engine='torch', on_bad_sample='raise'>"
    assert len(loader) == 2
