"""dataloader.cache beside dataloader.engine = "native" in an unmodified program: the same training, and what it needs."""

import importlib
import json

import pytest
import torch
from hooked import run
from pictures import torchvision, write
from planned import PROGRAMS, Outcome

CACHE, ENGINE = "dataloader.cache", "dataloader.engine"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"), count=18)


def train(rings, folder, plan, **choices):
    torchvision()
    rings.mkdir(exist_ok=True)
    choices = json.dumps({"folder": str(folder), "epochs": 3, **choices})
    return Outcome(*run(PROGRAMS / "train_pictures.py", choices, rings=rings, FLATOUT_PLAN=json.dumps(plan)))


def test_what_is_kept_trains_the_same_to_the_last_bit(tmp_path, folder):
    plain = train(tmp_path / "plain", folder, {ENGINE: "native"}, evaluate=True)
    assert "cache" not in plain.ring.fact("loader")[0]
    for value in ("encoded", "decoded"):
        seen = train(tmp_path / value, folder, {CACHE: value, ENGINE: "native"}, evaluate=True)
        assert seen.knobs[CACHE] == {"knob": CACHE, "value": value, "from": "none", "applied": True}
        assert seen.saw["losses"] == plain.saw["losses"] and seen.saw["random"] == plain.saw["random"]
        facts = seen.ring.fact("loader")
        assert facts[0]["engine"] == "native" and facts[0]["cache"] == value and not seen.ring.fact("problem")
        assert all("cache" not in fact for fact in facts if fact["loader"] != facts[0]["loader"])
        decoded_ns = {fact["samples"]: fact["decode_ns"] for fact in seen.ring.fact("engine")}
        assert (decoded_ns[18] == decoded_ns[54]) == (value == "decoded"), "of three epochs two are read from memory"


def test_it_needs_the_engine_a_known_value_and_memory(knobs, folder, monkeypatch):
    tv = torchvision()
    loader = torch.utils.data.DataLoader(tv.datasets.ImageFolder(folder, tv.transforms.Compose([
        tv.transforms.RandomResizedCrop(8), tv.transforms.PILToTensor()])), batch_size=4)  # fmt: skip
    cache, engine = (importlib.import_module(knobs.__name__ + name) for name in (".cache", ".engine"))
    Cache, LoadingEngine = cache.Cache, engine.LoadingEngine
    assert Cache.wrong("decoded") is None and '"none", "encoded" or "decoded"' in Cache.wrong("all") and Cache.wrong(5)
    assert Cache.refused(torch, loader, "none") is None
    assert Cache.refused(torch, loader, "decoded") == "the loader's batches are not made by the native engine"
    assert LoadingEngine.refused(torch, loader, "native") is None
    LoadingEngine.set(loader, "native")
    engines = LoadingEngine.engines_of(loader)
    assert Cache.refused(torch, loader, "decoded") is None and engines.kept() == "decoded"
    opened = engines.keeps
    assert LoadingEngine.refused(torch, loader, "native") is None and Cache.refused(torch, loader, "decoded") is None
    assert LoadingEngine.engines_of(loader).keeps is opened, "the next epoch finds what the last one kept"
    Cache.set(loader, "none")
    assert engines.kept() is None and len(engines.opened) == 1
    monkeypatch.setattr(type(engines), "room_bytes", lambda engines: 0)
    assert Cache.refused(torch, loader, "encoded") == "less than 1 GiB of memory is free" and engines.cache is None
    monkeypatch.undo()
    assert Cache.refused(torch, loader, "encoded") is None
    LoadingEngine.undo(loader)
    assert engines.cache is None and LoadingEngine.engines_of(loader) is None
    LoadingEngine.set(loader, "native")
    loader.dataset.target_transform = abs  # from now on it has no native form
    assert "target_transform" in LoadingEngine.refused(torch, loader, "native")
    LoadingEngine.undo(loader)
    assert "not made by the native engine" in Cache.refused(torch, loader, "decoded")
