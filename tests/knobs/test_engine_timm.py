"""dataloader.engine = "native" for loaders of timm: its ImageDataset, its transforms, its create_loader()."""

import pytest
import torch
from pictures import native, refusal, timm_data, write
from torch.utils.data import DataLoader


SIZE = 24


@pytest.fixture(scope="module")
def timm():
    return timm_data()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"))


def loader(timm, folder, transform, **arguments):
    return DataLoader(timm.ImageDataset(str(folder), transform=transform), **{"batch_size": 5, **arguments})


def same(some, others):
    some, others = list(some), list(others)
    return len(some) == len(others) and all(
        type(one) is type(other) and all(torch.equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other))
        for one, other in zip(some, others)
    )


def test_what_draws_nothing_is_the_same_bit_for_bit(knobs, timm, folder):
    make = timm.create_transform
    for transform in (
        make(SIZE),
        make(SIZE, interpolation="bicubic", crop_pct=0.9),
        make((3, SIZE, SIZE), crop_mode="squash"),
        make(SIZE, normalize=False),
        make(SIZE, is_training=True, no_aug=True),
        make(SIZE, is_training=True, scale=(1, 1), ratio=(1, 1), hflip=1, vflip=1, color_jitter=None),
        timm.transforms.transforms.Compose([timm.CenterCropOrPad(130), timm.ToNumpy()]),
        timm.transforms.transforms.Compose([timm.CenterCropOrPad((20, 30)), timm.ToTensor()]),
    ):
        batches = loader(timm, folder, transform)
        by_engine = native(knobs, torch, batches)
        got = list(by_engine)
        assert by_engine.fetches.batches == 0, "else the comparison would prove nothing"
        assert same(batches, got), transform


def test_create_loader_with_its_prefetcher(knobs, timm, folder):
    for training in (False, True):
        made = timm.create_loader(
            timm.ImageDataset(str(folder)), SIZE, 4, is_training=training, no_aug=training, num_workers=0, device=torch.device("cpu"),
            use_prefetcher=True, persistent_workers=False)  # fmt: skip
        inner = made.loader
        states = []
        for by_engine in (False, True):
            torch.manual_seed(3)
            states.append(list(native(knobs, torch, inner) if by_engine else inner))
        assert type(states[0][0]) is tuple and states[0][0][0].dtype == torch.uint8
        assert same(*states)


def test_random_interpolation_is_either_and_erasing_is_the_same_share(knobs, timm, folder):
    from torchvision.transforms import Compose

    crop = timm.RandomResizedCropAndInterpolation
    dataset = timm.ImageDataset(str(folder))
    seen = {}
    for mode in ("bilinear", "bicubic", "random"):
        dataset.transform = Compose([crop(SIZE, interpolation=mode), timm.MaybePILToTensor()])
        batches = DataLoader(dataset, batch_size=20, sampler=[0, 3] * 20, generator=torch.Generator().manual_seed(1))
        seen[mode] = torch.cat([pictures for pictures, _ in native(knobs, torch, batches)])
    either = [[torch.equal(a, b) for a, b in zip(seen["random"], seen[mode])] for mode in ("bilinear", "bicubic")]
    assert all(a != b for a, b in zip(*either)), "the same boxes, by one filter or the other"
    assert 8 <= sum(either[0]) <= 32
    dataset.transform = timm.create_transform(SIZE, is_training=True, color_jitter=None, re_prob=0.5, scale=(1, 1), ratio=(1, 1), hflip=0)
    batches = DataLoader(dataset, batch_size=50, sampler=[0] * 200)
    erased = [(torch.cat([pictures for pictures, _ in one]) == 0).flatten(1).float().mean(1) for one in (batches, native(knobs, torch, batches))]
    for shares in erased:
        assert 70 <= (shares > 0.01).sum() <= 130
        assert shares.max() < 0.45
    assert abs(erased[0].mean() - erased[1].mean()) < 0.05


def test_what_has_no_native_form_is_named(knobs, timm, folder):
    make, training = timm.create_transform, {"is_training": True}
    for transform, said in (
        (make(SIZE, auto_augment="augmix-m5", **training), "timm.data.auto_augment.AugMixAugment has no native form"),
        (make(SIZE, auto_augment="rand-m9-t3a", **training), "timm's operation GaussianBlur has no native form"),
        (make(SIZE, train_crop_mode="rkrc", **training), "timm.data.transforms.ResizeKeepRatio has no native form"),
        (make(SIZE, crop_mode="border"), "timm.data.transforms.ResizeKeepRatio has no native form"),
        (make(SIZE, crop_border_pixels=2), "TrimBorder"),
        (timm.transforms.transforms.Compose([timm.CenterCropOrPad(9, fill=3), timm.ToNumpy()]), "CenterCropOrPad with fill 3"),
        (timm.transforms.transforms.Compose([timm.CenterCropOrPad(9), timm.ToNumpy(), timm.MaybeToTensor()]), "after timm.data.transforms.ToNumpy"),
    ):
        reason = refusal(knobs, torch, loader(timm, folder, transform))
        assert reason is not None and said in reason, (transform, reason)
    fine = make(SIZE)
    for change, said in (
        ({"input_img_mode": "L"}, "input_img_mode 'L'"),
        ({"load_bytes": True}, "load_bytes"),
        ({"target_transform": int}, "target_transform"),
        ({"reader": object()}, "timm's object has no native form"),
    ):
        batches = loader(timm, folder, fine)
        vars(batches.dataset).update(change)
        assert said in refusal(knobs, torch, batches)
    batches = loader(timm, folder, fine, collate_fn=timm.loader.fast_collate)
    assert "fast_collate" in refusal(knobs, torch, batches), "of floats"


def test_a_damaged_picture_is_skipped_as_timm_skips_it(knobs, timm, tmp_path):
    folder = write(tmp_path, count=6)
    (folder / "a/02.jpg").write_bytes(b"no picture")
    batches = loader(timm, folder, timm.create_transform(SIZE), batch_size=2)
    got = native(knobs, torch, batches)
    assert same(batches, list(got)) and got.fetches.batches == 1
