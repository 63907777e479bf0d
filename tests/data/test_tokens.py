"""flatout.data.tokens() and arrays() against NumPy: windows, packed and padded documents, rows; whatever the threads, resumed, shared out, damaged."""

import gc
import json
import os

import numpy
import pytest

from epochs import epoch, same
from flatout import data

DRAW = numpy.random.default_rng(7)
TOKENS = DRAW.integers(1, 60000, 5003)
TOKENS[DRAW.integers(0, 5003, 150)] = 0  # ends of documents


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same tokens as one flat file, as three, behind a header, and as .npy files of two axes and one."""
    root = tmp_path_factory.mktemp("tokens")
    TOKENS.astype("<u2").tofile(root / "all.bin")
    for number, part in enumerate(numpy.split(TOKENS, [1000, 1007])):
        part.astype("<u2").tofile(root / f"part_{number}.bin")
    (root / "headed.bin").write_bytes(bytes(1024) + TOKENS.astype("<i4").tobytes())
    numpy.save(root / "two-0.npy", TOKENS[:5000].reshape(50, 100))
    numpy.save(root / "two-1.npy", TOKENS[5000:])
    return root


def joined(batches, part=0):
    return numpy.concatenate([batch[part] for batch in batches])


@pytest.mark.parametrize("length, stride", [(16, None), (16, 5), (1, 1), (5002, None), (7, 100)])
def test_windows_are_numpys_whatever_the_file(files, length, stride):
    begins = numpy.arange(0, len(TOKENS) - length, stride or length)
    expected = numpy.lib.stride_tricks.sliding_window_view(TOKENS, length + 1)[begins]
    described = [data.tokens(files / "all.bin", "uint16"), data.tokens(f"{files}/part_{{0..2}}.bin", "uint16"), data.tokens(f"{files}/two-*.npy"),
                 data.tokens(files / "headed.bin", "int32", header_bytes=1024)]
    for one in described:
        plain = one.window(length, stride)
        batches = epoch(plain.batch(100, threads=1))
        inputs, targets = (joined(batches, part) for part in (0, 1))
        assert inputs.dtype == numpy.int64 and numpy.array_equal(inputs, expected[:, :-1]) and numpy.array_equal(targets, expected[:, 1:])
    for dtype in ("int64", "int32"):
        whole = joined(epoch(described[-1].window(length, stride, joined=True).dtype(dtype).batch(90)))
        assert whole.dtype == dtype and numpy.array_equal(whole, expected)


DESCRIPTIONS = {
    "window": lambda tokens: tokens.window(16, 9),
    "pack": lambda tokens: tokens.pack(64),
    "buckets": lambda tokens: tokens.pad_to_bucket([8, 30, 64]),
}


@pytest.mark.parametrize("kind", DESCRIPTIONS)
def test_threads_and_a_resume_change_nothing(files, kind):
    plain = DESCRIPTIONS[kind](data.tokens(files / "all.bin", "uint16", end_of_text=0)).shuffle(3)
    first, second = (epoch(loader) for loader in [plain.batch(7, threads=1)] for _ in range(2))
    assert not same(first, second)
    for threads in (2, 4):
        loader = plain.batch(7, threads=threads, ahead=3)
        assert same(epoch(loader), first) and same(epoch(loader), second)
    for taken in range(0, len(first), len(first) // 4):
        stopped = plain.batch(7)
        running = iter(stopped)
        for _ in range(taken):
            next(running)
        resumed = plain.batch(7, threads=1)
        resumed.load_state_dict(json.loads(json.dumps(stopped.state_dict())))
        assert same(epoch(resumed), first[taken:]), taken
        assert same(epoch(resumed), second)


@pytest.mark.parametrize("kind", DESCRIPTIONS)
@pytest.mark.parametrize("drop_uneven", [False, True])
def test_ranks_share_an_epoch(files, kind, drop_uneven):
    plain = DESCRIPTIONS[kind](data.tokens(files / "all.bin", "uint16", end_of_text=0)).shuffle(3)
    whole = [row.tobytes() for batch in epoch(plain.batch(7)) for row in batch[0]]
    ranks = [epoch(plain.shard(rank, 3, drop_uneven).batch(7)) for rank in range(3)]
    assert len({len(batches) for batches in ranks}) == 1
    seen = [row.tobytes() for batches in ranks for batch in batches for row in batch[0]]
    assert set(seen) <= set(whole) if drop_uneven else set(seen) == set(whole)
    assert abs(len(seen) - len(whole)) <= (21 if kind == "buckets" else 3)


def documents():
    ends = numpy.flatnonzero(TOKENS == 0) + 1
    return [one for one in numpy.split(TOKENS, ends) if len(one)]


@pytest.fixture(params=["token", "index"])
def told(request, files):
    """Documents, told in each of the two ways."""
    if request.param == "token":
        return data.tokens(files / "all.bin", "uint16", end_of_text=0)
    lengths = [len(one) for one in documents()]
    numpy.save(files / "index.npy", numpy.cumsum([0, *lengths]))
    return data.tokens(files / "all.bin", "uint16", index=files / "index.npy")


@pytest.mark.parametrize("method", ["first_fit", "concat"])
def test_packed_documents_are_all_there_and_apart(told, method):
    inputs, targets, segments, positions = (joined(epoch(told.pack(64, method, pad=60001).batch(5)), part) for part in range(4))
    assert (inputs[segments == 0] == 60001).all() and (targets[segments == 0] == -100).all() and (inputs[segments > 0] < 60001).all()
    pieces = []
    for row in range(len(inputs)):
        for segment in range(1, segments[row].max() + 1):
            at = segments[row] == segment
            assert numpy.array_equal(positions[row][at], numpy.arange(at.sum())) and (numpy.diff(numpy.flatnonzero(at)) == 1).all()
            piece, aims = inputs[row][at], targets[row][at]
            assert numpy.array_equal(aims[:-1], piece[1:]) and (aims[-1] == -100) == (piece[-1] == 0 or piece[-1] == TOKENS[-1] != 0)
            pieces.append(piece)
    expected = [one[begin:begin + 64] for one in documents() for begin in range(0, len(one), 64)]
    if method == "concat":
        assert numpy.array_equal(numpy.concatenate(pieces), TOKENS) and len(inputs) == -(-len(TOKENS) // 64)
    else:
        assert sorted(one.tobytes() for one in pieces) == sorted(one.tobytes() for one in expected)
        rooms, seen = [], []  # the same by hand
        for one in expected:
            place = next((number for number, room in enumerate(rooms) if room >= len(one)), len(rooms))
            if place == len(rooms):
                rooms.append(64), seen.append([])
            rooms[place] -= len(one)
            seen[place].append(one)
        assert numpy.array_equal(inputs[segments > 0], numpy.concatenate([piece for row in seen for piece in row]))


def test_documents_of_like_length_share_a_batch(told):
    batches = epoch(told.pad_to_bucket([8, 30, 64], pad=60001).dtype("int32").shuffle(5).batch(6))
    assert {tokens.shape[1] for tokens, _ in batches} == {8, 30, 64} and batches[0][0].dtype == numpy.int32
    assert all(len(tokens) == 6 for tokens, _ in batches[:-3]), "smaller batches are the last ones"
    got = []
    for tokens, lengths in batches:
        bucket = tokens.shape[1]
        assert ((lengths <= bucket) & (lengths > {8: 0, 30: 8, 64: 30}[bucket])).all()
        assert (tokens[numpy.arange(bucket) >= lengths[:, None]] == 60001).all()
        got += [row[:length].tobytes() for row, length in zip(tokens, lengths)]
    assert sorted(got) == sorted(one[:64].astype(numpy.int32).tobytes() for one in documents())
    whole = epoch(told.pad_to_bucket([8, 30, 64]).shuffle(5).batch(6, drop_last=True))
    assert {len(tokens) for tokens, _ in whole} == {6} and len(whole) >= len(batches) - 3


def test_rows_of_an_array(tmp_path):
    pictures = DRAW.integers(0, 256, (31, 5, 3), dtype=numpy.uint8)
    labels = DRAW.normal(size=(31, 2))
    numpy.save(tmp_path / "x.npy", pictures)
    numpy.save(tmp_path / "y.npy", labels)
    plain = data.arrays(tmp_path / "x.npy", tmp_path / "y.npy")
    rows, targets = (joined(epoch(plain.batch(7)), part) for part in (0, 1))
    assert rows.dtype == numpy.uint8 and numpy.array_equal(rows, pictures) and numpy.array_equal(targets, labels)
    floats = joined(epoch(plain.to_float32(1 / 255, -0.5).batch(7)))
    assert numpy.array_equal(floats, pictures * numpy.float32(1 / 255) + numpy.float32(-0.5)) and floats.dtype == numpy.float32
    order = joined(epoch(plain.shuffle(2).batch(7, threads=2)), 1)
    assert not numpy.array_equal(order, labels) and numpy.array_equal(numpy.sort(order, 0), numpy.sort(labels, 0))
    for kind in ("int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"):
        numbers = (DRAW.normal(size=17) * 99).astype(kind)
        numpy.save(tmp_path / f"{kind}.npy", numbers)
        assert numpy.array_equal(joined(epoch(data.arrays(tmp_path / f"{kind}.npy").batch(5))), numbers)
        if kind != "float16":
            floats = joined(epoch(data.arrays(tmp_path / f"{kind}.npy").to_float32(0.5).batch(5)))
            assert numpy.array_equal(floats, numbers.astype(numpy.float32) * numpy.float32(0.5)), kind


def test_arrays_outlive_their_loader_and_are_aligned(files):
    loader = data.tokens(files / "all.bin", "uint16").window(16).batch(3)
    inputs, targets = next(iter(loader))
    assert inputs.ctypes.data % 64 == targets.ctypes.data % 64 == 0
    assert inputs.flags.c_contiguous and targets.flags.writeable
    del loader, inputs
    gc.collect()
    assert numpy.array_equal(targets.ravel(), TOKENS[1:49])


def test_stages_tell_computing_from_waiting(files):
    loader = data.tokens(files / "all.bin", "uint16", end_of_text=0).pack(64).batch(5, threads=1)
    epoch(loader)
    stats = loader.stats()
    for stage in ("read", "transform"):
        assert stats[stage + "_busy_ns"] + stats[stage + "_blocked_ns"] == stats[stage + "_ns"] > 0
    assert stats["decode_ns"] == 0 and "decode_busy_ns" not in stats


def test_a_file_that_is_cut_off_while_it_is_read_is_an_error(tmp_path):
    path = tmp_path / "t.bin"
    TOKENS.astype("<u2").tofile(path)
    loader = data.tokens(path, "uint16").window(100).batch(10, ahead=1)
    left_out = data.tokens(path, "uint16").window(100).batch(10, on_bad_sample="skip", ahead=1)
    os.truncate(path, 2 * 1550)
    running = iter(loader)
    assert len(next(running)[0]) == 10
    for _ in range(3):
        with pytest.raises(data.LoaderError, match=r"sample \d+: .*t.bin: became shorter"):
            next(running)
    kept = epoch(left_out)
    assert [len(inputs) for inputs, _ in kept] == [10, 5] and numpy.array_equal(kept[1][1], TOKENS[1001:1501].reshape(5, 100))


@pytest.mark.parametrize("describe, part", [
    (lambda root: data.tokens(root / "none.bin", "uint16").window(8), "none.bin"),
    (lambda root: data.tokens(root / "all.bin").window(8), "say the type"),
    (lambda root: data.tokens(root / "all.bin", "uint16"), "one of \"window\""),
    (lambda root: data.tokens(root / "all.bin", "uint32").window(8), "no whole number of uint32"),
    (lambda root: data.tokens(root / "all.bin", "float32", header_bytes=2).window(8), "tokens are uint8"),
    (lambda root: data.tokens(root / "all.bin", "uint16", header_bytes=99999).window(8), "no numbers"),
    (lambda root: data.tokens([root / "all.bin", root / "two-0.npy"], "uint16").window(8), "two-0.npy: it holds int64, not uint16"),
    (lambda root: data.tokens(root / "all.bin", "uint16").window(5003), "hold 5003 tokens"),
    (lambda root: data.tokens(root / "all.bin", "uint16").window(0), "\"length\""),
    (lambda root: data.tokens(root / "all.bin", "uint16").pack(8), "where documents end"),
    (lambda root: data.tokens(root / "all.bin", "uint16", end_of_text=0).pack(8, "best_fit"), "none of first_fit, concat"),
    (lambda root: data.tokens(root / "all.bin", "uint16", end_of_text=0).pad_to_bucket([9, 8]), "rising"),
    (lambda root: data.tokens(root / "all.bin", "uint16", index=root / "two-1.npy").pack(8), "two-1.npy: number"),
    (lambda root: data.tokens(root / "all.bin", "uint16").window(8).dtype("int16"), "\"out\""),
    (lambda root: data.arrays(root / "all.bin"), "no .npy"),
    (lambda root: data.arrays(root / "two-0.npy", root / "two-1.npy"), "3 labels for the 50 rows"),
])
def test_what_is_wrong_is_named(files, describe, part):
    with pytest.raises(data.LoaderError, match=part):
        describe(files).batch(4)


@pytest.mark.parametrize("array, part", [
    (numpy.asfortranarray(numpy.ones((3, 4))), "Fortran"),
    (numpy.ones(3, ">i4"), "little-endian"),
    (numpy.array(7), "no rows"),
    (numpy.ones((0, 4)), "no rows"),
    (numpy.ones(3, "i4,f4"), "not that of one array"),
])
def test_arrays_that_are_not_read(tmp_path, array, part):
    numpy.save(tmp_path / "x.npy", array)
    with pytest.raises(data.LoaderError, match=f"x.npy: .*{part}"):
        data.arrays(tmp_path / "x.npy").batch(1)


def test_a_token_that_does_not_fit_is_no_other_token(tmp_path):
    numpy.array([1, 2, 3, 1 << 31, 4, 5, 6], "<i8").tofile(tmp_path / "t.bin")
    with pytest.raises(data.LoaderError, match="sample 1: .*t.bin: token 2: .*int32"):
        epoch(data.tokens(tmp_path / "t.bin", "int64").window(2).dtype("int32").batch(3))
    assert joined(epoch(data.tokens(tmp_path / "t.bin", "int64").window(2).batch(3))).max() == 1 << 31
